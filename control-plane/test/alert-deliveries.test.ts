import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { program } from '../src/audit-log/actor.js';
import { claimDeliveries } from '../src/modules/alerts/deliveries/lane-store.js';
import type { EndReason, Needed } from '../src/modules/alerts/deliveries/needed.js';
import { openAlertPost, type PostOptions } from './_support/alert-post.js';
import { noSettings } from './_support/channel-attempts.js';
import { createReusedDatabase } from './_support/database.js';
import {
  type Behaviour,
  chunkedHead,
  drips,
  floods,
  interim,
  resets,
  startHostileServer,
} from './_support/hostile-server.js';
import { lockWaits } from './_support/lock-waits.js';
import { accountOf } from './_support/owners.js';
import { startReceiver } from './_support/receiver.js';

const idsOf = (requests: readonly { headers: Record<string, unknown> }[]) =>
  requests.map(({ headers }) => headers['webhook-id']);

const fresh = await createReusedDatabase(t);
/** A post on the database that the tests of this file use one after another. */
const openPost = async (t: Test, options: PostOptions = {}) =>
  openAlertPost(t, { ...options, database: await fresh() });

const roomFor = (limit: number) => ({ limit, ofAccount: limit, inFlight: new Map<string, number>() });

t.test(
  'a receiver that fails for ten minutes and then accepts gets exactly one accepted message, at the stated times',
  async (t) => {
    const receiver = await startReceiver(t);
    const post = await openPost(t);
    const { clock } = post;
    const startMs = clock.now();
    const times: number[] = [];
    receiver.reply = () => {
      times.push((clock.now() - startMs) / 1_000);
      return { status: clock.now() - startMs < 600_000 ? 500 : 200 };
    };
    const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
    const [id = ''] = await post.post([channel]);
    await post.pass(30 * 60_000);
    t.match(await post.delivery(id), { status: 'sent', tries: receiver.requests.length, next_attempt_at: null });
    t.equal(times.filter((at) => at >= 600).length, 1);
    t.same(new Set(idsOf(receiver.requests)), new Set([id]), 'every attempt has the same id');
    const delays = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    const stated = [5, 15, 30, 60, 120, 300, 600];
    // looks come every five seconds here
    for (const [index, delay] of delays.entries()) {
      const base = stated[index] ?? 600;
      t.ok(delay >= 0.8 * base && delay <= 1.2 * base + 5, `delay ${index + 1} is ${delay} s`);
    }
    const { attempts } = (await post.delivery(id)) as { attempts: { outcome: string; status_code: number }[] };
    t.match(attempts[0], { outcome: 'retry', status_code: 500, error: 'HTTP 500' });
    t.match(attempts.at(-1), { outcome: 'accepted', status_code: 200, error: null });
  },
);

t.test(
  'a replica that dies after its claim loses nothing: another one sends the message when the lease has run out',
  async (t) => {
    const receiver = await startReceiver(t);
    const post = await openPost(t, { starts: false });
    const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
    const [id = ''] = await post.post([channel]);
    let die: (() => void) | null = null;
    const dead: Needed = {
      refuse: () =>
        new Promise((_resolve, reject) => {
          die = () => reject(new Error('dead'));
        }),
    };
    const dying = post.replica(new FakeClock(post.clock.now()), dead);
    dying.sender.start();
    dying.sender.wake();
    await until('the claim', () => die !== null);
    t.match(await post.delivery(id), { status: 'sending' });
    const lease = { id: 'x', nowMs: post.clock.now() + 59_000, untilMs: 0 };
    t.same(await claimDeliveries(post.db, lease, roomFor(1)), { rows: [], empty: [] }, 'the lease holds');
    post.sender.start();
    post.clock.advance(61_000);
    await post.quiet();
    t.same(idsOf(receiver.requests), [id]);
    t.match(await post.delivery(id), { status: 'sent', tries: 1 });
    (die as (() => void) | null)?.();
  },
);

