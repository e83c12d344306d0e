import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { openAlertWorld } from './_support/alert-world.js';
import { patientClock } from './_support/patient-clock.js';
import { apiOf, createUserApi, startReplica, startStack, type TestApi } from './_support/stack.js';
import { status, WebhookReceiver } from './_support/webhook-receiver.js';
import { WebhookWorld } from './_support/webhook-world.js';

// What one account can have written to the logs of alerts and webhooks, and sent to others, by a few requests.

const DAY_MS = 86_400_000;
const BYTES_PER_DAY = 20 * 1024 * 1024;

async function endpointOf(api: TestApi, url: string): Promise<string> {
  const { body } = await api.call('POST', '/v1/webhooks', { body: { url, events: ['*'] } });
  return body.data.endpoint.id;
}

t.test(
  'responses of an account are stored up to 20 MB a day, and its events and messages are sent beyond',
  async (t) => {
    const receiver = await WebhookReceiver.start(t, status(200, { 'x-server': 'theirs' }, 'r'.repeat(4_000)));
    const { api, controlPlane, database } = await startStack(t, {}, patientClock);
    const { db } = database;
    const other = await createUserApi(controlPlane, 'other@test.example', 'user');
    const [id, others] = [await endpointOf(api, receiver.url), await endpointOf(other, receiver.url)];
    const channel = { name: 'Hook', type: 'webhook', config: { url: receiver.url } };
    const { id: channelId } = (await api.call('POST', '/v1/alert-channels', { body: channel })).body.data;
    const shownBy = async (by: TestApi, path: string) =>
      (await by.call('POST', path, { body: {} })).body.data.delivery.attempts[0].response;
    const key = `kept-responses:${api.userId}`;
    // a limit that a busy database does not count in time is counted by the replica alone
    await until('bytes that are counted', async () => {
      t.equal((await shownBy(api, `/v1/webhooks/${id}/test`)).length, 4_000);
      const counted = await db('rate_windows').where({ key }).first();
      return counted !== undefined && counted.used > 4_000;
    });
    const sent = receiver.events.length;
    // the first replica may have taken bytes ahead
    const second = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url }, patientClock);
    const replica = apiOf(second.listenUrl, api.token, api.userId);

    await db('rate_windows').where({ key }).update({ used: BYTES_PER_DAY });
    t.equal(await shownBy(replica, `/v1/webhooks/${id}/test`), null);
    t.equal(await shownBy(replica, `/v1/alert-channels/${channelId}/test`), null);
    t.equal((await shownBy(other, `/v1/webhooks/${others}/test`)).length, 4_000, 'of another account they are');
    const { body } = await replica.call('POST', '/v1/monitors', { body: { name: 'Beat', type: 'heartbeat' } });
    await replica.call('POST', `/v1/monitors/${body.data.id}/pause`);
    await until('the event is delivered', async () => {
      const { data } = (await api.call('GET', `/v1/webhooks/${id}/deliveries?type=monitor.paused`)).body;
      return data.items[0]?.status === 'delivered';
    });
    t.equal(receiver.events.length - sent, 4);
  },
);

t.test('however many recipients have not confirmed, a message to their channel is one line of the log', async (t) => {
  const world = await openAlertWorld(t);
  const people = Array.from({ length: 18 }, (_, index) => `person${index}@test.example`);
  const to = ['owner@test.example', 'ada@test.example', ...people];
  const channel = await world.addChannel('Mail', 'email', { to });
  const states = { unsubscribed_at: new Date(), verified_at: new Date() };
  await world.db('alert_recipients').whereIn('address', people.slice(0, 9)).update(states);
  await world.db('alert_recipients').where({ address: 'ada@test.example' }).update({ verified_at: new Date() });
  await world.db('alert_deliveries').delete();
  const alert_policy_id = await world.addPolicy([channel]);
  await world.happens('down', [await world.addMonitor('Shop', { alert_policy_id })]);
  await world.settle();
  const rows = await world.db('alert_deliveries').where({ kind: 'firing' }).select('status', 'reason');
  t.same(rows.map(({ status: state, reason }) => reason ?? state).sort(), [
    'sent',
    'sent',
    'unsubscribed',
    'unverified',
  ]);
});

t.test('all endpoints of an account together recover fifty events a second, and 100 000 a day', async (t) => {
  const world = await WebhookWorld.create(t);
  const endpoints = [];
  for (const path of ['a', 'b', 'c']) endpoints.push(await world.endpoint(`https://127.0.0.1:9443/${path}`));
  for (let count = 0; count < 20; count += 1) await world.happens('monitor.down', newId(idPrefixes.monitor));
  await world.relay.run();
  const failAll = async () => {
    await world.db('webhook_waiting').delete();
    await world.db('webhook_deliveries').update({ status: 'failed', due_at: null, finished_at: new Date() });
  };
  await failAll();
  const nowMs = world.clock.now();
  const since = { sinceMs: nowMs - DAY_MS, untilMs: nowMs + DAY_MS, isAll: true };
  const counts = await Promise.all(endpoints.map(({ id }) => world.deliveries.recover(id, since, world.act)));
  t.same(counts, [20, 20, 20]);
  const dues = await world.db('webhook_deliveries').whereNotNull('due_at').orderBy('due_at').pluck('due_at');
  const gaps = dues.slice(1).map((at, index) => at.getTime() - dues[index].getTime());
  t.ok(Math.min(...gaps) >= 20, `${gaps}`);

  await failAll();
  world.usedUp = `webhooks-recovered:${world.userId}`;
  const [first] = endpoints;
  await t.rejects(world.deliveries.recover(first?.id ?? '', since, world.act), { code: 'RATE_LIMIT_EXCEEDED' });
  t.same(await world.db('webhook_deliveries').whereNotNull('due_at'), []);
});
