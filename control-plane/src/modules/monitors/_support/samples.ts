import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { type Callers, type Samples, scope, unauthenticated } from '../../../../test/_support/samples.js';
import { insertMonitor } from '../../../../test/_support/stored-monitor.js';

const readMonitors = scope('monitor:read');
const writeMonitors = scope('monitor:write');
const respond: Callers = { kind: 'scope', scope: 'monitor:write', respond: true };

export const samples: Samples = {
  operations: {
    'GET /v1/monitors': { callers: readMonitors },
    'POST /v1/monitors': {
      callers: writeMonitors,
      body: ({ text }) => ({ name: text, type: 'heartbeat', tags: [text] }),
      otherBodies: [({ text }) => ({ name: text, type: 'tcp', target: '127.0.0.1:9' })],
    },
    'GET /v1/monitors/export': { callers: readMonitors },
    'GET /v1/monitors/history': { callers: readMonitors },
    'POST /v1/monitors/import': { callers: writeMonitors, maxBodyBytes: 5 * 1024 * 1024 },
    'GET /v1/monitors/{id}': { callers: readMonitors },
    'PATCH /v1/monitors/{id}': { callers: writeMonitors, body: () => ({ tags: ['eu'] }) },
    'DELETE /v1/monitors/{id}': { callers: writeMonitors },
    'POST /v1/monitors/{id}/pause': { callers: writeMonitors },
    'POST /v1/monitors/{id}/resume': { callers: writeMonitors },
    'POST /v1/monitors/{id}/archive': { callers: writeMonitors },
    'POST /v1/monitors/{id}/test': { callers: writeMonitors },
    'GET /v1/monitors/{id}/checks': { callers: readMonitors },
    'GET /v1/monitors/{id}/events': { callers: readMonitors },
    'GET /v1/monitor-events': { callers: readMonitors },
    'GET /v1/monitor-events/{id}': { callers: readMonitors },
    'GET /v1/monitors/{id}/uptime': { callers: readMonitors },
    'GET /v1/monitors/{id}/timeseries': { callers: readMonitors },
    'POST /v1/monitor-events/{id}/ack': { callers: respond },
    'POST /v1/monitor-events/{id}/resolve': { callers: respond },
    'POST /v1/monitor-events/{id}/false-positive': { callers: respond },
    'POST /v1/monitor-events/{id}/notes': { callers: respond },
    'GET /v1/monitor-groups': { callers: readMonitors },
    'POST /v1/monitor-groups': { callers: writeMonitors, body: ({ text }) => ({ name: text }) },
    'GET /v1/monitor-groups/{id}': { callers: readMonitors },
    'PATCH /v1/monitor-groups/{id}': { callers: writeMonitors, body: () => ({ sort_order: 1 }) },
    'DELETE /v1/monitor-groups/{id}': { callers: writeMonitors },
    'GET /v1/maintenance-windows': { callers: readMonitors },
    'POST /v1/maintenance-windows': {
      callers: writeMonitors,
      body: ({ text }) => ({
        title: text,
        scope_type: 'all',
        starts_at: '2030-01-01T00:00:00Z',
        ends_at: '2030-01-01T01:00:00Z',
      }),
    },
    'GET /v1/maintenance-windows/{id}': { callers: readMonitors },
    'PATCH /v1/maintenance-windows/{id}': { callers: writeMonitors, body: () => ({ title: 'Work' }) },
    'DELETE /v1/maintenance-windows/{id}': { callers: writeMonitors },
    'POST /v1/monitors/{id}/rotate-token': { callers: writeMonitors },
    'GET /v1/monitors/{id}/pings': { callers: readMonitors },
    'GET /hb/{token}': { callers: unauthenticated },
    'POST /hb/{token}': { callers: unauthenticated },
    'GET /hb/{token}/start': { callers: unauthenticated },
    'POST /hb/{token}/start': { callers: unauthenticated },
    'GET /hb/{token}/fail': { callers: unauthenticated },
    'POST /hb/{token}/fail': { callers: unauthenticated },
    'GET /hb/{token}/log': { callers: unauthenticated },
    'POST /hb/{token}/log': { callers: unauthenticated },
    'GET /hb/{token}/{exit_code}': { callers: unauthenticated },
    'POST /hb/{token}/{exit_code}': { callers: unauthenticated },
    'GET /api/push/{token}': { callers: unauthenticated },
    'POST /api/push/{token}': { callers: unauthenticated },
    'GET /badge/{public_id}.svg': { callers: unauthenticated },
  },
  rows: [
    { table: 'monitors', paths: ['/v1/monitors'], list: 'counted' },
    {
      table: 'monitor_events',
      paths: ['/v1/monitor-events'],
      list: 'by cursor',
      async create({ db, userId, isTest, text }) {
        const settings = { config: '{"port":80}', node_selection: '{"limit":3,"spread":"asn"}', tags: [text] };
        const columns = { owner_id: userId, name: text, target: text, is_test: isTest, ...settings };
        const monitor = await insertMonitor(db, [], columns);
        const id = newId(idPrefixes.monitorEvent);
        const event = { id, monitor_id: monitor.id, type: 'down', reason: text, notes: text, started_at: new Date() };
        await db('monitor_events').insert(event);
        return id;
      },
    },
    { table: 'monitor_groups', paths: ['/v1/monitor-groups'], list: 'counted' },
    { table: 'maintenance_windows', paths: ['/v1/maintenance-windows'], list: 'counted' },
  ],
  publicPaths: ['/hb', '/api/push', '/badge'],
};