t.test('from a sender whose lease has run out, only an acceptance counts', async (t) => {
  for (const [first, second, status, tries] of [
    [500, 200, 'sent', 1],
    [200, 500, 'sent', 1],
    [503, 500, 'retrying', 1],
  ] as const) {
    await t.test(`${first} after ${second} is ${status}`, async (t) => {
      const receiver = await startReceiver(t);
      const post = await openPost(t, { starts: false });
      const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
      const [id = ''] = await post.post([channel]);
      let respond = (_status: number): void => {};
      receiver.reply = () =>
        receiver.requests.length === 1
          ? new Promise((resolve) => {
              respond = (code) => resolve({ status: code });
            })
          : { status: second };
      // its clock stands still: it waits for its response beyond its lease
      const slow = post.replica(new FakeClock(post.clock.now()));
      slow.sender.start();
      slow.sender.wake();
      await until('the first request', () => receiver.requests.length === 1);
      post.clock.advance(61_000);
      post.sender.start();
      post.sender.wake();
      await until('the second request', () => receiver.requests.length === 2);
      await until('its record', async () => (await post.delivery(id))['tries'] === 1);
      respond(first);
      const outcome = first === 200 ? 'accepted' : 'retry';
      await until('its outcome', async () => (await slow.registry.metrics()).includes(`outcome="${outcome}"} 1`));
      await slow.sender.stop();
      const last = [first, second].includes(200) ? 200 : second;
      t.match(await post.delivery(id), { status, tries, attempts: [{ status_code: last }] });
      await post.sender.stop();
      t.same(idsOf(receiver.requests), [id, id]);
    });
  }
});

t.test('two replicas send each message once, and never two of one channel at a time', async (t) => {
  const receiver = await startReceiver(t);
  const post = await openPost(t, { starts: false });
  const inFlight = new Map<string, number>();
  let most = 0;
  receiver.reply = async ({ path }) => {
    inFlight.set(path, (inFlight.get(path) ?? 0) + 1);
    most = Math.max(most, inFlight.get(path) ?? 0);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight.set(path, (inFlight.get(path) ?? 0) - 1);
    return { status: 200 };
  };
  const channels = [];
  for (let index = 0; index < 30; index += 1)
    channels.push(await post.addChannel(`Hook ${index}`, 'webhook', { url: `${receiver.url}/${index}` }));
  const ids = [];
  for (let round = 0; round < 4; round += 1) ids.push(...(await post.post(channels)));
  const other = post.replica();
  for (const { sender } of [post, other]) sender.start();
  for (const { sender } of [post, other]) sender.wake();
  await post.pass(2_000);
  t.same(idsOf(receiver.requests).sort(), ids.sort());
  t.equal(most, 1);
  t.equal(Number((await post.db('alert_deliveries').where({ status: 'sent' }).count())[0]?.['count']), ids.length);
});

t.test('accounts take turns: one with many channels does not hold up another', async (t) => {
  const post = await openPost(t, { starts: false });
  const nowMs = post.clock.now();
  const lane = (id: string, owner: string, agoMs: number) => ({
    channel_id: id,
    owner_id: owner,
    due_at: new Date(nowMs - agoMs),
  });
  const many = Array.from({ length: 40 }, (_, index) => lane(`ch_many${index}`, 'u_many', 60_000 + index));
  await post.db('alert_lanes').insert([...many, lane('ch_one', 'u_one', 1_000)]);
  const lease = { id: 'x', nowMs, untilMs: nowMs + 60_000 };
  const { empty: claimed } = await claimDeliveries(post.db, lease, roomFor(2));
  t.equal(claimed.length, 2);
  t.ok(claimed.includes('ch_one'));
  await post.db('alert_lanes').insert(lane('ch_two', 'u_two', 500));
  const room = { limit: 8, ofAccount: 10, inFlight: new Map([['u_many', 8]]) };
  const { empty: more } = await claimDeliveries(post.db, lease, room);
  t.equal(more.length, 3, 'no more than its share, though there is room');
  t.ok(more.includes('ch_two'));
  const full = { limit: 8, ofAccount: 10, inFlight: new Map([['u_many', 10]]) };
  t.same((await claimDeliveries(post.db, lease, full)).empty, []);
});

