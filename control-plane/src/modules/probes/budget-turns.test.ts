import t from 'tap';
import { BudgetTurns } from './budget-turns.js';
import { TARGET_BURST } from './target-budget.js';

const host = 'address:192.0.2.1';
const neighbour = 'address:192.0.2.2';
const network = 'network:192.0.2.0/24';
const elsewhere = 'domain:example.com';

/** Work that says when it has begun and ends when a test lets it. */
class Work {
  hasBegun = false;
  end: (answer: string) => void = () => {};
  fail: (error: Error) => void = () => {};
  readonly #ended = new Promise<string>((resolve, reject) => Object.assign(this, { end: resolve, fail: reject }));

  readonly run = (): Promise<string> => {
    this.hasBegun = true;
    return this.#ended;
  };
}

/** Resolves when everything that only waits for promises has happened. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

t.test('one request at a time works on the budget of a target, in the order they came', async (t) => {
  const turns = new BudgetTurns();
  const works = [new Work(), new Work(), new Work()];
  const answers = works.map((work) => turns.run([host], work.run));
  for (const [index, work] of works.entries()) {
    await settle();
    t.same(
      works.map(({ hasBegun }) => hasBegun),
      works.map((_, other) => other <= index),
    );
    work.end(`answer ${index}`);
  }
  t.same(await Promise.all(answers), ['answer 0', 'answer 1', 'answer 2'], 'each gets its own answer');
});

t.test('requests that share one of their keys wait for one another, others do not', async (t) => {
  const turns = new BudgetTurns();
  const [first, second, third, stranger] = [new Work(), new Work(), new Work(), new Work()] as const;
  const answers = [
    turns.run([host, network], first.run),
    turns.run([neighbour, network], second.run),
    turns.run([neighbour], third.run),
    turns.run([elsewhere], stranger.run),
  ];
  const begun = async () => {
    await settle();
    return [first, second, third, stranger].map(({ hasBegun }) => hasBegun);
  };
  t.same(await begun(), [true, false, false, true]);
  first.end('');
  t.same(await begun(), [true, true, false, true]);
  second.end('');
  t.same(await begun(), [true, true, true, true]);
  third.end('');
  stranger.end('');
  await Promise.all(answers);
});

t.test('a failure does not stop those behind it', async (t) => {
  const turns = new BudgetTurns();
  const answers = [
    turns.run([host], () => Promise.reject(new Error('refused'))),
    turns.run([host], () => {
      throw new Error('broken');
    }),
    turns.run([host], async () => 'served'),
  ];
  const settled = await Promise.allSettled(answers);
  t.match(settled, [{ reason: /refused/ }, { reason: /broken/ }, { value: 'served' }]);
  t.equal(turns.size, 0);
});

t.test('an unavailable database fails all requests that wait by then, and none that come later', async (t) => {
  const turns = new BudgetTurns();
  const lost = Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
  const [first, second, third] = [new Work(), new Work(), new Work()] as const;
  const answers = [
    turns.run([host, network], first.run),
    turns.run([neighbour, network], second.run),
    turns.run([neighbour], third.run),
  ];
  first.fail(lost);
  for (const answer of await Promise.allSettled(answers)) t.same(answer, { status: 'rejected', reason: lost });
  t.same([second.hasBegun, third.hasBegun], [false, false]);
  t.equal(await turns.run([host, network], async () => 'served'), 'served');
});

t.test('no queue is left when no request waits', async (t) => {
  const turns = new BudgetTurns();
  const [good, bad] = [new Work(), new Work()] as const;
  const answers = [turns.run([host, network], good.run), turns.run([neighbour, network], bad.run)];
  t.equal(turns.size, 3);
  good.end('');
  await answers[0];
  t.equal(turns.size, 2, 'what somebody still waits for stays');
  bad.fail(new Error('refused'));
  t.match(await Promise.allSettled(answers), [{ value: '' }, { reason: /refused/ }]);
  t.equal(turns.size, 0);
  await turns.run([], async () => '');
  t.equal(turns.size, 0, 'work without a key waits for nobody');
});

t.test('a target is full when as many wait for one of its keys as a full bucket serves', async (t) => {
  const turns = new BudgetTurns();
  const works = Array.from({ length: TARGET_BURST }, () => new Work());
  const answers = works.map(({ run }, index) => {
    t.equal(turns.isFull([host, network]), false, `${index} wait`);
    return turns.run([host, network], run);
  });
  t.equal(turns.isFull([neighbour, network]), true, 'one of the keys is enough');
  t.same([turns.isFull([neighbour]), turns.isFull([elsewhere])], [false, false]);
  works[0]?.end('');
  await answers[0];
  t.equal(turns.isFull([host, network]), false, 'who has an answer waits no more');
  for (const { end } of works) end('');
  await Promise.all(answers);
});
