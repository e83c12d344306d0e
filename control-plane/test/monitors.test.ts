import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { CheckingNode } from './_support/checking-node.js';
import { keepEvents, monitorEvents } from './_support/kept-events.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

const { api: administrator, controlPlane, database } = await startStack(t);
const { db } = database;
await keepEvents(db);
const nodes: CheckingNode[] = [];
for (const asn of [1, 2, 3]) nodes.push(await CheckingNode.join(t, administrator, { asn }));
const [node, other] = nodes as [CheckingNode, CheckingNode];
let owners = 0;
const anOwner = () => createUserApi(controlPlane, `owner${owners++}@test.example`, 'user');

const tcp = { type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };
/** Only `node` checks it. */
const alone = { node_selection: { node_ids: [node.nodeId] } };

async function makeMonitor(api: TestApi, fields: object = {}) {
  const { status, body } = await api.call('POST', '/v1/monitors', { body: { name: 'Shop', ...tcp, ...fields } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

async function read(api: TestApi, path: string) {
  return (await api.call('GET', path)).body.data;
}

async function becomes(api: TestApi, id: string, current: string) {
  await until(`${id} to be ${current}`, async () => (await read(api, `/v1/monitors/${id}`)).current_status === current);
}

t.test('the verdict of two of three nodes decides, and creates an event, an outbox row and a mail', async (t) => {
  const api = await anOwner();
  const made = await makeMonitor(api);
  t.match(made, { status: 'active', current_status: 'unknown', node_count: 3, uptime_percent: null, advisory: null });
  t.same(made.assigned_node_ids, nodes.map(({ nodeId }) => nodeId).sort());
  for (const node of nodes) {
    const { spec } = await node.waitForAssignment(made.id);
    t.match(spec, { type: 'tcp', target: '127.0.0.1:9', interval_s: 60, consecutive_fail: 2, consecutive_ok: 1 });
    node.check(made.id);
  }
  await becomes(api, made.id, 'up');
  const [first, second, third] = nodes;
  first?.check(made.id, 'failed');
  await until('an advisory', async () => (await read(api, `/v1/monitors/${made.id}`)).advisory !== null);
  t.match(await read(api, `/v1/monitors/${made.id}`), {
    current_status: 'up',
    advisory: { failing_nodes: [first?.nodeId] },
  });
  const deciding = second?.check(made.id, 'failed');
  await becomes(api, made.id, 'down');
  const [listed] = (await read(api, '/v1/monitors')).items;
  const badge = await fetch(made.badge_url);
  third?.check(made.id);
  const { items, total } = await read(api, `/v1/monitors/${made.id}/events`);
  t.equal(total, 1);
  t.match(items[0], {
    type: 'down',
    started_at: new Date(deciding?.slot_ms ?? 0).toISOString(),
    ended_at: null,
    reason: '2 of 3 nodes: tcp_refused: nobody listens there',
    affected_nodes: [first?.nodeId, second?.nodeId].sort(),
  });
  t.match(listed, { reason: items[0].reason, state_since: items[0].started_at, badge_url: made.badge_url });
  t.match(await badge.text(), /tcp: down/);
  first?.check(made.id);
  await becomes(api, made.id, 'up');
  t.match(await read(api, `/v1/monitor-events/${items[0].id}`), { ended_at: String, duration_sec: Number });
  t.match(await monitorEvents(db).where({ subject: made.id }).pluck('kind'), ['monitor.down', 'monitor.up']);
  t.match((await read(api, `/v1/monitors/${made.id}`)).uptime_percent < 100, true);
});

t.test('checks are listed newest first, of all nodes, page by page', async (t) => {
  const api = await anOwner();
  const { id } = await makeMonitor(api, alone);
  await db('monitors')
    .where({ id })
    .update({ created_at: new Date(0) });
  await node.waitForAssignment(id);
  const at = Date.now() - 60_000;
  for (let i = 0; i < 5; i += 1) node.check(id, { slot_ms: at + i * 1_000, outcome: 'ok' });
  node.check(id, { slot_ms: at + 5_000, outcome: 'failed', status_code: 503, response_ms: 7 });
  await until('the checks', async () => (await read(api, `/v1/monitors/${id}/checks`)).length === 6);
  const { body } = await api.call('GET', `/v1/monitors/${id}/checks?limit=4`);
  t.match(body.data[0], {
    monitor_id: id,
    node_id: node.nodeId,
    success: false,
    outcome: 'failed',
    status_code: 503,
    response_ms: 7,
    error: 'tcp_refused: nobody listens there',
    error_code: 'tcp_refused',
    started_at: new Date(at + 5_003).toISOString(),
  });
  const { next_cursor } = body.meta.pagination;
  const rest = await api.call('GET', `/v1/monitors/${id}/checks?limit=4&cursor=${next_cursor}`);
  t.equal(rest.body.data.length, 2);
  t.equal(rest.body.meta.pagination.has_more, false);
  t.equal(new Set([...body.data, ...rest.body.data].map(({ id }: { id: string }) => id)).size, 6);
});

t.test('checks of a monitor that is not assigned to the node are not stored', async (t) => {
  const api = await anOwner();
  const { id } = await makeMonitor(api, alone);
  const { generation } = await node.waitForAssignment(id);
  other.check(id, { outcome: 'failed', generation });
  other.deliver('check', { nonsense: true });
  node.check(id);
  await until('the check', async () => (await read(api, `/v1/monitors/${id}/checks`)).length === 1);
  await becomes(api, id, 'up');
  const { key } = await db('nodes').where({ id: other.nodeId }).first();
  t.same(
    await db('monitor_checks').where({ node_key: key, monitor_key: db('monitors').select('key').where({ id }) }),
    [],
  );
  t.equal(other.peer.isOpen, true);
});

t.test(
  'pausing takes a monitor from its nodes, ends its event and forgets its state; resuming gives it back',
  async (t) => {
    const api = await anOwner();
    const { id } = await makeMonitor(api, alone);
    await node.waitForAssignment(id);
    node.check(id, 'failed');
    await becomes(api, id, 'down');
    t.match((await api.call('POST', `/v1/monitors/${id}/pause`)).body, { data: { id, status: 'paused' } });
    t.match(await read(api, `/v1/monitors/${id}`), {
      status: 'paused',
      current_status: 'unknown',
      next_check_at: null,
    });
    t.match((await read(api, `/v1/monitors/${id}/events`)).items, [{ ended_at: String }]);
    await until('the node to drop it', () => !node.assignments.has(id));
    t.equal((await api.call('POST', `/v1/monitors/${id}/resume`)).status, 200);
    await node.waitForAssignment(id);
    t.match(await read(api, `/v1/monitors/${id}`), { status: 'active', current_status: 'unknown' });
  },
);

t.test('a change of what is checked begins again under another generation; a new name does not', async (t) => {
  const api = await anOwner();
  const { id } = await makeMonitor(api, alone);
  const { generation } = await node.waitForAssignment(id);
  await api.call('PATCH', `/v1/monitors/${id}`, { body: { name: 'Other', tags: ['B', 'a', 'b'] } });
  t.match(await read(api, `/v1/monitors/${id}`), { name: 'Other', tags: ['a', 'b'] });
  t.equal(node.assignments.get(id)?.generation, generation);
  await api.call('PATCH', `/v1/monitors/${id}`, { body: { target: '127.0.0.1:10' } });
  t.match((await node.waitForAssignment(id, generation)).spec, { target: '127.0.0.1:10' });
});

t.test('a deleted monitor is gone with its events, and its nodes drop it', async (t) => {
  const api = await anOwner();
  const { id } = await makeMonitor(api, alone);
  await node.waitForAssignment(id);
  node.check(id, 'failed');
  await becomes(api, id, 'down');
  const [event] = (await read(api, `/v1/monitors/${id}/events`)).items;
  t.equal((await api.call('DELETE', `/v1/monitors/${id}`)).status, 200);
  await until('the node to drop it', () => !node.assignments.has(id));
  t.equal((await api.call('GET', `/v1/monitors/${id}`)).body.error.code, 'MONITOR_NOT_FOUND');
  t.equal((await api.call('GET', `/v1/monitor-events/${event.id}`)).body.error.code, 'NOT_FOUND');
});

t.test(
  'secrets of settings are sealed, shown as asterisks, kept when sent back like that, and reach the nodes',
  async (t) => {
    const api = await anOwner();
    const config = {
      auth: { type: 'basic', username: 'ada', password: 'lovelace' },
      headers: { 'X-Api-Key': 'k-123', Accept: 'a/b' },
    };
    const { id, config: shown } = await makeMonitor(api, {
      ...alone,
      type: 'https',
      target: 'https://127.0.0.1/',
      config,
    });
    t.match(shown, {
      auth: { username: 'ada', password: '********' },
      headers: { 'X-Api-Key': '********', Accept: 'a/b' },
    });
    const { generation, spec } = await node.waitForAssignment(id);
    t.match(spec.config, config);
    const stored = JSON.stringify(await db('monitors').where({ id }));
    t.notMatch(stored, /lovelace|k-123/);
    const timeout_ms = 2_000;
    const { body } = await api.call('PATCH', `/v1/monitors/${id}`, { body: { config: { ...shown, timeout_ms } } });
    t.match(body.data.config, { timeout_ms, auth: { password: '********' } });
    t.match((await node.waitForAssignment(id, generation)).spec.config, { ...config, timeout_ms });
  },
);

t.test('a deleted account takes its monitors with it, and nodes of others drop them', async (t) => {
  const { api, controlPlane, database } = await startStack(t, {}, systemClock);
  const node = await CheckingNode.join(t, api);
  const user = await createUserApi(controlPlane, 'ada@test.example', 'user');
  const { id } = await makeMonitor(user);
  await node.waitForAssignment(id);
  t.equal((await api.call('GET', `/v1/monitors/${id}`)).status, 404, 'for others it does not even exist');
  await controlPlane.services.accounts.users.delete(user.userId, commandLine);
  await until('the node to drop it', () => !node.assignments.has(id));
  t.same(await database.db('monitors').pluck('id'), []);
});

t.test('invalid input names the field and the error', async (t) => {
  const api = await anOwner();
  await makeMonitor(api);
  const cases: readonly [object, number, string, string | null, string?][] = [
    [{ name: 'Shop' }, 409, 'MONITOR_NAME_TAKEN', null],
    [{ interval_s: 17 }, 400, 'MONITOR_INVALID_INTERVAL', 'interval_s'],
    [{ interval_s: 60, interval_sec: 300 }, 400, 'VALIDATION_FAILED', 'interval_sec'],
    [{ alert_policy_id: 'ap_1' }, 400, 'VALIDATION_FAILED', 'alert_policy_id'],
    [{ target: '192.168.0.1:80' }, 422, 'MONITOR_INVALID_TARGET', 'target'],
    [{ target: 'example.com' }, 400, 'VALIDATION_FAILED', 'config.port', 'required'],
    [{ target: 'example.com:80', config: { port: 81 } }, 400, 'VALIDATION_FAILED', 'config.port', 'conflict'],
    [{ config: { wrong: 1 } }, 400, 'VALIDATION_FAILED', 'config.wrong'],
    [{ trigger_rule: { wrong: 1 } }, 400, 'VALIDATION_FAILED', 'trigger_rule.wrong'],
    [{ trigger_rule: { fail_node_quorum: '3/2' } }, 400, 'VALIDATION_FAILED', 'trigger_rule.fail_node_quorum'],
    [{ group_id: 'mgr_1' }, 400, 'VALIDATION_FAILED', 'group_id'],
    [{ node_selection: { countries: ['AQ'] } }, 422, 'VALIDATION_FAILED', 'node_selection'],
    [{ node_count: 2, node_selection: { limit: 4 } }, 400, 'VALIDATION_FAILED', 'node_count'],
    [{ node_count: 5, nodes: { limit: 3 } }, 400, 'VALIDATION_FAILED', 'node_count'],
  ];
  for (const [fields, status, code, field, fieldCode] of cases) {
    const answer = await api.call('POST', '/v1/monitors', { body: { name: 'New', ...tcp, ...fields } });
    t.match([answer.status, answer.body.error?.code], [status, code], JSON.stringify(fields));
    if (field !== null) t.match(answer.body.error?.details?.[field], [{ code: fieldCode ?? String }], field);
  }
  t.equal((await read(api, '/v1/monitors')).total, 1);
});

t.test('a monitor is created or changed only with an alert policy of its account', async (t) => {
  const api = await anOwner();
  const refused = { status: 400, body: { error: { details: { alert_policy_id: [{ code: 'not_found' }] } } } };
  const made = await makeMonitor(api, { alert_policy_id: null });
  t.equal(made.alert_policy_id, null);
  for (const alert_policy_id of ['ap_1', 'x', '']) {
    const body = { ...tcp, name: 'Other', alert_policy_id };
    t.match(await api.call('POST', '/v1/monitors', { body }), refused, 'POST');
    const heartbeat = { name: 'Backup', type: 'heartbeat', alert_policy_id };
    t.match(await api.call('POST', '/v1/monitors', { body: heartbeat }), refused, 'POST of a heartbeat');
    t.match(await api.call('PATCH', `/v1/monitors/${made.id}`, { body: { alert_policy_id } }), refused, 'PATCH');
  }
  const changed = await api.call('PATCH', `/v1/monitors/${made.id}`, { body: { alert_policy_id: null } });
  t.equal(changed.body.data.alert_policy_id, null);
  t.equal((await read(api, '/v1/monitors')).total, 1);
});

t.test('the severities of a monitor’s alerts are those that it states, and the defaults otherwise', async (t) => {
  const api = await anOwner();
  const made = await makeMonitor(api);
  t.strictSame(made.alert_severity, { down: 'critical', degraded: 'warning' });
  const patch = (alert_severity: object) => api.call('PATCH', `/v1/monitors/${made.id}`, { body: { alert_severity } });
  t.strictSame((await patch({ down: 'info' })).body.data.alert_severity, { down: 'info', degraded: 'warning' });
  await patch({ degraded: 'critical' });
  t.strictSame((await read(api, `/v1/monitors/${made.id}`)).alert_severity, { down: 'info', degraded: 'critical' });
  const heartbeat = { name: 'Backup', type: 'heartbeat', alert_severity: { down: 'warning' } };
  const { body } = await api.call('POST', '/v1/monitors', { body: heartbeat });
  t.strictSame(body.data.alert_severity, { down: 'warning', degraded: 'warning' });
  const refused = (field: string, code: string) => ({
    status: 400,
    body: { error: { details: { [field]: [{ code }] } } },
  });
  t.match(await patch({ down: 'fatal' }), refused('alert_severity.down', 'enum'));
  t.match(await patch({ no_data: 'info' }), refused('alert_severity.no_data', 'unknown'));
});

t.test('types that this service does not check yet are refused as such, under every plan', async (t) => {
  const [unlimited, free] = [await anOwner(), await anOwner()];
  await db('owners').where({ id: free.userId }).update({ plan: 'free' });
  await db('users').where({ id: free.userId }).update({ email_verified_at: new Date() });
  for (const [plan, api] of Object.entries({ free, unlimited }))
    for (const type of ['llm_endpoint', 'tool_api', 'rag']) {
      const { status, body } = await api.call('POST', '/v1/monitors', { body: { name: 'New', ...tcp, type } });
      t.equal(status, 422, `${plan}: ${type}`);
      t.match(body.error, { code: 'VALIDATION_FAILED', details: { type: [{ code: 'not_supported' }] } }, type);
    }
});
