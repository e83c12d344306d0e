import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import t, { type Test } from 'tap';
import { holdsNobodyUp } from './_support/longest-turn.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';
import { insertMonitor } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

// what else a caller's input makes the program do: bounded-work.long.test.ts

const DAY_MS = 86_400_000;
const ago = (ms: number) => new Date(Date.now() - ms);
const from = ago(3_650 * DAY_MS).toISOString();

const stack = await startStack(t);
const { api, controlPlane } = stack;
const { db } = stack.database;
let users = 0;

/** An account with daily windows that began ten years ago, each in a zone of its own, and monitors. */
async function setUp(windows: number) {
  const api = await createUserApi(controlPlane, `user${++users}@test.example`, 'user');
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
  await db('maintenance_windows').insert(
    Array.from({ length: windows }, (_, index) => ({
      id: newId(idPrefixes.maintenanceWindow),
      owner_id: api.userId,
      created_by: api.userId,
      scope_type: 'all',
      scope_ids: [],
      starts_at: ago((3_650 - index / windows) * DAY_MS),
      ends_at: ago((3_650 - index / windows) * DAY_MS - 60_000),
      recurrence: 'daily',
      timezone: zones[(index * 4) % zones.length],
      advance_notice_minutes: 0,
    })),
  );
  /** A monitor that was first checked the given number of days ago. */
  const monitor = async (days: number) => {
    const { id } = await insertMonitor(db, [], {
      owner_id: api.userId,
      config: { port: 9 },
      node_selection: { limit: 1, spread: 'asn' },
    });
    await db('monitor_states')
      .where({ monitor_id: id })
      .update({ first_check_at: ago(days * DAY_MS) });
    return id;
  };
  return { api, monitor };
}

/** Reads all of these without holding the event loop. */
function readsInTurns(t: Test, api: TestApi, path: string): Promise<void> {
  return holdsNobodyUp(t, path.replace(/m_\w+|from=.*/g, '…'), async () => {
    const { status, body } = await api.call('GET', path);
    t.equal(status, 200, JSON.stringify(body.error?.details));
  });
}

t.test('reading the uptime does not hold the event loop, however long ago windows began', async (t) => {
  const { api, monitor } = await setUp(50);
  await readsInTurns(t, api, `/v1/monitors/${await monitor(0)}/uptime?from=${from}`);
});

t.test('the greatest number of windows of an account does not hold the event loop in any read', async (t) => {
  const { api, monitor } = await setUp(100);
  const id = await monitor(190);
  const path = `/v1/monitors/${id}/uptime?from=${from}`;
  await readsInTurns(t, api, path);
  await holdsNobodyUp(t, 'three at once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => api.call('GET', path)));
    t.same(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
  });
  for (let count = 1; count < 100; count += 1) await monitor(30);
  await readsInTurns(t, api, '/v1/monitors?limit=100');
});

t.test('more occurrences than the limit are refused, with a hint what to send instead', async (t) => {
  const { api, monitor } = await setUp(100);
  const path = `/v1/monitors/${await monitor(1_800)}/uptime`;
  const { status, body } = await api.call('GET', `${path}?from=${from}`);
  t.match([status, body.error], [422, { code: 'VALIDATION_FAILED', details: { from: [{ code: 'range' }] } }]);
  t.match(body.error.details.from[0].message, /at most 20000 are measured: send a later instant/);
  t.equal((await api.call('GET', `${path}?from=-180d`)).status, 200);
});

t.test('a list of tasks whose results take megabytes is refused before they are read', async (t) => {
  const node = await insertNode(db);
  const spec = { target: 'example.com', params: {} };
  const result = JSON.stringify(failedResult('http', spec as never, { code: 'timeout', message: 'x'.repeat(50_000) }));
  for (let count = 0; count < 10; count += 1) {
    const now = Date.now();
    const [id = '', ...nodeTaskIds] = Array.from({ length: 51 }, () => newId(idPrefixes.probeTask, now)).sort();
    await db('probe_tasks').insert({
      id,
      owner_id: api.userId,
      probe_type: 'http',
      target: spec.target,
      spec,
      created_at: ago(0),
    });
    await db.raw(
      `INSERT INTO probe_node_tasks (id, task_id, node_id, probe_type, expires_at, state, result, success, finished_at)
       SELECT n, ?, ?, 'http', now(), 'done', ?::json, false, now() FROM unnest(?::text[]) n`,
      [id, node, result, nodeTaskIds],
    );
  }
  await holdsNobodyUp(t, 'a page of 25 MB', async () => {
    const { status, body } = await api.call('GET', '/v1/probe/tasks');
    t.match([status, body.error?.details], [422, { limit: [{ code: 'range', message: /send a smaller limit/ }] }]);
  });
  t.equal((await api.call('GET', '/v1/probe/tasks?limit=200')).status, 422);
});
