import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { createTestDatabase } from './_support/database.js';
import { aHeartbeat, becomes, ping } from './_support/heartbeats.js';
import { createAdminByCommand, startServer } from './_support/real-server.js';
import { temporaryDirectory } from './_support/temporary-directory.js';
import { status, WebhookReceiver } from './_support/webhook-receiver.js';

/** Time that a control plane may take to end while receivers do not respond, in milliseconds. */
const END_MS = 40_000;
/** Channels whose receivers do not respond: each of their messages is in flight. */
const SILENT = 5;

t.test(
  'after SIGTERM a control plane that is sending alerts ends in time, and its next process sends each message',
  async (t) => {
    const { url: databaseUrl, db } = await createTestDatabase(t);
    const environment = {
      VANTAGE_DATABASE_URL: databaseUrl,
      VANTAGE_DATA_DIR: temporaryDirectory(t),
      VANTAGE_LISTEN: `127.0.0.1:${await lastingPort()}`,
      VANTAGE_METRICS_LISTEN: 'off',
      VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    };
    const first = await startServer(t, environment);
    const api = await createAdminByCommand(first.url, environment);
    const silent = await WebhookReceiver.start(t, () => {});
    const failing = await WebhookReceiver.start(t, status(500));
    const receivers = [...Array.from({ length: SILENT }, () => silent), failing];
    const channels: string[] = [];
    for (const [index, { url }] of receivers.entries()) {
      const body = { name: `Hook ${index}`, type: 'webhook', config: { url: `${url}?channel=${index}` } };
      channels.push((await api.call('POST', '/v1/alert-channels', { body })).body.data.id);
    }
    const monitor = await aHeartbeat(api, { config: { interval_s: 3_600, grace_s: 0 } });
    const policy = { name: 'Backup', monitor_id: monitor.id, channel_ids: channels };
    t.equal((await api.call('POST', '/v1/alert-policies', { body: policy })).status, 201);
    await ping(monitor.heartbeat.url);
    await becomes(api, monitor.id, 'up');
    await ping(`${monitor.heartbeat.url}/fail`);
    // one that was given up after a while is sent again under its id
    const idsOf = (type: string) =>
      new Set(silent.events.filter(({ body }) => body.type === type).map(({ headers }) => headers['webhook-id']));
    await until('messages in flight', () => idsOf('alert.firing').size === SILENT && failing.events.length > 0);
    // one more event that no replica has handled yet when the signal comes, or that was handled just now
    await ping(monitor.heartbeat.url);
    const startMs = performance.now();
    t.match(await first.program.terminate(), { code: 0, signal: null, stderr: '' });
    const tookMs = performance.now() - startMs;
    t.ok(tookMs < END_MS, `it took ${Math.round(tookMs)} ms`);
    t.same(await db('alert_lanes').whereNotNull('lease'), [], 'no message waits for a lease of the dead');

    for (const receiver of [silent, failing]) receiver.reply = status(200);
    await startServer(t, environment);
    await until('every end', async () => {
      const [waiting] = await db('alert_deliveries').where({ finished_at: null }).count();
      const [ended] = await db('alert_deliveries').where({ kind: 'resolved' }).count();
      return Number(waiting?.['count']) === 0 && Number(ended?.['count']) === receivers.length;
    });
    const notified = (channelId: string) =>
      db('alert_deliveries').where({ channel_id: channelId }).orderBy('id').select('kind', 'status');
    for (const channelId of channels.slice(0, SILENT))
      t.match(
        await notified(channelId),
        [{ kind: 'firing' }, { kind: 'resolved', status: 'sent' }],
        'it may have been notified',
      );
    t.equal(idsOf('alert.resolved').size, SILENT);
    const [begin, end] = await notified(channels.at(-1) ?? '');
    t.equal(end?.status, begin?.status, 'a failed start is notified with its end, or neither is');
    t.match(await db('alerts').select('status'), [{ status: 'resolved' }]);
  },
);
