import { statSync } from 'node:fs';
import path from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { PASSPHRASE } from './_support/backups.js';
import { runInProcess } from './_support/command-in-process.js';
import { createTestDatabase } from './_support/database.js';
import { aHeartbeat, becomes, ping } from './_support/heartbeats.js';
import { finishedTask } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { createAdminByCommand, startServer } from './_support/real-server.js';
import { startReceiver } from './_support/receiver.js';
import { temporaryDirectory } from './_support/temporary-directory.js';
import { WebhookReceiver } from './_support/webhook-receiver.js';

t.test(
  'both programs, started once: enrollment, a probe, a monitor with alert and webhook, client and backup',
  async (t) => {
    const { url: databaseUrl } = await createTestDatabase(t);
    const environment = {
      VANTAGE_DATABASE_URL: databaseUrl,
      VANTAGE_DATA_DIR: temporaryDirectory(t),
      VANTAGE_LISTEN: '127.0.0.1:0',
      VANTAGE_METRICS_LISTEN: 'off',
      VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    };
    const server = await startServer(t, environment);
    const api = await createAdminByCommand(server.url, environment);
    const agent = await RealAgent.start(t, api, { declared: { country: 'DE' } });

    const site = await startReceiver(t);
    const submitted = await api.call('POST', '/v1/probe/http', {
      body: { target: site.url, params: { method: 'GET' } },
    });
    t.match(await finishedTask(api, submitted.body.data.task_id), {
      status: 'completed',
      node_results: [{ node_id: agent.nodeId, success: true, status_code: 200 }],
    });
    const client = await runInProcess('vantage', ['http', site.url], { env: { VANTAGE_URL: server.url } });
    t.match(client, { code: 0, stdout: /DE +ok +200/ });

    const [chat, hook] = [await WebhookReceiver.start(t), await WebhookReceiver.start(t)];
    const channel = { name: 'Chat', type: 'webhook', config: { url: chat.url } };
    const channelId = (await api.call('POST', '/v1/alert-channels', { body: channel })).body.data.id;
    await api.call('POST', '/v1/webhooks', { body: { url: hook.url, events: ['monitor.down'] } });
    const job = await aHeartbeat(api);
    const policy = { name: 'Job', monitor_id: job.id, channel_ids: [channelId] };
    t.equal((await api.call('POST', '/v1/alert-policies', { body: policy })).status, 201);
    await ping(job.heartbeat.url);
    await becomes(api, job.id, 'up');
    await ping(`${job.heartbeat.url}/fail`);
    await until('alert and webhook', () => chat.events.length === 1 && hook.events.length === 1);
    t.match([chat.events, hook.events], [[{ body: { type: 'alert.firing' } }], [{ body: { type: 'monitor.down' } }]]);

    const file = path.join(temporaryDirectory(t), 'v.backup');
    const env = { ...environment, VANTAGE_BACKUP_PASSPHRASE: PASSPHRASE };
    t.match(await runInProcess('vantage-control', ['backup', file], { env }), { code: 0 });
    t.ok(statSync(file).size > 0);
    t.match(await agent.program.terminate(), { code: 0, signal: null });
    t.match(await server.program.terminate(), { code: 0, signal: null });
  },
);
