import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { noDataWatch } from '../src/modules/monitors/judging/no-data-watch.js';
import { LateMonitor } from './_support/late-monitor.js';

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** A monitor that was up and without data for `minutes`; and two replicas that look for such monitors. */
async function aSilentMonitor(t: Test, minutes: number) {
  const one = await LateMonitor.create(t, 60);
  for (const node of [0, 1, 2]) await one.arrive([one.make(node, 1, 'ok')]);
  await one.passUntil(20);
  const { db } = one;
  t.match(await db('monitor_states').first(), { health: 'unknown', first_check_at: Date });
  await db('monitor_states').update({ changed_at: ago(minutes) });
  const maintained = new Set<string>();
  const options = {
    db,
    clock: new FakeClock(),
    log: pino({ level: 'silent' }),
    maintenance: async () =>
      new Map([...maintained].map((id) => [id, { isNow: true, untilMs: null, endedAtMs: null }] as const)),
  };
  const replicas = [noDataWatch(options), noDataWatch(options)];
  const look = async () => void (await Promise.all(replicas.map((replica) => replica.run())));
  return { one, db, maintained, look };
}

const published = (db: Knex) => db('outbox').where({ kind: 'monitor.no_data' }).orderBy('id');

t.test('a monitor without data is announced after five minutes, once, and so is its end', async (t) => {
  const { one, db, look } = await aSilentMonitor(t, 4);
  await look();
  t.same(await published(db), []);
  await db('monitor_states').update({ changed_at: ago(6) });
  await look();
  await look();
  const { changed_at: since } = await db('monitor_states').first();
  const payload = { monitor: { id: one.monitor.id }, since: since.toISOString(), is_over: false };
  t.match(await published(db), [{ subject: one.monitor.id, owner_id: one.monitor.userId, payload }]);
  t.equal((await published(db)).length, 1);
  for (const node of [0, 1, 2]) await one.arrive([one.make(node, 21, 'ok')]);
  await one.passUntil(22);
  t.match(await db('monitor_states').first(), { health: 'up', no_data_at: null });
  t.match((await published(db))[1], { payload: { since: since.toISOString(), is_over: true } });
  t.equal((await published(db)).length, 2);
  await db('monitor_states').update({ health: 'unknown', changed_at: ago(16) });
  await look();
  t.equal((await published(db)).length, 3, 'and again the next time');
});

t.test(
  'missing data is not announced for a monitor that is new, paused, a heartbeat, in maintenance, or whose nodes lost their own network',
  async (t) => {
    const { one, db, maintained, look } = await aSilentMonitor(t, 16);
    const { id } = one.monitor;
    const [first] = await db('monitor_states').select('first_check_at');
    const states = (changes: object) => db('monitor_states').update(changes);
    const monitors = (changes: object) => db('monitors').update(changes);
    const cases: Record<string, readonly [() => unknown, () => unknown]> = {
      new: [() => states({ first_check_at: null }), () => states(first)],
      paused: [() => monitors({ status: 'paused' }), () => monitors({ status: 'active' })],
      heartbeat: [() => monitors({ type: 'heartbeat' }), () => monitors({ type: 'tcp' })],
      maintained: [() => maintained.add(id), () => maintained.clear()],
      'without a network': [
        () =>
          db('node_uplink_losses').insert(
            one.nodeIds.map((node_id) => ({ node_id, first_at: ago(16), last_at: ago(2) })),
          ),
        () => db('node_uplink_losses').where({ node_id: one.nodeIds[0] }).delete(),
      ],
    };
    for (const [name, [begin, end]] of Object.entries(cases)) {
      await begin();
      await look();
      t.same(await published(db), [], name);
      await end();
    }
    await look();
    t.equal((await published(db)).length, 1, 'one node that had its network is enough');
  },
);

t.test('monitors in maintenance delay none behind them', async (t) => {
  const { one, db, maintained, look } = await aSilentMonitor(t, 16);
  await db.raw(
    `INSERT INTO monitors (id, owner_id, created_by, name, type, target, interval_s, config, node_selection, node_count, consecutive_fail, consecutive_ok, fail_node_quorum)
     SELECT 'm_' || lpad(g::text, 4, '0'), owner_id, created_by, 'n' || g, type, target, interval_s, config, node_selection, node_count, 1, 1, '1'
     FROM monitors, generate_series(1, 250) g WHERE id = ?`,
    [one.monitor.id],
  );
  await db.raw(`INSERT INTO monitor_states (monitor_id, first_check_at, changed_at)
    SELECT id, now(), now() - interval '1 hour' FROM monitors WHERE id LIKE 'm_0%' AND length(id) = 6`);
  for (let n = 1; n < 250; n += 1) maintained.add(`m_${String(n).padStart(4, '0')}`);
  await look();
  t.same((await published(db)).map(({ subject }) => subject).sort(), ['m_0250', one.monitor.id].sort());
});
