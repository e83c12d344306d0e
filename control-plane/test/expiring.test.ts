import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { expiryWatch } from '../src/modules/monitors/checks/expiry-watch.js';
import { createTestDatabase } from './_support/database.js';
import { keepEvents } from './_support/kept-events.js';
import { insertMonitor } from './_support/stored-monitor.js';

const DAY_MS = 86_400_000;

/** A monitor of something that expires, the measurements of its checks, and two replicas that look for expiry. */
async function anExpiring(t: Test, type: string, config: object = {}) {
  const { db } = await createTestDatabase(t);
  await keepEvents(db);
  const clock = new FakeClock(Date.now());
  const monitor = await insertMonitor(db, [], { type, config: { warn_days: 14, critical_days: 3, ...config } });
  const replicas = [1, 2].map(() => expiryWatch({ db, clock, log: pino({ level: 'silent' }) }));
  let checks = 0;
  return {
    db,
    clock,
    monitor,
    measure: async (details: object, minutesAgo = 0) => {
      checks += 1;
      const at = new Date(Date.now() - minutesAgo * 60_000 + checks);
      await db('check_details').insert({ at, monitor_key: monitor.key, node_key: 1, details });
      await Promise.all(replicas.map((replica) => replica.run()));
    },
    published: async () =>
      (await db('outbox').orderBy('id')).map(({ kind, payload }) => `${kind} ${payload.threshold_days}`),
  };
}

t.test('an expiring certificate is announced once per threshold and date', async (t) => {
  const { db, clock, monitor, measure, published } = await anExpiring(t, 'ssl_expiry', { warn_days: 4 });
  const after = (days: number) => new Date(clock.now() + days * DAY_MS).toISOString();
  await measure({ not_after: after(5.5) });
  t.same(await published(), []);
  const first = after(4.5);
  await measure({ not_after: first });
  await measure({ not_after: first });
  t.match(await db('outbox'), [
    {
      kind: 'ssl.expiring',
      subject: monitor.id,
      owner_id: monitor.userId,
      is_test: false,
      payload: { monitor: { id: monitor.id }, expires_at: first, days_left: 4, threshold_days: 4 },
    },
  ]);
  t.equal((await published()).length, 1);
  await measure({ not_after: null, error: 'no connection' });
  clock.advance(0.9 * DAY_MS);
  await measure({ not_after: first });
  t.same(await published(), ['ssl.expiring 4', 'ssl.expiring 3']);
  await measure({ not_after: after(90) });
  t.equal((await published()).length, 2, 'a renewed one is far from its end');
  await measure({ not_after: after(2) });
  t.same((await published()).slice(2), ['ssl.expiring 3'], 'of two thresholds passed at once the nearer is announced');
  await measure({ not_after: after(90), ends_first: { not_after: after(1) } });
  t.same((await published()).slice(3), ['ssl.expiring 3'], 'an authority that ends first counts');
});

t.test('an expiring domain is announced by the date of its registry, at the thresholds of its monitor', async (t) => {
  const { db, clock, measure, published } = await anExpiring(t, 'domain_expiry', { warn_days: 30, critical_days: 30 });
  const day = new Date(clock.now() + 20 * DAY_MS).toISOString().slice(0, 10);
  await measure({ expires_at: day });
  await measure({ expires_at: day });
  t.same(await published(), ['domain.expiring 30']);
  t.match((await db('outbox').first()).payload, { expires_at: `${day}T00:00:00.000Z` });
});

t.test('old measurements, and those of a paused monitor or of another type, announce nothing', async (t) => {
  const { db, clock, measure, published } = await anExpiring(t, 'ssl_expiry');
  const soon = new Date(clock.now() + DAY_MS).toISOString();
  await measure({ not_after: soon }, 26 * 60);
  await db('monitors').update({ status: 'paused' });
  await measure({ not_after: soon });
  await db('monitors').update({ status: 'active', type: 'http' });
  await measure({ not_after: soon });
  t.same(await published(), []);
});
