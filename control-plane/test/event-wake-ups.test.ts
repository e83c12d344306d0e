import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { SECRET_KEY, startStack } from './_support/stack.js';
import { insertNode } from './_support/stored-node.js';
import { temporaryDirectory } from './_support/temporary-directory.js';
import { WebhookReceiver } from './_support/webhook-receiver.js';

t.test('an event reaches its receiver without a poll, whichever process publishes it', async (t) => {
  // a clock that stands still: no poll ever comes
  const { api, database } = await startStack(t, {}, new FakeClock(Date.now()));
  const receiver = await WebhookReceiver.start(t);
  const kinds = () => receiver.events.map(({ body }) => body.type);
  await api.call('POST', '/v1/webhooks', { body: { url: receiver.url, events: ['*'] } });
  const monitor = await api.call('POST', '/v1/monitors', { body: { name: 'Job', type: 'heartbeat' } });
  await api.call('POST', `/v1/monitors/${monitor.body.data.id}/pause`);
  await until('the event of this control plane', () => kinds().includes('monitor.paused'));

  const node = await insertNode(database.db, { owner_id: api.userId });
  const env = {
    VANTAGE_DATABASE_URL: database.url,
    VANTAGE_DATA_DIR: temporaryDirectory(t),
    VANTAGE_SECRET_KEY: SECRET_KEY,
  };
  const { code, stderr } = await runInProcess('vantage-control', ['node', 'ban', node, '--reason', 'forged'], { env });
  t.equal(code, 0, stderr);
  await until('the event of the command', () => kinds().includes('node.banned'));
  t.equal(receiver.events.length, 2);
});
