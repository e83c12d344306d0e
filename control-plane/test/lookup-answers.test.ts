import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { Bus, BusMessage } from '../src/bus/bus.js';
import { ensurePartitions } from '../src/db/partitions.js';
import type { Answer } from '../src/modules/lookups/answers/answer.js';
import { AnswerMemory } from '../src/modules/lookups/answers/answer-memory.js';
import { Answers, type Asked } from '../src/modules/lookups/answers/answers.js';
import { WakeUps } from '../src/modules/lookups/answers/wake-ups.js';
import { createTestDatabase } from './_support/database.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const key = 'whois/1 example.com';
const free = async () => ({ giveBack: async () => {} });

/** Replicas on one database whose bus loses every message unless `isTalking`. */
async function startAnswers(t: Test, { isTalking = false, replicas = 2 } = {}) {
  const { db } = await createTestDatabase(t);
  const clock = new FakeClock(Date.now());
  const listeners: ((message: BusMessage) => void)[] = [];
  const started = Array.from({ length: replicas }, (_, index) => {
    const bus = {
      broadcast: (message: BusMessage) => {
        if (isTalking) for (const [at, listener] of listeners.entries()) if (at !== index) listener(message);
      },
      onMessage: (listener: (message: BusMessage) => void) => void listeners.push(listener),
      onResync: () => {},
    } as unknown as Bus;
    const wakeUps = new WakeUps(clock);
    const log = pino({ level: 'silent' });
    const answers = new Answers({
      db,
      clock,
      bus,
      replicaId: `rep_${index}`,
      memory: new AnswerMemory(),
      wakeUps,
      log,
    });
    answers.start();
    return answers;
  });
  t.teardown(() => Promise.all(started.map((answers) => answers.stop())));
  const asks: ((answer: Answer | Error) => void)[] = [];
  const asked: Asked = {
    key,
    subject: 'example.com',
    deadlineMs: 25_000,
    ask: () =>
      new Promise((resolve, reject) => {
        asks.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      }),
  };
  const found = (more: Partial<Answer> = {}): Answer => {
    const now = clock.now();
    const times = { askedAtMs: now, freshUntilMs: now + 6 * HOUR_MS, staleUntilMs: now + 7 * DAY_MS };
    return { isFailure: false, ...times, body: { registrar: 'first' }, ...more };
  };
  const [one, other] = started as [Answers, Answers];
  return { db, clock, one, other, asks, asked, found };
}

/** Begins a flight, and ends its question with this answer. */
async function flyTo(world: Awaited<ReturnType<typeof startAnswers>>, answers: Answers, answer: Answer) {
  const { end } = answers.fly(world.asked, null, free);
  const before = world.asks.length;
  await until('the question', () => world.asks.length === before + 1);
  world.asks[before]?.(answer);
  return end;
}

t.test('an answer is fresh for every replica until its end, then stands in while it is stale', async (t) => {
  const world = await startAnswers(t);
  const { clock, one, other, found } = world;
  t.match(await one.judge(key, null), { use: 'nothing', stale: null });
  t.match(await flyTo(world, one, found()), { kind: 'found', answer: { body: { registrar: 'first' } } });
  for (const answers of [one, other]) t.match(await answers.judge(key, null), { use: 'answer', isRenewalDue: false });
  clock.advance(6 * HOUR_MS - 1);
  for (const answers of [one, other]) t.match(await answers.judge(key, null), { use: 'answer', isRenewalDue: true });
  clock.advance(1);
  t.match(await other.judge(key, null), { use: 'nothing', stale: { body: { registrar: 'first' } } });
  t.match(await other.findStale(key), { body: { registrar: 'first' } });
  clock.advance(7 * DAY_MS);
  t.equal(await one.findStale(key), null);
});

t.test('a failure of a third party is kept for its time, and the answer before it stands in', async (t) => {
  const world = await startAnswers(t);
  const { db, clock, one, other, found } = world;
  await flyTo(world, one, found());
  clock.advance(6 * HOUR_MS);
  const now = clock.now();
  const failure = {
    isFailure: true,
    freshUntilMs: now + 30_000,
    staleUntilMs: now + 30_000,
    body: { message: 'away' },
  };
  t.match(await flyTo(world, one, found(failure)), { kind: 'found', answer: failure });
  for (const answers of [one, other]) {
    t.match(await answers.judge(key, null), { use: 'failure', failure: { body: { message: 'away' } }, stale: {} });
  }
  clock.advance(30_000);
  t.match(await other.judge(key, null), { use: 'nothing', stale: { body: { registrar: 'first' } } });
  await flyTo(world, other, found({ body: { registrar: 'second' } }));
  t.equal((await db('lookup_answers')).length, 1, 'of a key only the newest rows stay');
});

