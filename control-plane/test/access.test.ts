import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import type { Auth } from '../src/http/route.js';
import { accessOf, type Caller, documented, nameOf } from './_support/access.js';
import { asUser } from './_support/owners.js';
import { type Stack, startStack } from './_support/stack.js';
import { insertNode } from './_support/stored-node.js';
import { insertWebhookDelivery } from './_support/stored-webhook.js';

const probe: Auth = { kind: 'public', scope: 'probe' };
const readBack: Auth = { kind: 'public', scope: 'probe:read' };
const anybody: Auth = { kind: 'public' };
const unauthenticated: Auth = { kind: 'none' };
const account: Auth = { kind: 'scope', scope: 'account' };
const readMonitors: Auth = { kind: 'scope', scope: 'monitor:read' };
const readAlerts: Auth = { kind: 'scope', scope: 'alert:read' };
const writeAlerts: Auth = { kind: 'scope', scope: 'alert:write' };
const writeMonitors: Auth = { kind: 'scope', scope: 'monitor:write' };
const respond: Auth = { kind: 'scope', scope: 'monitor:write', respond: true };
const session: Auth = { kind: 'session' };
const admin: Auth = { kind: 'admin' };

/** Admission to an operation, and whether unverified accounts may call it although it changes something. */
type Expected = Auth & { readonly isOpenToUnverified?: true };

const open = (auth: Auth): Expected => ({ ...auth, isOpenToUnverified: true });

