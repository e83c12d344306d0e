// alone: starts itself again with another environment
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import { LinkAddresses, type LookUp } from '../src/link/link-addresses.js';
import type { LinkWay } from '../src/link/link-way.js';
import { type Leaf, startTlsServer, testAuthorityFile, tlsIdentity } from './_support/certificates.js';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { startNode } from './_support/link-fixture.js';
import { startTcpServer } from './_support/tcp-server.js';

const NAME = 'site.example.com';

// Node reads the variable once, when it begins
if (process.env['NODE_EXTRA_CA_CERTS'] !== testAuthorityFile) {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: testAuthorityFile };
  const again = [...process.execArgv, ...process.argv.slice(1)];
  process.exit(spawnSync(process.execPath, again, { env, stdio: 'inherit' }).status ?? 1);
}
const { default: t } = await import('tap');

/** Opened once; what waits for it goes on then. */
function aGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

async function aWay(t: Test, parts: Partial<LinkWay> & { lookUp?: LookUp } = {}): Promise<LinkWay> {
  const { clock = systemClock, lookUp = async () => ['127.0.0.1'] } = parts;
  const addresses = await LinkAddresses.open({ stateDir: t.testdir(), clock, lookUp, onFallback: () => {} });
  t.teardown(() => addresses.settled());
  return { bindAddress: null, proxyUrl: null, addresses, clock, ...parts };
}

/** TLS before a control plane; `passes` is waited for with every connection. */
async function startFront(
  t: Test,
  controlPlane: FakeControlPlane,
  parts: { leaf?: Leaf; host?: string; port?: number; passes?: Promise<void>; onSecure?: () => void } = {},
) {
  const { leaf = 'good', passes = Promise.resolve(), onSecure = () => {}, ...place } = parts;
  const serve = (socket: Duplex) => {
    onSecure();
    void passes.then(() => join(socket, Number(new URL(controlPlane.url).port)));
  };
  return await startTlsServer(t, tlsIdentity(leaf), serve, undefined, place);
}

function join(socket: Duplex, port: number): void {
  const upstream = connect(port, '127.0.0.1');
  socket.pipe(upstream).pipe(socket);
  socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
  upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
}

/** A proxy whose tunnels lead to 127.0.0.1, and which takes its time with its answer, then with the first byte. */
async function aSlowProxy(t: Test) {
  const [tunnel, bytes] = [aGate(), aGate()];
  const state = { isAsked: false, isUsed: false };
  const server = createServer().on('connect', async (request, socket: Duplex) => {
    state.isAsked = true;
    await tunnel.opened;
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    await once(socket, 'readable');
    state.isUsed = true;
    await bytes.opened;
    join(socket, Number(request.url?.split(':').at(-1)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { state, tunnel, bytes, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

t.test('TLS through a proxy far away opens a link: every step has ten seconds of its own', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const clock = new FakeClock();
  const proxy = await aSlowProxy(t);
  const upgrade = aGate();
  let isSecure = false;
  const onSecure = () => {
    isSecure = true;
  };
  const front = await startFront(t, controlPlane, { passes: upgrade.opened, onSecure });
  const way = await aWay(t, { proxyUrl: proxy.url, clock });
  const node = await startNode(t, controlPlane, { clock, way, controlUrls: [`https://${NAME}:${front.port}`] });
  await until('the proxy is asked', () => proxy.state.isAsked);
  clock.advance(9_000);
  proxy.tunnel.open();
  await until('TLS begins', () => proxy.state.isUsed);
  clock.advance(9_000);
  proxy.bytes.open();
  await until('TLS is there', () => isSecure);
  clock.advance(9_000);
  upgrade.open();
  const peer = await controlPlane.nextPeer();
  await until('the hello is there', () => peer.frames.length === 1);
  clock.advance(9_000);
  await peer.challenge();
  await until('the proof is there', () => peer.frames.length === 2);
  clock.advance(9_000);
  await peer.sendWelcome();
  await until('the link is open', () => node.link.status.state === 'open');
  t.equal(controlPlane.peers.length, 1, 'by the first dial');
});

t.test('each step that takes longer ends the dial, by its name, and leaves no socket', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const silent = await startTcpServer(t, () => {});
  const mute = await startTlsServer(t, tlsIdentity('good'), (socket) => void socket.resume());
  const proxyUrl = `http://127.0.0.1:${silent.port}`;
  const steps = [
    { what: 'the address of', parts: { lookUp: () => new Promise<string[]>(() => {}) }, url: `https://${NAME}` },
    { what: 'the proxy', parts: { proxyUrl }, url: `https://${NAME}` },
    { what: 'TLS', parts: {}, url: `https://${NAME}:${silent.port}` },
    { what: 'the upgrade', parts: {}, url: `https://${NAME}:${mute.port}` },
  ];
  for (const { what, parts, url } of steps) {
    const clock = new FakeClock();
    const way = await aWay(t, { clock, ...parts });
    const node = await startNode(t, controlPlane, { clock, way, controlUrls: [url] });
    await until(`${what}: its time runs`, () => {
      // steps before it are quick
      clock.advance(100);
      return node.link.status.lastEnd !== null;
    });
    t.match(node.link.status.lastEnd, {
      kind: 'unreachable',
      message: new RegExp(`^${what}.* took longer than 10 s$`),
    });
    await node.stop();
  }
  await until('no socket of the plain server is left', () => silent.open === 0);
  await until('nor one of TLS', () => mute.open === 0);
});

t.test('an address with another server’s certificate comes last, and hides no good one', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const good = await startFront(t, controlPlane);
  await startFront(t, controlPlane, { leaf: 'wrong-name', host: '127.0.0.2', port: good.port });
  const state = { isDnsDead: false };
  const lookUp: LookUp = async () => {
    if (state.isDnsDead) throw new Error('EAI_AGAIN');
    return ['127.0.0.2', '127.0.0.1'];
  };
  const way = await aWay(t, { lookUp });
  const ends: (string | undefined)[] = [];
  const node = await startNode(t, controlPlane, { way, controlUrls: [`https://${NAME}:${good.port}`] });
  await until('somebody else answered', () => node.link.status.lastEnd !== null);
  ends.push(node.link.status.lastEnd?.message);
  const first = await controlPlane.nextOpenPeer();
  t.match(ends, [/certificate|altnames/i]);
  state.isDnsDead = true;
  const before = node.link.status.generation;
  first.socket.terminate();
  await controlPlane.nextOpenPeer();
  t.equal(node.link.status.generation, before + 1, 'by the first dial, without DNS');
});

t.test('a stored address that now has another owner is tried once, then the good one', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const good = await startFront(t, controlPlane);
  await startFront(t, controlPlane, { leaf: 'wrong-name', host: '127.0.0.2', port: good.port });
  const addresses = await LinkAddresses.open({
    stateDir: t.testdir(),
    clock: systemClock,
    lookUp: async () => ['127.0.0.2', '127.0.0.1'],
    onFallback: () => {},
  });
  t.teardown(() => addresses.settled());
  addresses.worked(NAME, '127.0.0.2');
  const way = await aWay(t, { addresses });
  const node = await startNode(t, controlPlane, { way, controlUrls: [`https://${NAME}:${good.port}`] });
  await controlPlane.nextOpenPeer();
  t.equal(node.link.status.generation, 2);
  t.same(await addresses.find(NAME), ['127.0.0.1', '127.0.0.2']);
});
