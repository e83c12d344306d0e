import { createServer } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { program } from '../src/audit-log/actor.js';
import { systemResolver } from '../src/deliver/resolver.js';
import type { ChannelRow } from '../src/modules/alerts/channels/channel-row.js';
import { openAlertPost } from './_support/alert-post.js';
import { listen } from './_support/counted-listener.js';
import { chunkedHead, drips, startHostileServer } from './_support/hostile-server.js';
import { accountOf, insertUsers } from './_support/owners.js';
import { startReceiver } from './_support/receiver.js';
import { WebhookReceiver } from './_support/webhook-receiver.js';
import { WebhookWorld } from './_support/webhook-world.js';
import { startZoneServer } from './_support/zone-server.js';

// One account after another has as many receivers as it may have, and all of them hold what is sent to them for as long as they can. The
// clock stands still but for one look of the replicas each time, so that no deadline ever comes: what another account is sent meanwhile
// did not wait for any.

/** Receivers of one kind, and names that lead to them. */
async function badReceivers(t: Test) {
  const silentDns = await startZoneServer(t, () => undefined);
  const silentTls = await listen(
    t,
    createServer((socket) => socket.resume()),
    '127.0.0.4',
  );
  const dripping = await startHostileServer(t, drips(chunkedHead(200), '1\r\na\r\n'));
  const hanging = await startHostileServer(
    t,
    (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'),
  );
  const lookUp = systemResolver({ clock: new FakeClock(), servers: [silentDns] });
  const urls: Record<string, (index: number) => string> = {
    'silent TLS': () => `https://127.0.0.4:${silentTls.port}/`,
    'silent DNS servers': (index) => `https://hook${index}.deaf.example.com/`,
    'a byte now and then': () => dripping.url,
    'silent after the head': () => hanging.url,
  };
  return { urls, resolve: (name: string, signal: AbortSignal) => lookUp(name, signal) };
}

async function anAccount(db: Knex, name: string) {
  const id = newId(idPrefixes.user);
  const email = `${name.replaceAll(' ', '-').toLowerCase()}@test.example`;
  await insertUsers(db, [{ id, plan: 'unlimited', email, role: 'user', email_verified_at: new Date() }]);
  return { id, act: { account: accountOf(id), actor: program } };
}

async function timeOf(work: () => Promise<unknown>): Promise<string> {
  const beginMs = performance.now();
  await work();
  return `${Math.round(performance.now() - beginMs)} ms`;
}

async function alertsWaitForNobody(t: Test, replicas: number): Promise<void> {
  const bad = await badReceivers(t);
  const post = await openAlertPost(t, { resolve: bad.resolve });
  const others = Array.from({ length: replicas - 1 }, () => post.replica());
  for (const { sender } of others) sender.start();
  const wakeAll = () => {
    for (const { sender } of [post, ...others]) sender.wake();
  };
  const good = await startReceiver(t);
  const own: ChannelRow[] = [];
  for (let index = 0; index < 20; index += 1)
    own.push(await post.addChannel(`Hook ${index}`, 'webhook', { url: `${good.url}/` }));
  const isSent = async (count: number) => {
    await post.post(own);
    wakeAll();
    await until('the messages of the victim', () => good.requests.length === count);
  };
  let sent = 0;
  t.comment(`alone: ${await timeOf(() => isSent((sent += own.length)))} for ${own.length}`);
  for (const [kind, urlOf] of Object.entries(bad.urls)) {
    const { id, act } = await anAccount(post.db, kind);
    const channels = [];
    for (let index = 0; index < 49; index += 1) {
      const body = { name: `Bad ${index}`, type: 'webhook', config: { url: urlOf(index) } } as const;
      channels.push((await post.alerts.channels.create(body, act)).row);
    }
    await post.post(channels);
    wakeAll();
    // a replica that looked at the same moment as another found its lanes locked
    post.clock.advance(1_000);
    const underWay = () => post.db('alert_deliveries').where({ owner_id: id, status: 'sending' });
    await until('its share to be under way', async () => (await underWay()).length >= 16 * replicas);
    t.equal((await underWay()).length, 16 * replicas, `${kind}: no more than its share, though there is room`);
    const took = await timeOf(() => isSent((sent += own.length)));
    t.comment(`beside 49 channels, ${kind}: ${took} for ${own.length}`);
  }
  t.equal(good.requests.length, own.length * 5);
}

async function webhooksWaitForNobody(t: Test, replicas: number): Promise<void> {
  const bad = await badReceivers(t);
  const world = await WebhookWorld.create(t, bad.resolve);
  const senders = Array.from({ length: replicas }, () => world.newSender());
  const run = async () => {
    await world.relay.run();
    for (const sender of senders) await sender.run();
  };
  // on another host than theirs, since those of one host share places too
  const good = await WebhookReceiver.start(t, undefined, '127.0.0.3');
  await world.endpoint(good.url);
  let sent = 0;
  const isSent = async () => {
    for (const subject of ['m_1', 'm_2', 'm_3', 'm_4']) await world.happens('monitor.down', subject);
    sent += 4;
    await run();
    await until('the events of the victim', () => good.events.length === sent);
  };
  t.comment(`alone: ${await timeOf(isSent)}`);
  for (const [kind, urlOf] of Object.entries(bad.urls)) {
    const { id, act } = await anAccount(world.db, kind);
    for (let index = 0; index < 20; index += 1) await world.endpoints.create({ url: urlOf(index), events: ['*'] }, act);
    for (const subject of ['m_1', 'm_2', 'm_3', 'm_4'])
      await world.happens('monitor.down', subject, 'Bad', world.db, id);
    await run();
    const leases = () =>
      world.db('webhook_leases as l').join('webhook_endpoints as e', 'e.id', 'l.endpoint_id').where('e.owner_id', id);
    const most = Math.min(80, 64 * replicas);
    await until('its share to be under way', async () => (await leases()).length >= most);
    t.equal((await leases()).length, most, `${kind}: no more than its share, though there is room`);
    t.comment(`beside 20 endpoints, ${kind}: ${await timeOf(isSent)}`);
  }
}

t.test('alerts of an account wait for no bad receiver of others, on one replica', (t) => alertsWaitForNobody(t, 1));

t.test('alerts of an account wait for no bad receiver of others, on two replicas', (t) => alertsWaitForNobody(t, 2));

t.test('webhooks of an account wait for no bad receiver of others, on one replica', (t) => webhooksWaitForNobody(t, 1));

t.test('webhooks of an account wait for no bad receiver of others, on two replicas', (t) =>
  webhooksWaitForNobody(t, 2),
);
