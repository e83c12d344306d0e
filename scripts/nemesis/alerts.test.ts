import t from 'tap';
import { testDatabase } from '../_support/test-database.js';
import { SeededRandom } from '../seeded-random.js';
import type { AlertReceivers } from './alert-receivers.js';
import { Alerting } from './alerts.js';
import { Recorder } from './recorder.js';
import { startTargets } from './targets.js';
import type { World } from './world.js';

t.test('every channel is notified of an event, unless late checks created it when it was over', async (t) => {
  const db = await testDatabase(t);
  await db.raw(`
    INSERT INTO owners (id, kind, plan) VALUES ('u_1', 'user', 'free');
    INSERT INTO users (id, email, role) VALUES ('u_1', 'o@example.com', 'user');
    INSERT INTO monitors (id, owner_id, created_by, name, type, target, interval_s, config, node_selection, node_count,
        consecutive_fail, consecutive_ok, fail_node_quorum)
      VALUES ('mon_1', 'u_1', 'u_1', 'breaks', 'http', 'http://127.0.0.1', 10, '{}', '{}', 1, 1, 1, 'majority');
    INSERT INTO monitor_events (id, monitor_id, type, started_at, ended_at, was_told, backfilled)
      VALUES ('mev_missed', 'mon_1', 'down', now() - interval '1 min', now(), true, false),
        ('mev_late', 'mon_1', 'down', now() - interval '1 hour', now() - interval '50 min', false, true)`);
  const targets = await startTargets();
  t.teardown(() => targets.stop());
  const database = { query: async (sql: string) => (await db.raw<{ rows: object[] }>(sql)).rows };
  const receivers = { channels: [{ name: 'Hook' }, { name: 'Group' }], taken: [] };
  const alerting = new Alerting({
    // the parts of a world that are read at the end
    world: { database } as unknown as World,
    receivers: receivers as unknown as AlertReceivers,
    targets,
    random: new SeededRandom(1),
  });
  const end = new Recorder(`${t.testdir()}/end.jsonl`);
  await alerting.read(end);
  const episodes = end.records.filter(({ type }) => type === 'episode');
  t.match(episodes, [
    { alertId: 'mev_missed', channel: 'Hook' },
    { alertId: 'mev_missed', channel: 'Group' },
  ]);
  t.equal(episodes.length, 2);
});