t.test('an answer that is asked for in the last tenth of its time is renewed once, while callers get it', async (t) => {
  const world = await startAnswers(t, { isTalking: true });
  const { clock, one, other, asks, asked, found } = world;
  await flyTo(world, one, found());
  clock.advance(6 * HOUR_MS * 0.95);
  one.renew(asked);
  await until('the renewal', () => asks.length === 2);
  one.renew(asked);
  other.renew(asked);
  t.match(await one.judge(key, null), { use: 'answer', answer: { body: { registrar: 'first' } } });
  asks[1]?.(found({ body: { registrar: 'second' } }));
  await until('both replicas to have the renewed answer', async () => {
    const judged = await Promise.all([one, other].map((answers) => answers.judge(key, null)));
    return judged.every(
      (one) => one.use === 'answer' && 'registrar' in one.answer.body && one.answer.body.registrar === 'second',
    );
  });
  t.equal(asks.length, 2);
});

t.test('two replicas ask once, and a lost message costs half a second', async (t) => {
  const world = await startAnswers(t);
  const { clock, one, other, asks, asked, found } = world;
  const first = one.fly(asked, null, free);
  await until('the question', () => asks.length === 1);
  const second = other.fly(asked, null, () => Promise.reject(new Error('the second replica pays')));
  await until('the second to wait', () => clock.pendingTimers === 2);
  asks[0]?.(found());
  t.match(await first.end, { kind: 'found' });
  clock.advance(500);
  t.match(await second.end, { kind: 'found', answer: { body: { registrar: 'first' } } });
  t.equal(asks.length, 1);
});

t.test('a replica that lives keeps its lease, and one that died loses it', async (t) => {
  const world = await startAnswers(t);
  const { db, clock, one, other, asks, asked, found } = world;
  one.fly(asked, null, free);
  await until('the question', () => asks.length === 1);
  const claim = async () => (await db('lookup_claims').where({ key }))[0];
  await db('lookup_claims').update({ lease_until: new Date(Date.now() + 1_000) });
  const { lease_until: before } = await claim();
  clock.advance(12_500);
  await until('the lease to be renewed', async () => (await claim()).lease_until > before);
  const second = other.fly(asked, null, free);
  await db('lookup_claims').update({ lease_until: new Date(0) });
  await until('the takeover', async () => {
    clock.advance(500);
    return asks.length === 2;
  });
  t.match(await claim(), { holder: 'rep_1' });
  asks[1]?.(found());
  t.match(await second.end, { kind: 'found' });
  asks[0]?.(new Error('it died'));
});

t.test(
  'a failed question is refunded and leaves neither claim nor answer, and a caller without allowance gets an error',
  async (t) => {
    const { db, one, asks, asked } = await startAnswers(t);
    let refunds = 0;
    const paid = async () => ({ giveBack: async () => void (refunds += 1) });
    const failing = one.fly(asked, null, paid);
    await until('the question', () => asks.length === 1);
    asks[0]?.(new Error('no node'));
    t.match(await failing.end, { kind: 'failed', error: new Error('no node') });
    t.equal(refunds, 1);
    const poor = one.fly(asked, null, () => Promise.reject(new Error('nothing left')));
    t.match(await poor.end, { kind: 'notPaid', error: new Error('nothing left') });
    t.equal(asks.length, 1);
    for (const table of ['lookup_claims', 'lookup_answers']) t.same(await db(table), [], table);
  },
);

t.test('an answer of more than 256 KiB is given to those who wait, and is not kept in the table', async (t) => {
  const { randomBytes } = await import('node:crypto');
  const world = await startAnswers(t);
  const large = { text: randomBytes(300 * 1024).toString('base64') };
  t.match(await flyTo(world, world.one, world.found({ body: large })), { kind: 'found', answer: { body: large } });
  for (const table of ['lookup_claims', 'lookup_answers']) t.same(await world.db(table), [], table);
});

t.test('answers of a week are kept in partitions of their days', async (t) => {
  const world = await startAnswers(t);
  await ensurePartitions(world.db, world.clock.now() + 7 * DAY_MS);
  await flyTo(world, world.one, world.found());
  world.clock.advance(7 * DAY_MS + 6 * HOUR_MS);
  t.match(await world.one.judge(key, null), { use: 'nothing', stale: null });
  await flyTo(world, world.one, world.found({ body: { registrar: 'later' } }));
  const rows = await world.db.raw('SELECT tableoid::regclass::text AS part FROM lookup_answers');
  const day = new Date(world.clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
  t.same(rows.rows, [{ part: `lookup_answers_p${day}` }]);
});
