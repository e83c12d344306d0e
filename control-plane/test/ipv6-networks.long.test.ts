import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import { until } from '@vantage/shared/_support/until.js';
import { LINK_PATH, LINK_SUBPROTOCOL } from '@vantage/shared/protocol/limits.js';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { isInOwnNetwork, runInOwnNetwork } from './_support/own-network.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { apiOf, type StackSettings, startStack } from './_support/stack.js';

// A stranger with a /64 has 2^64 addresses, and with a /48 65 536 networks of that size. Real sockets, each from an
// address of its own, in a network where all of them belong to this machine.

const SERVER = '2001:db8:ffff::1';
const SERVER_IPV4 = '203.0.113.1';
const own = (subnet: number, host = 1) => `2001:db8:a:${subnet.toString(16)}::${host.toString(16)}`;

/** Assigns every address of these prefixes to this machine; all of them may be bound. */
function takePrefixes(): void {
  for (const args of [
    ['-6', 'route', 'add', 'local', '2001:db8::/32', 'dev', 'lo'],
    ['-4', 'route', 'add', 'local', '198.51.100.0/24', 'dev', 'lo'],
    ['-4', 'route', 'add', 'local', '203.0.113.0/24', 'dev', 'lo'],
  ]) {
    const { status, stderr } = spawnSync('ip', args);
    if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
  }
  writeFileSync('/proc/sys/net/ipv6/ip_nonlocal_bind', '1');
}

async function startSite(t: Test, settings: StackSettings = {}, clock?: FakeClock) {
  const { api } = await startStack(
    t,
    { VANTAGE_LISTEN: ':0', VANTAGE_PUBLIC_URL: 'http://x.example', ...settings },
    clock,
  );
  return { api, port: Number(new URL(api.url).port) };
}

interface Asked {
  readonly status: number;
  readonly remaining: string | undefined;
}

/** One request from one address, over a connection of its own. */
function ask(
  port: number,
  from: string,
  {
    path = '/v1/nodes',
    method = 'GET',
    token,
    body,
  }: { path?: string; method?: string; token?: string; body?: object } = {},
): Promise<Asked> {
  const text = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: from.includes(':') ? SERVER : SERVER_IPV4,
      port,
      localAddress: from,
      path,
      method,
      agent: false,
      headers: {
        ...(text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    request.once('error', reject).once('response', (response: IncomingMessage) => {
      response.resume().once('end', () => {
        const remaining = response.headers['x-ratelimit-remaining'];
        resolve({ status: response.statusCode ?? 0, remaining: remaining?.toString() });
      });
    });
    request.end(text);
  });
}

async function statuses(count: number, one: (index: number) => Promise<Asked>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let index = 0; index < count; index += 1) {
    const { status } = await one(index);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

async function testLimits(t: Test): Promise<void> {
  const settings = {
    VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": 5}}',
  };
  const clock = new FakeClock(Math.floor(Date.now() / 1_000) * 1_000 + 300);
  const { port } = await startSite(t, settings, clock);
  const nextMinute = () => clock.advance(60_000);

  await t.test('all addresses of a /64 count as one, each IPv4 address separately', async (t) => {
    t.same(await statuses(12, (index) => ask(port, own(1, index + 1))), { 200: 5, 429: 7 });
    t.match(await ask(port, own(2)), { status: 200, remaining: '4' });
    for (const host of [1, 2]) t.match(await ask(port, `198.51.100.${host}`), { status: 200, remaining: '4' });
    nextMinute();
  });

  await t.test('a /48 has sixteen times the limit of a /64, however it is divided', async (t) => {
    t.same(await statuses(120, (index) => ask(port, own(index + 16))), { 200: 80, 429: 40 });
    t.same(await ask(port, own(0xfff0)), { status: 429, remaining: '0' }, 'a network without earlier requests');
    t.match(await ask(port, '2001:db8:b::1'), { status: 200, remaining: '4' }, 'another site');
    nextMinute();
    t.match(await ask(port, own(16)), { status: 200, remaining: '4' });
    nextMinute();
  });

  await t.test('guesses of tokens and passwords count by /64 and by /48', async (t) => {
    const token = `vantage_pat_${'A'.repeat(43)}`;
    t.same(await statuses(310, (index) => ask(port, own(1, index + 1), { token })), { 401: 300, 429: 10 });
    const body = { email: 'nobody@test.example', password: 'wrong password' };
    const signIn = (from: string) =>
      ask(port, from, { path: '/v1/auth/login', method: 'POST', body: { email: body.email } });
    const counts = await statuses(500, (index) => signIn(own(index + 1)));
    t.same(counts, { 400: 480, 429: 20 });
    nextMinute();
    t.same(await statuses(35, (index) => signIn(own(1, index + 1))), { 400: 30, 429: 5 });
  });
}

function dial(t: Test, port: number, from: string): WebSocket {
  const socket = new WebSocket(`ws://[${SERVER}]:${port}${LINK_PATH}`, LINK_SUBPROTOCOL, { localAddress: from });
  t.teardown(() => socket.terminate());
  return socket.on('error', () => {});
}

/** Outcome of a dial: 101, or the status of its refusal. */
async function outcome(socket: WebSocket): Promise<number> {
  return Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, response]) => (response as IncomingMessage).statusCode ?? 0),
  ]);
}

