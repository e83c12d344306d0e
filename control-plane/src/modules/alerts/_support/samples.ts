import type { AlertState } from '@vantage/shared/alerts/alert.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { defaultChannelOf, type RowOwner, type Samples, scope } from '../../../../test/_support/samples.js';

const readAlerts = scope('alert:read');
const writeAlerts = scope('alert:write');

export const samples: Samples = {
  operations: {
    'GET /v1/alert-channels': { callers: readAlerts },
    'POST /v1/alert-channels': {
      callers: writeAlerts,
      body: ({ text }) => ({ name: text, type: 'webhook', config: { url: 'https://hooks.example.com/' } }),
    },
    'GET /v1/alert-channels/{id}': { callers: readAlerts },
    'PATCH /v1/alert-channels/{id}': { callers: writeAlerts, body: () => ({ enabled: false }) },
    'DELETE /v1/alert-channels/{id}': { callers: writeAlerts },
    'POST /v1/alert-channels/{id}/test': { callers: writeAlerts },
    'POST /v1/alert-channels/{id}/verify': { callers: writeAlerts },
    'POST /v1/alert-channels/{id}/resume-monitor': { callers: writeAlerts },
    'GET /v1/alert-policies': { callers: readAlerts },
    'POST /v1/alert-policies': {
      callers: writeAlerts,
      body: ({ text, userId }) => ({ name: text, rules: [{ channels: [{ channel_id: defaultChannelOf(userId) }] }] }),
    },
    'GET /v1/alert-policies/{id}': { callers: readAlerts },
    'PATCH /v1/alert-policies/{id}': { callers: writeAlerts, body: () => ({ enabled: false }) },
    'DELETE /v1/alert-policies/{id}': { callers: writeAlerts },
    'GET /v1/alert-silences': { callers: readAlerts },
    'POST /v1/alert-silences': { callers: writeAlerts, body: ({ text }) => ({ reason: text, duration_sec: 3_600 }) },
    'GET /v1/alert-silences/{id}': { callers: readAlerts },
    'PATCH /v1/alert-silences/{id}': { callers: writeAlerts, body: () => ({ reason: 'More work' }) },
    'DELETE /v1/alert-silences/{id}': { callers: writeAlerts },
    'GET /v1/alert-groups': { callers: readAlerts },
    'POST /v1/alert-groups': {
      callers: writeAlerts,
      body: ({ text }) => ({ name: text, group_by: 'tag', group_value: text }),
    },
    'GET /v1/alert-groups/{id}': { callers: readAlerts },
    'PATCH /v1/alert-groups/{id}': { callers: writeAlerts, body: () => ({ wait_seconds: 60 }) },
    'DELETE /v1/alert-groups/{id}': { callers: writeAlerts },
    'GET /v1/alert-deliveries': { callers: readAlerts },
    'GET /v1/alert-deliveries/{id}': { callers: readAlerts },
    'POST /v1/alert-deliveries/{id}/retry': { callers: writeAlerts },
    'GET /v1/alert-events': { callers: readAlerts },
    'GET /v1/alert-events/{id}': { callers: readAlerts },
    'POST /v1/alert-events/{id}/acknowledge': { callers: writeAlerts },
    'POST /v1/alert-events/{id}/resolve': { callers: writeAlerts },
  },
  rows: [
    { table: 'alert_channels', paths: ['/v1/alert-channels'], list: 'counted' },
    {
      table: 'alert_policies',
      paths: ['/v1/alert-policies'],
      list: 'counted',
      async create({ text, create }) {
        const monitorId = await create('/v1/monitors', { name: `of ${text}`, type: 'heartbeat' });
        return create('/v1/alert-policies', { name: text, monitor_id: monitorId });
      },
    },
    { table: 'alert_silences', paths: ['/v1/alert-silences'], list: 'counted' },
    { table: 'alert_groups', paths: ['/v1/alert-groups'], list: 'counted' },
    { table: 'alert_deliveries', paths: ['/v1/alert-deliveries'], list: 'by cursor', create: insertDelivery },
    {
      table: 'alerts',
      alsoFills: ['alert_timeline', 'alert_bundles', 'alert_digests'],
      paths: ['/v1/alert-events'],
      list: 'by cursor',
      create: insertAlert,
    },
    {
      table: 'alert_lanes',
      alsoFills: ['alert_fallbacks', 'alert_usage', 'alert_node_waits'],
      paths: [],
      create: insertWaiting,
    },
  ],
};

async function insertDelivery({ db, userId, isTest, text }: RowOwner): Promise<string> {
  const id = newId(idPrefixes.alertDelivery);
  const channel = { channel_id: newId(idPrefixes.alertChannel), channel_name: text, type: 'webhook' };
  const about = { kind: 'notice', alert_ids: [text], alert_count: 1, message_group: text, thread: text, priority: 1 };
  const said = { title: text, text, message: Buffer.alloc(0), status: 'dead', created_at: new Date() };
  await db('alert_deliveries').insert({ id, owner_id: userId, is_test: isTest, ...channel, ...about, ...said });
  return id;
}

/** An alert that is over, so that nothing looks at it again. */
async function insertAlert({ db, userId, isTest, text }: RowOwner): Promise<string> {
  const id = newId(idPrefixes.alertEvent);
  const [owner_id, at] = [userId, new Date()];
  const monitor = { monitor_id: newId(idPrefixes.monitor), monitor_name: text, monitor_type: 'tcp' };
  const names = { policy_id: text, policy_name: text, ...monitor, monitor_target: text, monitor_tags: [text] };
  const trouble = { type: 'down', severity: 'critical' } as const;
  const times = { started_at: at, created_at: at, resolved_at: at };
  const state: AlertState = {
    ...trouble,
    status: 'resolved',
    startedAtMs: at.getTime(),
    openedAtMs: at.getTime(),
    resolvedAtMs: at.getTime(),
    resolution: 'recovered',
    monitorEventId: null,
    acknowledgedAtMs: null,
    acknowledgedBy: null,
    acknowledgedVia: null,
    heldBy: [],
    planned: [],
    told: [],
    escalation: { fromMs: at.getTime(), step: 0, round: 0, pausedSinceMs: null },
    recoveredAtMs: null,
    recoveryTellAtMs: null,
    windowAtMs: null,
  };
  const rest = { status: state.status, reason: text, affected_nodes: [text], awaits_up: false, changes: 1 };
  await db('alerts').insert({ id, owner_id, is_test: isTest, ...names, ...trouble, ...times, ...rest, state });
  await db('alert_timeline').insert({ alert_id: id, owner_id, at, what: 'opened', details: '{}' });
  const waits = { wait_ms: 0, interval_ms: 0, state: '{}' };
  const bundle = { id: text, owner_id, is_test: isTest, channel_id: text, group_name: text, ...waits };
  await db('alert_bundles').insert(bundle);
  await db('alert_digests').insert({ message_group: text, owner_id, alert_ids: [id], created_at: at });
  return id;
}

async function insertWaiting({ db, userId, text }: RowOwner): Promise<null> {
  const owner_id = userId;
  await db('alert_lanes').insert({ channel_id: text, owner_id });
  await db('alert_fallbacks').insert({ message_group: text, owner_id, due_at: '2030-01-01T00:00:00Z' });
  const usage = { owner_id, quota: text, month: '2030-01-01', used: 1 };
  await db('alert_usage').insert(usage);
  const wait = { node_id: text, kind: 'node_offline', node_name: text, since: new Date() };
  await db('alert_node_waits').insert({ owner_id, ...wait });
  return null;
}