t.test('a message whose acceptance is recorded while a claim runs is not claimed again', async (t) => {
  const post = await openPost(t, { starts: false });
  const channel = await post.addChannel('Hook', 'webhook', { url: 'https://example.com/' });
  const [id = ''] = await post.post([channel]);
  const nowMs = post.clock.now();
  const recording = await post.db.transaction();
  await recording('alert_deliveries')
    .where({ id })
    .update({ status: 'sent', finished_at: new Date(nowMs) });
  const claim = claimDeliveries(post.db, { id: 'x', nowMs, untilMs: nowMs + 60_000 }, roomFor(1));
  await until('the claim to meet the message', async () => (await lockWaits(post.db)) > 0);
  await recording.commit();
  t.same(await claim, { rows: [], empty: [channel.id] });
  t.match(await post.delivery(id), { status: 'sent' });
});

t.test('no window of a minute has more messages than the channel may get, whichever replica sends them', async (t) => {
  const receiver = await startReceiver(t);
  const post = await openPost(t);
  post.replica().sender.start();
  const times: number[] = [];
  receiver.reply = () => {
    times.push(post.clock.now());
    return { status: 200 };
  };
  const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/` }, { max_per_minute: 2 });
  for (let index = 0; index < 5; index += 1) await post.post([channel]);
  await post.pass(3 * 60_000);
  t.equal(times.length, 5, 'nothing is lost');
  for (const from of times) {
    const within = times.filter((at) => at >= from && at < from + 60_000).length;
    t.ok(within <= 2, `${within} within a minute`);
  }
});

t.test('every attempt first checks if its message is still needed, except for tests and verifications', async (t) => {
  const receiver = await startReceiver(t);
  receiver.reply = () => ({ status: 500 });
  const asked: string[] = [];
  let answer: EndReason | null = null;
  const needed: Needed = {
    async refuse(_db, messages) {
      asked.push(...messages.map(({ id }) => id));
      return new Map(answer === null ? [] : messages.map(({ id }) => [id, answer as EndReason]));
    },
  };
  const post = await openPost(t, { needed });
  const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const [id = ''] = await post.post([channel], { kind: 'firing' });
  await post.quiet();
  t.same(asked, [id]);
  answer = 'recovered_before_sent';
  await post.pass(10_000);
  t.same(asked, [id, id]);
  t.match(await post.delivery(id), { status: 'dropped', reason: 'recovered_before_sent', tries: 1 });
  const [test = ''] = await post.post([channel], { kind: 'test' });
  await post.quiet();
  t.notOk(asked.includes(test));
  t.match(await post.delivery(test), { status: 'dead', reason: 'expired', tries: 1 }, 'a test is tried once');
});

t.test('a message waits for the earlier one of its thread, and an urgent one of another thread does not', async (t) => {
  const receiver = await startReceiver(t);
  let isDown = true;
  receiver.reply = ({ body }) => ({ status: isDown && body.includes('firing-first') ? 500 : 200 });
  const post = await openPost(t);
  const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/`, body: '{{kind}}-{{title}}' });
  await post.post([channel], { kind: 'firing', title: 'first', thread: 'a' });
  post.clock.advance(1);
  await post.post([channel], { kind: 'resolved', title: 'first', thread: 'a' });
  post.clock.advance(1);
  await post.post([channel], { kind: 'firing', title: 'second', thread: 'b' });
  await post.quiet();
  t.same(
    receiver.requests.map(({ body }) => body),
    ['firing-first', 'firing-second'],
  );
  isDown = false;
  await post.pass(10_000);
  t.same(
    receiver.requests.slice(2).map(({ body }) => body),
    ['firing-first', 'resolved-first'],
  );
});