/** Admission to every documented operation. */
const expected: Readonly<Record<string, Expected>> = {
  'POST /v1/probe/http': open(probe),
  'POST /v1/probe/ping': open(probe),
  'POST /v1/probe/dns': open(probe),
  'POST /v1/probe/tcp': open(probe),
  'POST /v1/probe/traceroute': open(probe),
  'POST /v1/probe/mtr': open(probe),
  'POST /v1/probe/smtp': open(probe),
  'POST /v1/probe/ntp': open(probe),
  'POST /v1/probe/speedtest': open(probe),
  'POST /v1/probe/ssl': open(probe),
  'GET /v1/probe/tasks': { kind: 'scope', scope: 'probe:read' },
  'GET /v1/probe/tasks/{id}': readBack,
  'GET /v1/probe/tasks/{id}/events': readBack,
  'GET /v1/monitors': readMonitors,
  'POST /v1/monitors': writeMonitors,
  'GET /v1/monitors/{id}': readMonitors,
  'PATCH /v1/monitors/{id}': writeMonitors,
  'DELETE /v1/monitors/{id}': writeMonitors,
  'POST /v1/monitors/{id}/pause': writeMonitors,
  'POST /v1/monitors/{id}/resume': writeMonitors,
  'POST /v1/monitors/{id}/archive': writeMonitors,
  'POST /v1/monitors/{id}/test': writeMonitors,
  'GET /v1/monitors/{id}/checks': readMonitors,
  'GET /v1/monitors/{id}/pings': readMonitors,
  'GET /v1/monitors/{id}/events': readMonitors,
  'GET /v1/monitor-events': readMonitors,
  'GET /v1/monitor-events/{id}': readMonitors,
  'POST /v1/monitors/{id}/rotate-token': writeMonitors,
  'GET /v1/info/ip': readBack,
  'GET /v1/info/ip/me': readBack,
  'GET /v1/info/ssl': readBack,
  'GET /v1/info/whois': readBack,
  'GET /v1/info/dns': readBack,
  'GET /v1/info/icp': readBack,
  'POST /v1/diagnose': open(probe),
  'GET /v1/diagnose': { kind: 'scope', scope: 'probe:read' },
  'GET /v1/diagnose/{id}': readBack,
  'GET /v1/diagnose/{id}/events': readBack,
  'PATCH /v1/diagnose/{id}': open({ kind: 'scope', scope: 'probe' }),
  'DELETE /v1/diagnose/{id}': open({ kind: 'scope', scope: 'probe' }),
  'GET /v1/info/headers': readBack,
  'GET /v1/ip/reputation': readBack,
  'GET /v1/admin/lists': admin,
  'POST /v1/admin/lists/{name}/accept': admin,
  'GET /v1/domain-combo/preview': unauthenticated,
  'POST /v1/domain-combo/preview': unauthenticated,
  'GET /domain-combo/preview': unauthenticated,
  'GET /hb/{token}': unauthenticated,
  'POST /hb/{token}': unauthenticated,
  'GET /hb/{token}/start': unauthenticated,
  'POST /hb/{token}/start': unauthenticated,
  'GET /hb/{token}/fail': unauthenticated,
  'POST /hb/{token}/fail': unauthenticated,
  'GET /hb/{token}/{exit_code}': unauthenticated,
  'POST /hb/{token}/{exit_code}': unauthenticated,
  'GET /api/push/{token}': unauthenticated,
  'POST /api/push/{token}': unauthenticated,
  'GET /badge/{public_id}.svg': unauthenticated,
  'GET /v1/monitors/export': { kind: 'scope', scope: 'monitor:read' },
  'POST /v1/monitors/import': { kind: 'scope', scope: 'monitor:write' },
  'GET /v1/nodes': anybody,
  'GET /v1/nodes/{id}': anybody,
  'POST /v1/nodes/enroll': anybody,
  'POST /v1/nodes/enrollment-tokens': { ...account, handsOut: ['monitor:read', 'monitor:write', 'admin'] },
  'GET /v1/nodes/enrollment-tokens': account,
  'DELETE /v1/nodes/enrollment-tokens/{id}': account,
  'GET /v1/account/nodes': account,
  'PATCH /v1/account/nodes/{id}': account,
  'DELETE /v1/account/nodes/{id}': account,
  'POST /v1/account/nodes/{id}/rotate-key': account,
  'GET /v1/admin/nodes': admin,
  'PATCH /v1/admin/nodes/{id}': admin,
  'GET /v1/admin/nodes/{id}/audit': admin,
  'POST /v1/admin/nodes/{id}/upgrade': admin,
  'GET /v1/admin/rollouts': admin,
  'POST /v1/admin/rollouts': admin,
  'GET /v1/admin/rollouts/{id}': admin,
  'GET /v1/admin/rollouts/{id}/nodes': admin,
  'POST /v1/admin/rollouts/{id}/pause': admin,
  'POST /v1/admin/rollouts/{id}/resume': admin,
  'POST /v1/admin/rollouts/{id}/abort': admin,
  'POST /v1/admin/nodes/{id}/drain': admin,
  'POST /v1/admin/nodes/{id}/undrain': admin,
  'POST /v1/admin/nodes/{id}/ban': admin,
  'POST /v1/admin/nodes/{id}/unban': admin,
  'POST /v1/auth/register': open(anybody),
  'POST /v1/auth/login': open(anybody),
  'POST /v1/auth/login/confirm': open(anybody),
  'POST /v1/auth/refresh': open(anybody),
  'POST /v1/auth/logout': open(session),
  'POST /v1/auth/verify-email': open(anybody),
  'POST /v1/auth/verify-email/resend': open(account),
  'POST /v1/auth/password/forgot': open(anybody),
  'POST /v1/auth/password/reset': open(anybody),
  'POST /v1/auth/password/change': open(account),
  'GET /.well-known/jwks.json': anybody,
  'GET /v1/account/profile': account,
  'PATCH /v1/account/profile': open(account),
  'GET /v1/account/limits': account,
  'GET /v1/monitors/{id}/uptime': { kind: 'scope', scope: 'monitor:read' },
  'GET /v1/monitors/{id}/timeseries': { kind: 'scope', scope: 'monitor:read' },
  'DELETE /v1/account': open(account),
  'GET /v1/account/sessions': account,
  'DELETE /v1/account/sessions': open(account),
  'DELETE /v1/account/sessions/{id}': open(account),
  'GET /v1/account/api-keys': account,
  'POST /v1/account/api-keys': account,
  'DELETE /v1/account/api-keys/{id}': account,
  'GET /v1/account/tokens': account,
  'POST /v1/account/tokens': account,
  'DELETE /v1/account/tokens/{id}': account,
  'GET /v1/account/audit': account,
  'GET /v1/admin/audit': admin,
  'GET /v1/admin/jobs': admin,
  'POST /v1/admin/jobs/{id}/retry': admin,
  'DELETE /v1/admin/jobs/{id}': admin,
  'POST /v1/monitor-events/{id}/ack': respond,
  'POST /v1/monitor-events/{id}/resolve': respond,
  'POST /v1/monitor-events/{id}/false-positive': respond,
  'POST /v1/monitor-events/{id}/notes': respond,
  'GET /v1/monitor-groups': readMonitors,
  'GET /v1/monitor-groups/{id}': readMonitors,
  'POST /v1/monitor-groups': writeMonitors,
  'PATCH /v1/monitor-groups/{id}': writeMonitors,
  'DELETE /v1/monitor-groups/{id}': writeMonitors,
  'GET /v1/maintenance-windows': readMonitors,
  'POST /v1/maintenance-windows': writeMonitors,
  'GET /v1/maintenance-windows/{id}': readMonitors,
  'PATCH /v1/maintenance-windows/{id}': writeMonitors,
  'DELETE /v1/maintenance-windows/{id}': writeMonitors,
  'GET /v1/webhooks': readAlerts,
  'POST /v1/webhooks': writeAlerts,
  'GET /v1/webhooks/event-types': readAlerts,
  'GET /v1/webhooks/{id}': readAlerts,
  'PATCH /v1/webhooks/{id}': writeAlerts,
  'DELETE /v1/webhooks/{id}': writeAlerts,
  'POST /v1/webhooks/{id}/rotate-secret': writeAlerts,
  'POST /v1/webhooks/{id}/test': writeAlerts,
  'POST /v1/webhooks/{id}/recover': writeAlerts,
  'GET /v1/webhooks/{id}/deliveries': readAlerts,
  'GET /v1/webhooks/deliveries/{id}': readAlerts,
  'POST /v1/webhooks/deliveries/{id}/redeliver': writeAlerts,
  'GET /v1/alert-channels': readAlerts,
  'POST /v1/alert-channels': writeAlerts,
  'GET /v1/alert-channels/{id}': readAlerts,
  'PATCH /v1/alert-channels/{id}': writeAlerts,
  'DELETE /v1/alert-channels/{id}': writeAlerts,
  'POST /v1/alert-channels/{id}/test': writeAlerts,
  'POST /v1/alert-channels/{id}/verify': writeAlerts,
  'POST /v1/alert-channels/{id}/resume-monitor': writeAlerts,
  'GET /v1/alert-policies': readAlerts,
  'POST /v1/alert-policies': writeAlerts,
  'GET /v1/alert-policies/{id}': readAlerts,
  'PATCH /v1/alert-policies/{id}': writeAlerts,
  'DELETE /v1/alert-policies/{id}': writeAlerts,
  'GET /v1/alert-silences': readAlerts,
  'POST /v1/alert-silences': writeAlerts,
  'GET /v1/alert-silences/{id}': readAlerts,
  'PATCH /v1/alert-silences/{id}': writeAlerts,
  'DELETE /v1/alert-silences/{id}': writeAlerts,
  'GET /v1/alert-groups': readAlerts,
  'POST /v1/alert-groups': writeAlerts,
  'GET /v1/alert-groups/{id}': readAlerts,
  'PATCH /v1/alert-groups/{id}': writeAlerts,
  'DELETE /v1/alert-groups/{id}': writeAlerts,
  'GET /v1/alert-events': readAlerts,
  'GET /v1/alert-events/{id}': readAlerts,
  'POST /v1/alert-events/{id}/acknowledge': writeAlerts,
  'POST /v1/alert-events/{id}/resolve': writeAlerts,
  'GET /v1/alert-deliveries': readAlerts,
  'GET /v1/alert-deliveries/{id}': readAlerts,
  'POST /v1/alert-deliveries/{id}/retry': writeAlerts,
};

