import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { rollups } from '../src/modules/monitors/history/rollups.js';
import { slotsWithin } from '../src/modules/monitors/history/timeseries.js';
import { createLogger } from '../src/runtime/log.js';
import { startStack } from './_support/stack.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const todayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const clock = new FakeClock(todayMs, { rounds: [] });
const { api, database } = await startStack(t, {}, clock);
const { db } = database;

/** A monitor of two nodes, at two o'clock in the afternoon of a day of which nothing is rolled up. */
async function setUp() {
  clock.setWall(todayMs + 14 * HOUR_MS);
  await db('rollup_progress').update({ through: new Date(todayMs) });
  const nodes = [await insertNode(db), await insertNode(db)];
  const monitor = await insertMonitor(db, nodes, { owner_id: api.userId });
  const series = async (query: string) =>
    (await api.call('GET', `/v1/monitors/${monitor.id}/timeseries?${query}`)).body;
  const rollUp = () => rollups({ db, clock, log: createLogger('silent') }).run();
  return { nodes, monitor, series, rollUp };
}

t.test('response times of all nodes are merged, with nulls where no check succeeded, rolled up or not', async (t) => {
  const { monitor, nodes, series, rollUp } = await setUp();
  const [one = '', other = ''] = nodes;
  const noonMs = todayMs + 12 * HOUR_MS;
  const times = Array.from({ length: 100 }, (_, n) => n + 1);
  await store(
    db,
    times.map((response_ms, n) =>
      aCheck(monitor.id, n % 2 === 0 ? one : other, { slot_ms: noonMs + n * 30_000, response_ms }),
    ),
  );
  await store(db, [aCheck(monitor.id, one, { slot_ms: noonMs + HOUR_MS, outcome: 'failed' })]);
  clock.setWall(todayMs + 14 * HOUR_MS + 30 * MINUTE_MS);
  const asked = `metric=response_ms&step=1h&from=${new Date(noonMs - HOUR_MS).toISOString()}`;
  const before = (await series(asked)).data;
  t.match(before, {
    monitor_id: monitor.id,
    node_id: null,
    metric: 'response_ms',
    step: '1h',
    from: new Date(noonMs - HOUR_MS).toISOString(),
    to: new Date(noonMs + 3 * HOUR_MS).toISOString(),
  });
  t.equal(before.points.length, 4);
  const none = { avg: null, min: null, max: null, p50: null, p95: null, p99: null };
  t.strictSame(before.points[0], { at: new Date(noonMs - HOUR_MS).toISOString(), ...none });
  t.match(before.points[1], { at: new Date(noonMs).toISOString(), avg: 50.5, min: 1, max: 100 });
  for (const [name, exact] of Object.entries({ p50: 50, p95: 95, p99: 99 }))
    t.ok(Math.abs(before.points[1][name] / exact - 1) < 0.073, `${name} is ${before.points[1][name]}`);
  t.match(before.points[2], none);
  t.match(before.points[3], none);
  await rollUp();
  t.ok((await db('rollups_1h')).length > 1);
  t.strictSame((await series(asked)).data, before);
  await db.raw('TRUNCATE monitor_checks, rollups_1m, rollups_15m');
  t.strictSame((await series(asked)).data, before, 'rolled-up times are read from nowhere else');
});

t.test('checks are counted by outcome, also of one node, together with missed ones', async (t) => {
  const { monitor, nodes, series, rollUp } = await setUp();
  const [one = '', other = ''] = nodes;
  const at = (minutes: number) => todayMs + 13 * HOUR_MS + minutes * MINUTE_MS;
  await store(db, [
    aCheck(monitor.id, one, { slot_ms: at(0) }),
    aCheck(monitor.id, one, { slot_ms: at(1), outcome: 'degraded' }),
    aCheck(monitor.id, other, { slot_ms: at(2), outcome: 'failed' }),
    aCheck(monitor.id, other, { slot_ms: at(30) }),
  ]);
  const { key } = await db('nodes').where({ id: one }).first('key');
  const run = { monitor_key: monitor.key, node_key: key, slots: 20, reason: 'stopped' };
  await db('missed_slots').insert({ ...run, first_at: new Date(at(2)), last_at: new Date(at(21)) });
  const asked = `metric=checks&step=15m&from=${new Date(at(0)).toISOString()}`;
  const expected = [
    { ok: 1, degraded: 1, failed: 1, missed: 13 },
    { ok: 0, degraded: 0, failed: 0, missed: 7 },
    { ok: 1, degraded: 0, failed: 0, missed: 0 },
    { ok: null, degraded: null, failed: null, missed: null },
  ].map((counts, index) => ({ at: new Date(at(index * 15)).toISOString(), ...counts }));
  t.strictSame((await series(asked)).data.points, expected);
  await rollUp();
  t.strictSame((await series(asked)).data.points, expected);
  const ofOther = (await series(`${asked}&node_id=${other}`)).data;
  t.equal(ofOther.node_id, other);
  t.match(ofOther.points, [{ ok: 0, failed: 1, missed: 0 }, { ok: null }, { ok: 1 }, { ok: null }]);
  t.match(await api.call('GET', `/v1/monitors/${monitor.id}/timeseries?${asked}&node_id=${await insertNode(db)}`), {
    status: 404,
    body: { error: { code: 'NODE_NOT_FOUND' } },
  });
});

t.test('the fitting step is chosen, and one that makes too many points is refused', async (t) => {
  const { series } = await setUp();
  const cases = [
    ['', '15m', 96],
    ['&from=-16h', '1m', 960],
    ['&from=-10d', '15m', 960],
    ['&from=-40d', '1h', 960],
    ['&from=-42d', '1d', 43],
    ['&from=-20d&to=-475h', '15m', 20],
    ['&from=-100d&to=-2399h', '1h', 1],
    ['&from=-401d&to=-9620h', '1d', 1],
    ['&from=-3600d&step=1d', null, 0],
    ['&from=-16h&step=1m', '1m', 960],
    ['&from=-17h&step=1m', null, 0],
  ] as const;
  for (const [query, step, points] of cases) {
    const { data, error } = await series(`metric=checks${query}`);
    if (step === null) t.match(error, { code: 'VALIDATION_FAILED', details: { step: [{ code: 'range' }] } }, query);
    else t.strictSame([data?.step, data?.points.length], [step, points], `${query} ${JSON.stringify(error ?? '')}`);
  }
});

t.test('missed slots are counted in the bucket in which each would have begun', (t) => {
  const run = { first_at: new Date(1_000), last_at: new Date(10_000), slots: 4 };
  const counts = (fromMs: number, toMs: number) => slotsWithin(run, { fromMs, toMs });
  t.equal(counts(0, 20_000), 4);
  t.strictSame(
    [counts(0, 1_000), counts(1_000, 1_001), counts(1_001, 4_000), counts(4_000, 10_000), counts(10_000, 10_001)],
    [0, 1, 0, 2, 1],
  );
  t.equal(slotsWithin({ ...run, last_at: run.first_at, slots: 1 }, { fromMs: 1_000, toMs: 1_001 }), 1);
  t.equal(slotsWithin({ ...run, last_at: run.first_at, slots: 2 }, { fromMs: 0, toMs: 2_000 }), 2);
  t.end();
});