t.test('the start and the end of an alert in one millisecond are sent in this order', async (t) => {
  const receiver = await startReceiver(t);
  const post = await openPost(t, { starts: false });
  const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/`, body: '{{kind}}' });
  const threads = Array.from({ length: 10 }, (_, index) => `thread ${index}`);
  for (const thread of threads)
    for (const kind of ['firing', 'resolved'] as const) await post.post([channel], { kind, thread });
  const [earliest] = await post.db('alert_deliveries').min('created_at');
  await post.db('alert_deliveries').update({ created_at: earliest?.['min'] });
  post.sender.start();
  post.sender.wake();
  await post.pass(60_000);
  const sent = await post.db('alert_deliveries').where({ status: 'sent' }).select('id', 'thread', 'kind');
  const order = receiver.requests.map(({ headers }) => sent.find(({ id }) => id === headers['webhook-id']));
  for (const thread of threads)
    t.same(
      order.filter((row) => row?.thread === thread).map((row) => row?.kind),
      ['firing', 'resolved'],
      thread,
    );
});

t.test('a server that requests a pause gets no message of the channel until the pause is over', async (t) => {
  const receiver = await startReceiver(t);
  receiver.reply = () =>
    receiver.requests.length === 1 ? { status: 429, headers: { 'Retry-After': '120' } } : { status: 200 };
  const post = await openPost(t);
  const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const [first] = await post.post([channel]);
  await post.quiet();
  post.clock.advance(1);
  const [second] = await post.post([channel]);
  await post.pass(119_000);
  t.same(idsOf(receiver.requests), [first]);
  await post.pass(10_000);
  t.same(idsOf(receiver.requests), [first, first, second]);
});

t.test(
  'a firing message that no channel accepts is mailed to the address of the account once, with the channels and their errors',
  async (t) => {
    const receiver = await startReceiver(t);
    receiver.reply = () => ({ status: 503 });
    const post = await openPost(t);
    const closed = await closedPort();
    const [broken, away] = [
      await post.addChannel('Broken', 'webhook', { url: `${receiver.url}/` }, { template: { text: 'own text' } }),
      await post.addChannel(
        'Away',
        'webhook',
        { url: `http://127.0.0.1:${closed}/` },
        { template: { text: 'own text' } },
      ),
    ];
    await post.post([broken, away], { kind: 'firing', thread: 'a' });
    await post.pass(118_000);
    t.equal(post.mails.length, 0);
    await post.pass(60_000);
    t.match(post.mails, [{ to: 'owner@test.example', content: { subject: 'Shop is down' } }]);
    const text = JSON.stringify(post.mails[0]?.content);
    t.match(text, /no channel accepted it: .*Broken \(HTTP 503\)/);
    t.match(text, /no channel accepted it: .*Away \(http:\/\/127\.0\.0\.1:\d+: cannot connect/);
    t.equal(post.mails.length, 1);
  },
);