t.test('every documented operation declares who may call it', async (t) => {
  t.strictSame(new Set(documented.map(nameOf)), new Set(Object.keys(expected)));
  for (const route of documented) {
    const { isOpenToUnverified, ...auth } = expected[nameOf(route)] as Expected;
    t.strictSame(route.auth, auth, nameOf(route));
    t.equal(route.isOpenToUnverified, isOpenToUnverified, `${nameOf(route)}: unverified accounts`);
  }
});

const stack = await startStack(t, { VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32' });
const { all, call, credentialsOf, checkAll } = accessOf(stack);

// every operation by every caller: access.long.test.ts
t.test('every operation admits the callers it declares, and refuses all others with the right code', async (t) => {
  const called = new Set<string>();
  // every caller calls one operation of each admission, and every operation is called without credentials and by one
  // caller, in turn
  await checkAll(t, (route, caller, turn) => {
    const { auth, isOpenToUnverified, method } = route;
    const rest = caller.isVerified ? [] : [isOpenToUnverified, method === 'GET'];
    const pair = JSON.stringify([all.indexOf(caller), auth, ...rest]);
    const isFirst = !called.has(pair);
    called.add(pair);
    return isFirst || caller.kind === 'none' || turn === 0;
  });
});

t.test('resources of another account do not exist, for any operation', async (t) => {
  const foreign = await makeForeign(stack);
  const stranger = all.find(({ name }) => name === 'a session') as Caller;
  for (const route of documented.filter(({ path }) => path.includes('{'))) {
    if (route.auth.kind === 'admin') continue;
    const prefix = route.path.slice(0, route.path.indexOf('/{'));
    const id = foreign[prefix];
    if (id === 'public') continue;
    if (id === undefined) t.fail(`${nameOf(route)}: this test does not know a resource of another account`);
    else t.match(await call(route, await credentialsOf(stranger), id), /^404 /, nameOf(route));
  }
});

/** Ids of resources of one account, by their path. `public`: not owned by an account. */
async function makeForeign({ api, controlPlane, database }: Stack): Promise<Record<string, string>> {
  const owner = api.userId;
  const { accounts, tokens } = controlPlane.services;
  const client = { address: '192.0.2.1', userAgent: null };
  const opened = await database.db.transaction((trx) =>
    accounts.sessions.open(trx, owner, { methods: ['password'], client }),
  );
  const grantor = asUser(owner);
  const { id: keyId } = await tokens.apiKeys.create(grantor, { name: 'theirs' }, commandLine);
  const { id: tokenId } = await tokens.personal.create(grantor, { name: 'theirs' }, commandLine);
  const enrollment = await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} });
  const nodeId = await insertNode(database.db, { owner_id: owner });
  const taskId = newId(idPrefixes.probeTask);
  await database.db('probe_tasks').insert({
    id: taskId,
    owner_id: owner,
    probe_type: 'http',
    target: 'https://example.com/',
    spec: '{}',
    created_at: new Date(),
  });
  const reportId = newId(idPrefixes.diagnoseReport);
  const empty = { is_test: false, shared: false, scope: ['ping'], node_ids: [], tasks: '{}', cost: 0 };
  const times = { created_at: new Date(), ends_at: new Date() };
  const report = { id: reportId, owner_id: owner, target: 'example.com', status: 'failed' };
  await database.db('diagnose_reports').insert({ ...report, ...empty, ...times });
  const [monitorId, eventId] = [newId(idPrefixes.monitor), newId(idPrefixes.monitorEvent)];
  await database.db('monitors').insert({
    id: monitorId,
    owner_id: owner,
    created_by: owner,
    name: 'theirs',
    type: 'tcp',
    target: '192.0.2.1:80',
    interval_s: 60,
    config: '{}',
    node_selection: '{}',
    node_count: 3,
    consecutive_fail: 2,
    consecutive_ok: 1,
    fail_node_quorum: '2/3',
  });
  await database.db('monitor_states').insert({ monitor_id: monitorId });
  const event = { id: eventId, monitor_id: monitorId, type: 'down', started_at: new Date() };
  await database.db('monitor_events').insert(event);
  const group = await api.call('POST', '/v1/monitor-groups', { body: { name: 'theirs' } });
  const window = await api.call('POST', '/v1/maintenance-windows', {
    body: {
      scope_type: 'all',
      starts_at: new Date().toISOString(),
      ends_at: new Date(Date.now() + 60_000).toISOString(),
    },
  });
  const webhook = await api.call('POST', '/v1/webhooks', { body: { url: 'http://127.0.0.1:8099/', events: ['*'] } });
  const webhookId: string = webhook.body.data.endpoint.id;
  const delivery = await insertWebhookDelivery(database.db, { ownerId: owner, endpointId: webhookId });
  const channel = await api.call('POST', '/v1/alert-channels', {
    body: { name: 'theirs', type: 'webhook', config: { url: 'http://127.0.0.1:8080/' } },
  });
  const test = await api.call('POST', `/v1/alert-channels/${channel.body.data.id}/test`, { body: {} });
  const alertId = newId(idPrefixes.alertEvent);
  await database.db('alerts').insert({
    id: alertId,
    owner_id: owner,
    is_test: false,
    policy_id: 'ap_1',
    policy_name: 'theirs',
    monitor_id: monitorId,
    monitor_name: 'theirs',
    monitor_type: 'tcp',
    monitor_target: '192.0.2.1:80',
    monitor_tags: [],
    status: 'firing',
    type: 'down',
    severity: 'critical',
    started_at: new Date(),
    created_at: new Date(),
    affected_nodes: [],
    awaits_up: false,
    state: '{}',
    changes: 1,
  });
  const rules = [{ channels: [{ channel_id: channel.body.data.id }] }];
  const policy = await api.call('POST', '/v1/alert-policies', { body: { name: 'theirs', rules } });
  const silence = await api.call('POST', '/v1/alert-silences', { body: { reason: 'theirs', duration_sec: 60 } });
  const ruled = { name: 'theirs', group_by: 'tag', group_value: 'eu' };
  const alertGroup = await api.call('POST', '/v1/alert-groups', { body: ruled });
  return {
    '/v1/webhooks': webhookId,
    '/v1/webhooks/deliveries': delivery,
    '/v1/alert-channels': channel.body.data.id,
    '/v1/alert-policies': policy.body.data.id,
    '/v1/alert-silences': silence.body.data.id,
    '/v1/alert-groups': alertGroup.body.data.id,
    '/v1/alert-events': alertId,
    '/v1/alert-deliveries': test.body.data.delivery.id,
    '/v1/monitors': monitorId,
    '/v1/monitor-events': eventId,
    '/v1/monitor-groups': group.body.data.id,
    '/v1/maintenance-windows': window.body.data.id,
    '/v1/account/sessions': opened.sessionId,
    '/v1/account/api-keys': keyId,
    '/v1/account/tokens': tokenId,
    '/v1/nodes/enrollment-tokens': enrollment.body.data.id,
    '/v1/probe/tasks': taskId,
    '/v1/diagnose': reportId,
    '/v1/account/nodes': nodeId,
    '/v1/nodes': 'public',
    '/hb': 'public',
    '/api/push': 'public',
    '/badge': 'public',
  };
}
