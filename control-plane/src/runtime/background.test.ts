import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { background, workOff } from './background.js';

/** Rounds every second whose turns last until the test ends them. */
function rounds(test: typeof t) {
  const clock = new FakeClock();
  const failures: unknown[] = [];
  const turns: { end: (error?: Error) => void }[] = [];
  const one = background({
    name: 'work',
    everyMs: 1_000,
    look: () =>
      new Promise((resolve, reject) => {
        turns.push({ end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    failing: 'cannot work, retrying',
    clock,
    log: { warn: (...line: unknown[]) => failures.push(line) },
  });
  test.teardown(() => {
    for (const turn of turns) turn.end();
    return one.stop();
  });
  one.start();
  const end = async (index: number, error?: Error) => {
    turns[index]?.end(error);
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  };
  return { one, clock, turns, failures, end };
}

t.test('a turn comes every second, never two at once, and after one that failed, too', async (t) => {
  const { clock, turns, failures, end } = rounds(t as never);
  clock.advance(999);
  t.equal(turns.length, 0);
  clock.advance(1);
  t.equal(turns.length, 1);
  clock.advance(60_000);
  t.equal(turns.length, 1, 'never two at once');
  await end(0, new Error('lost'));
  t.match(failures, [[{ err: { message: 'lost' } }, 'cannot work, retrying']]);
  t.equal(turns.length, 2, 'one for all that were due meanwhile');
  await end(1);
  t.equal(turns.length, 2);
  clock.advance(1_000);
  t.equal(turns.length, 3);
});

t.test('who asks gets a turn at once, or one more after the present one, however many ask', async (t) => {
  const { one, clock, turns, end } = rounds(t as never);
  one.look();
  t.equal(turns.length, 1);
  for (let i = 0; i < 5; i += 1) one.look();
  t.equal(turns.length, 1);
  await end(0);
  t.equal(turns.length, 2);
  await end(1);
  t.equal(turns.length, 2);
  clock.advance(1_000);
  t.equal(turns.length, 3);
});

t.test('who asks for a turn in a moment gets the one that comes then, together with all others', async (t) => {
  const { one, clock, turns, end } = rounds(t as never);
  for (let i = 0; i < 5; i += 1) one.lookWithin(250);
  clock.advance(250);
  t.equal(turns.length, 1);
  one.lookWithin(250);
  await end(0);
  clock.advance(250);
  t.equal(turns.length, 2);
});

t.test('what is stopped takes no further turn, and is waited for', async (t) => {
  const { one, clock, turns, end } = rounds(t as never);
  one.look();
  one.look();
  let isOver = false;
  const stopped = one.stop().then(() => {
    isOver = true;
  });
  await end(7);
  t.equal(isOver, false);
  await end(0);
  await stopped;
  one.look();
  clock.advance(5_000);
  t.equal(turns.length, 1);
  t.equal(clock.pendingTimers, 0);
});

t.test('work that is not started, as in a command, looks only when the caller runs it', async (t) => {
  const clock = new FakeClock();
  let turns = 0;
  const one = background({
    name: 'work',
    everyMs: 1_000,
    look: async () => void (turns += 1),
    failing: 'cannot work, retrying',
    clock,
    log: { warn: () => {} },
  });
  one.look();
  one.lookWithin(10);
  t.strictSame([turns, clock.pendingTimers], [0, 0]);
  await one.run();
  t.equal(turns, 1);
});

t.test('pieces are taken until one is not full, or until the stop', async (t) => {
  const left = [3, 3, 2, 9];
  await workOff(
    () => false,
    3,
    async () => left.shift() ?? 0,
  );
  t.same(left, [9]);
  let taken = 0;
  await workOff(
    () => taken > 1,
    1,
    async () => {
      taken += 1;
      return 1;
    },
  );
  t.equal(taken, 2);
});

t.test('a timed turn comes only if there is work, a requested turn always', async (t) => {
  const clock = new FakeClock();
  const [due, turns, failures]: [boolean[], string[], unknown[]] = [[], [], []];
  const one = background({
    name: 'work',
    everyMs: 1_000,
    isDue: async () => {
      const isDue = due.shift();
      if (isDue === undefined) throw new Error('the database is away');
      return isDue;
    },
    look: async () => void turns.push('turn'),
    failing: 'cannot work, retrying',
    clock,
    log: { warn: (...line: unknown[]) => failures.push(line) },
  });
  t.teardown(() => one.stop());
  one.start();
  const pass = async (ms: number) => {
    clock.advance(ms);
    await one.idle();
    return turns.length;
  };
  due.push(false, true);
  t.equal(await pass(1_000), 0);
  t.equal(await pass(1_000), 1);
  t.equal(await pass(1_000), 1);
  t.match(failures, [[{ err: { message: 'the database is away' } }, 'cannot work, retrying']]);
  one.look();
  t.equal(await pass(0), 2, 'asked for');
  one.lookWithin(10);
  t.equal(await pass(10), 3, 'asked for in a moment');
  t.equal(failures.length, 1, 'nothing else was asked');
});