t.test('custom texts replace the default ones once, even if the message is sent again', async (t) => {
  const receiver = await startReceiver(t);
  receiver.reply = () => ({ status: 410 });
  const post = await openPost(t);
  const template = { title: '[{{severity}}] {{title}}', resolved_title: 'over', body: '{{title}}' };
  const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/` }, { template });
  const [id = ''] = await post.post([channel], { kind: 'firing' });
  await post.quiet();
  await post.alerts.deliveries.retry(id, { account: accountOf(post.userId), actor: program });
  await post.quiet();
  await post.post([channel], { kind: 'resolved' });
  await post.quiet();
  t.same(
    receiver.requests.map(({ body }) => body),
    ['[critical] Shop is down', '[critical] Shop is down', 'over'],
  );
});

t.test('a message beyond the quota of the plan is dropped, and the address of the account gets it', async (t) => {
  const gateway = await startReceiver(t);
  const settings = { ...noSettings, smsGateway: { kind: 'generic', url: `${gateway.url}/` } as const };
  const post = await openPost(t, { settings, plan: 'pro' });
  const number = '+8613800000000';
  const phone = await post.addChannel('Phone', 'sms', { to: [number] });
  await post.quiet();
  await post.db('alert_recipients').where({ channel_id: phone.id }).update({ verified_at: new Date() });
  const used = async () => (await post.db('alert_usage').where({ owner_id: post.userId }).first()).used;
  t.equal(await used(), 1, 'a code counts');
  await post.db('alert_usage').update({ used: 99 });
  gateway.reply = () => ({ status: 500 });
  const [first = ''] = await post.post([phone], { thread: 'a' });
  await post.quiet();
  t.equal(await used(), 99, 'what the gateway did not take counts nothing');
  gateway.reply = () => ({ status: 200 });
  await post.pass(10_000);
  t.match([await post.delivery(first), await used()], [{ status: 'sent' }, 100]);
  const [second = ''] = await post.post([phone], { kind: 'firing', thread: 'b' });
  await post.quiet();
  t.match(await post.delivery(second), { status: 'dropped', reason: 'quota', tries: 0 });
  post.clock.advance(121_000);
  await post.quiet();
  t.match(post.mails, [{ to: 'owner@test.example' }]);
  t.match(JSON.stringify(post.mails[0]?.content), /Phone \(quota\)/);
  await post.db('alert_usage').update({ month: '2020-01-01' });
  const [third = ''] = await post.post([phone], { thread: 'c' });
  await post.pass(600_000);
  t.match(await post.delivery(third), { status: 'sent' }, 'a month is counted by itself');
});

t.test(
  'no fallback is sent if a channel accepted the message or may have, or if the message is no longer needed',
  async (t) => {
    const receiver = await startReceiver(t);
    let resolved: EndReason | null = null;
    const post = await openPost(t, {
      needed: {
        refuse: async (_db, messages) => new Map(resolved === null ? [] : messages.map(({ id }) => [id, 'not_needed'])),
      },
    });
    receiver.reply = ({ path }) => (path === '/lost' ? null : { status: path === '/good' ? 200 : 500 });
    const bad = await post.addChannel('Bad', 'webhook', { url: `${receiver.url}/bad` });
    const good = await post.addChannel('Good', 'webhook', { url: `${receiver.url}/good` });
    await post.post([bad, good], { kind: 'firing', thread: 'a' });
    await post.pass(130_000);
    resolved = 'not_needed';
    await post.post([bad], { kind: 'firing', thread: 'b' });
    await post.pass(130_000);
    resolved = null;
    const lost = await post.addChannel('Lost', 'webhook', { url: `${receiver.url}/lost` });
    const [id = ''] = await post.post([lost], { kind: 'firing', thread: 'c' });
    await until('the request', () => receiver.requests.some(({ path }) => path === '/lost'));
    post.clock.advance(11_000);
    await until('the time-out', async () => (await post.delivery(id))['may_have_arrived'] === true);
    await post.db('alert_fallbacks').update({ due_at: new Date(post.clock.now()) });
    post.clock.advance(1_000);
    await post.quiet();
    t.same(await post.db('alert_fallbacks'), [], 'it was looked at');
    t.equal(post.mails.length, 0);
  },
);

t.test('any failed response is recorded, up to 4 KiB, and the message is sent again', async (t) => {
  const receiver = await startReceiver(t);
  const post = await openPost(t);
  const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  const bodies: readonly (readonly [string | Buffer, RegExp])[] = [
    ['a\0b', /^ab$/],
    ['x'.repeat(200_000), /^x{1,4096}$/],
    ['<html><b>Bad Gateway</b></html>', /^<html>/],
    [gzipSync('0'.repeat(10_000_000)), /./],
    [Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80]), /^\ufffd/],
  ];
  for (const [body, expected] of bodies) {
    receiver.reply = () => ({ status: 500, headers: { 'content-encoding': 'gzip' }, body });
    const [id = ''] = await post.post([channel]);
    await post.quiet();
    const { status, attempts } = (await post.delivery(id)) as { status: string; attempts: { response: string }[] };
    t.equal(status, 'retrying');
    t.match(attempts[0]?.response, expected);
    t.ok((attempts[0]?.response.length ?? 0) <= 4_096);
    await post.db('alert_deliveries').delete();
  }
});

t.test(
  'a server that never ends its response, or breaks it off, is a failure that is recorded and tried again',
  async (t) => {
    const post = await openPost(t);
    const cases: readonly (readonly [string, Behaviour, object])[] = [
      ['1xx for ever', floods('', interim), { status_code: null, error: /too many bytes/, outcome: 'unknown' }],
      ['1xx now and then', drips('', interim), { status_code: null, error: /within 10 s/, outcome: 'unknown' }],
      ['a byte now and then', drips(chunkedHead(500), '1\r\na\r\n'), { error: /within 10 s/, outcome: 'unknown' }],
      [
        'an endless body',
        floods(chunkedHead(500), `ffff\r\n${'b'.repeat(65_535)}\r\n`),
        { status_code: 500, response: /^b{4096}$/ },
      ],
      ['a reset', resets, { status_code: null, error: /ECONNRESET/, outcome: 'unknown' }],
    ];
    for (const [name, behave, expected] of cases) {
      const server = await startHostileServer(t, behave);
      const channel = await post.addChannel(name, 'webhook', { url: server.url });
      const [id = ''] = await post.post([channel]);
      await until('the request', () => server.connections === 1);
      if (Reflect.get(expected, 'error')?.test('within 10 s')) post.clock.advance(10_000);
      await post.quiet();
      const { status, attempts } = (await post.delivery(id)) as { status: string; attempts: object[] };
      t.equal(status, 'retrying', name);
      t.match(attempts, [expected], name);
      await until('the connection to be closed', () => server.open === 0);
      await post.db('alert_deliveries').delete();
    }
  },
);

t.test('a name that turns private after it was written is not connected, and its address is not shown', async (t) => {
  const answers = [['203.0.114.1'], ['10.1.2.3'], ['127.0.0.1', '10.1.2.3']];
  let addresses = answers[0] ?? [];
  const resolve = async () => addresses.map((address) => ({ address, family: 4 as const }));
  const post = await openPost(t, { resolve });
  const channel = await post.addChannel('Hook', 'webhook', { url: 'https://hooks.example.com/' });
  for (const turned of answers.slice(1)) {
    addresses = turned;
    const [id = ''] = await post.post([channel]);
    await post.quiet();
    const delivery = await post.delivery(id);
    t.match(delivery, { status: 'dead', reason: 'refused', attempts: [{ outcome: 'refused', error: /not allowed/ }] });
    t.notMatch(JSON.stringify(delivery), '10.1.2.3');
  }
  t.match(await post.db('alert_channels').where({ id: channel.id }).first(), { health: 'failing' });
});

t.test('a requested pause is limited to an hour', async (t) => {
  const receiver = await startReceiver(t);
  const post = await openPost(t);
  receiver.reply = () => ({ status: 429, headers: { 'Retry-After': String(365 * 86_400) } });
  const channel = await post.addChannel('Hook', 'webhook', { url: `${receiver.url}/` });
  await post.post([channel]);
  await post.quiet();
  receiver.reply = () => ({ status: 200 });
  await post.pass(59 * 60_000);
  t.equal(receiver.requests.length, 1);
  await post.pass(2 * 60_000);
  t.equal(receiver.requests.length, 2);
});

t.test('no secret is in a response, a log line, an error, a metric or a table', async (t) => {
  const receiver = await startReceiver(t);
  const post = await openPost(t);
  const secrets = ['geheim-path-1', 'geheim-key-2', 'geheim-header-3', 'geheim-link-4'];
  receiver.reply = ({ path, headers }) => ({ status: 400, body: `no ${path} ${String(headers['x-token'])}` });
  const closed = await closedPort();
  const headers = { 'X-Token': 'geheim-header-3' };
  const channels = [
    await post.addChannel('Echo', 'webhook', { url: `${receiver.url}/geheim-path-1?key=geheim-key-2`, headers }),
    await post.addChannel('Away', 'webhook', {
      url: `http://127.0.0.1:${closed}/geheim-path-1?key=geheim-key-2`,
      headers,
      sign: true,
    }),
    await post.addChannel('Links', 'webhook', {
      url: `${receiver.url}/`,
      body: '{"link": "{{link}}"}',
      headers: { 'X-Key': 'geheim-key-2', ...headers },
    }),
  ];
  const { attempts } = (await sentTo(post, channels)) as { attempts: { response: string }[] };
  t.match(attempts[0]?.response, /^no \*{8}/);
  const account = { owner: { id: post.userId, kind: 'user', isTest: false } } as never;
  const { rows } = await post.alerts.deliveries.list(account, listAll);
  const shown = await Promise.all(rows.map(({ id }) => post.alerts.deliveries.get(id, account)));
  t.match(shown.find(({ channel_name: name }) => name === 'Links')?.request, {
    method: 'POST',
    headers: { 'X-Token': '********' },
    body: '{"link":"https://vantage.example/********"}',
  });
  const dump = await dumpTables(post.db);
  const views = JSON.stringify(shown.map(({ request }) => request));
  const metrics = await post.registry.metrics();
  for (const secret of secrets) {
    t.notOk(dump.includes(secret), `${secret} is in no table`);
    t.notOk(views.includes(secret), `${secret} is in no request that is shown`);
    t.notOk(JSON.stringify(post.log).includes(secret), `${secret} is in no log line`);
    t.notOk(metrics.includes(secret), `${secret} is in no metric`);
  }
  t.match(metrics, /vantage_alert_deliveries_total\{type="webhook",outcome="retry"\} [123]/);
});

