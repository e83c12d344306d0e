import { getEventListeners } from 'node:events';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import t from 'tap';
import { messageOf } from '../../../../test/_support/alert-messages.js';
import { startReceiver } from '../../../../test/_support/receiver.js';
import { createSealer } from '../../../crypto/sealing.js';
import { Outbound } from '../../../deliver/index.js';
import { channelTypes } from '../types/registry.js';
import { attemptDelivery, bucketsOfDelivery } from './attempt.js';
import type { DeliveryRow } from './delivery.js';
import type { Destination } from './destination.js';
import { sealMessage } from './message-seal.js';
import { shownRequest } from './shown-request.js';

const sealer = createSealer(Buffer.alloc(32, 7), 'alert deliveries');
const policy = new TargetPolicy({ allow: ['127.0.0.1/32'], own: [], denied: [] });
// no attempt ends by its own deadline
const clock = new FakeClock();
const parts = {
  types: channelTypes({ channelUrls: {}, smsGateway: null, voiceGateway: null }),
  clock,
  sealer,
  outbound: new Outbound({ policy: () => policy, userAgent: 'Vantage/test', clock }),
  mailer: { sendAtOnce: async () => '' },
  destinations: { unsubscribeUrl: () => '', stopUrl: () => '' },
};

t.test('an attempt ends with the signal of its sender, and leaves nothing there', async (t) => {
  const receiver = await startReceiver(t);
  const row = {
    type: 'webhook',
    message: sealMessage(messageOf('firing', 'en'), sealer),
    is_plain: false,
    recipient: null,
  };
  const config = {
    url: `${receiver.url}/`,
    method: 'POST',
    headers: {},
    content_type: 'application/json',
    sign: false,
  };
  const sender = new AbortController();
  const attempt = () =>
    attemptDelivery(parts, row as unknown as DeliveryRow, {
      destination: { config, secrets: [] } as unknown as Destination,
      firstProviderId: null,
      signal: sender.signal,
    });
  t.match(await attempt(), { outcome: { kind: 'accepted' } });
  t.equal(getEventListeners(sender.signal, 'abort').length, 0);
  // where AbortSignal.any notes the signals that depend on another
  for (const key of Object.getOwnPropertySymbols(sender.signal))
    t.notOk(Object(Reflect.get(sender.signal, key)).size, String(key));
  receiver.reply = () => {
    sender.abort();
    return null;
  };
  t.match(await attempt(), { outcome: { kind: 'retry' }, mayHaveArrived: true });
  t.match(await attempt(), { outcome: { kind: 'retry' } }, 'one that begins afterwards');
  t.equal(receiver.requests.length, 2);
});

t.test('the request of a mail is kept without its links and its recipient', async (t) => {
  const at = (act: string) => `https://vantage.example/alert-channels/${act}/token-of-${act}`;
  const destinations = { unsubscribeUrl: () => at('unsubscribe'), stopUrl: () => at('stop') };
  const recipient = 'ada@example.com';
  const message = { ...messageOf('firing', 'en'), monitor: { id: 'm_1', name: 'Shop' } };
  const keep = async (kind: string) => {
    const row = { type: 'email', kind, message: sealMessage(message, sealer), recipient, created_at: new Date(0) };
    const destination = { config: { to: [recipient] }, secrets: [] };
    const by = { destination, firstProviderId: null, signal: new AbortController().signal };
    const report = await attemptDelivery({ ...parts, destinations }, row as never, by as never);
    t.match(report, { outcome: { kind: 'accepted' } });
    return report.request;
  };
  const request = await keep('firing');
  t.match(request, { method: 'SMTP', url: 'mailto:a***@e***m', headers: { Subject: 'Down: Shop' } });
  t.match(request?.body, /Shop[^]*https:\/\/vantage\.example\/\*{8}/);
  t.notMatch(JSON.stringify(request), /token-|ada@/);
  t.equal(await keep('verification'), null, 'its code is for its recipient alone');
});

t.test('addresses of one mailbox share its limit, over all channels; those of others do not', async (t) => {
  const key = Buffer.alloc(32, 1);
  const bucketOf = (channel: string, recipient: string) => {
    const destination = { config: {}, maxPerMinute: null };
    return bucketsOfDelivery({ channel_id: channel, type: 'email', recipient }, destination, { ...parts, key })[0]?.key;
  };
  t.equal(bucketOf('ch_1', 'ada+a@example.com'), bucketOf('ch_2', 'ada@example.com'));
  t.not(bucketOf('ch_1', 'ada@example.com'), bucketOf('ch_1', 'bob@example.com'));
});

t.test('a request that is kept is cut between characters, so that it can be stored', async (t) => {
  const { body } = shownRequest({ method: 'POST', url: 'https://hooks.example/', body: `${'x'.repeat(16_383)}🙂` }, []);
  t.equal(body, 'x'.repeat(16_383), 'no half of a character');
});