async function testLinks(t: Test): Promise<void> {
  const settings = {
    VANTAGE_LINK_UNPROVEN_PER_ADDRESS: '2',
    VANTAGE_LINK_RATE: '60',
    VANTAGE_CONNECTIONS_PER_ADDRESS: '4',
  };
  // no time passes: sockets without a proof are neither given up nor given more places while others are dialed
  const { api: local, port } = await startSite(t, settings, new FakeClock(Date.now()));
  const api = apiOf(`http://[${SERVER}]:${port}`, local.token, local.userId);
  const identity = await enrollPeer(local, { audience: 'http://x.example' });

  await t.test('unproven sockets are bounded by /64 and by /48', async (t) => {
    const results: number[] = [];
    for (let index = 0; index < 40; index += 1)
      results.push(await outcome(dial(t, port, own((index >> 2) + 1, index + 1))));
    t.equal(results.filter((status) => status === 101).length, 20, 'two of each network');
    const more: number[] = [];
    for (let index = 0; index < 20; index += 1) more.push(await outcome(dial(t, port, own(index + 100))));
    t.equal(more.filter((status) => status === 101).length, 12, 'and 32 of the site');
  });

  await t.test('sockets opened one after the other without a proof take no places that agents wait for', async (t) => {
    const results: number[] = [];
    for (let index = 0; index < 200; index += 1) {
      const socket = dial(t, port, `2001:db8:c:1::${index + 1}`);
      results.push(await outcome(socket));
      socket.terminate();
    }
    t.ok(results.filter((status) => status === 101).length <= 2, 'two in ten seconds');
    const peer = await PeerAgent.connect(t, api.url, identity, { localAddress: '2001:db8:d::1' });
    t.ok(peer.isOpen);
  });

  await t.test('connections are bounded by /64 and by /48, links are not counted', async (t) => {
    const open = async (from: string): Promise<Socket> => {
      const host = from.includes(':') ? SERVER : SERVER_IPV4;
      const socket = connect({ host, port, localAddress: from }).on('error', () => {});
      t.teardown(() => socket.destroy());
      await once(socket, 'connect');
      return socket.resume();
    };
    const isKept = async (socket: Socket): Promise<boolean> => {
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk.toString();
      });
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      await until('a response or the end', () => received !== '' || socket.destroyed);
      return received !== '';
    };
    for (const from of [(index: number) => `2001:db8:e:1::${index + 1}`, () => '198.51.100.7']) {
      const sockets: Socket[] = [];
      for (let index = 0; index < 6; index += 1) sockets.push(await open(from(index)));
      const kept: boolean[] = [];
      for (const socket of sockets) kept.push(await isKept(socket));
      t.same(kept, [true, true, true, true, false, false]);
      sockets[0]?.destroy();
      await until('room for another', async () => isKept(await open(from(9))));
    }
    let taken = 0;
    for (let index = 0; index < 80; index += 1)
      if (await isKept(await open(`2001:db8:f:${index.toString(16)}::1`))) taken += 1;
    t.equal(taken, 64);
    for (let index = 0; index < 6; index += 1) {
      const node = await enrollPeer(local, { audience: 'http://x.example', name: `node ${index}` });
      const peer = await PeerAgent.connect(t, api.url, node, { localAddress: '2001:db8:d:2::1' });
      t.ok(peer.isOpen, 'links of one network beyond the bound');
    }
  });
}

if (!isInOwnNetwork) skipFileWithout('permission to create networks', 'permission to mount', 'ip');
if (isInOwnNetwork) {
  takePrefixes();
  t.test('limits of requests apply to networks of IPv6', testLimits);
  t.test('limits of sockets apply to networks of IPv6', testLinks);
} else runInOwnNetwork(import.meta.url);