const listAll = {
  channelId: undefined,
  alertId: undefined,
  status: undefined,
  kind: undefined,
  fromMs: null,
  toMs: null,
  after: null,
  limit: 50,
};

async function sentTo(post: Awaited<ReturnType<typeof openAlertPost>>, channels: Parameters<typeof post.post>[0]) {
  const [id = ''] = await post.post(channels);
  await post.quiet();
  return post.delivery(id);
}

/** Every row of the tables of alerts, as text; bytes in both of their forms. */
async function dumpTables(db: Awaited<ReturnType<typeof openAlertPost>>['db']): Promise<string> {
  const tables = await db('pg_tables')
    .where({ schemaname: 'public' })
    .where('tablename', 'like', 'alert%')
    .pluck('tablename');
  const dumps = await Promise.all(
    tables.map(async (table) => {
      const rows: object[] = await db(table).select('*');
      const bytes = rows.flatMap((row) => Object.values(row)).filter(Buffer.isBuffer);
      return `${JSON.stringify(rows)}${bytes.map((value) => value.toString('latin1')).join()}`;
    }),
  );
  return dumps.join('\n');
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

t.test('messages of one thread are replies to its first, and each has the Message-ID of its delivery', async (t) => {
  const post = await openPost(t);
  const own = { id: `ch_${post.userId.slice(2)}` } as Awaited<ReturnType<typeof post.addChannel>>;
  const [first] = await post.post([own], { kind: 'firing', thread: 'a' });
  await post.quiet();
  post.clock.advance(1);
  const [second] = await post.post([own], { kind: 'resolved', thread: 'a' });
  await post.quiet();
  t.match(post.mails, [{ key: first }, { key: second, headers: { 'In-Reply-To': `<${first}@test.example>` } }]);
  t.notOk(post.mails[0]?.headers?.['In-Reply-To']);
});
