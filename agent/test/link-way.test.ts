import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t, { type Test } from 'tap';
import { enroll } from '../src/identity/enrollment.js';
import { LinkAddresses, type LookUp } from '../src/link/link-addresses.js';
import { type LinkWay, openStream } from '../src/link/link-way.js';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { startNode } from './_support/link-fixture.js';

async function aWay(t: Test, parts: Partial<LinkWay> & { lookUp?: LookUp; stateDir?: string } = {}): Promise<LinkWay> {
  const lookUp = parts.lookUp ?? (async () => ['127.0.0.1']);
  const stateDir = parts.stateDir ?? t.testdir();
  const addresses = await LinkAddresses.open({ stateDir, clock: systemClock, lookUp, onFallback: () => {} });
  t.teardown(() => addresses.settled());
  return { bindAddress: null, proxyUrl: null, addresses, clock: systemClock, ...parts };
}

/** A real HTTP proxy: it tunnels to 127.0.0.1, whatever the name, and remembers what it was asked for. */
async function aProxy(t: Test, answer = 'HTTP/1.1 200 Connection established\r\n\r\n') {
  const asked: { authority: string | undefined; authorization: string | undefined }[] = [];
  const from: (string | undefined)[] = [];
  const proxy = createServer((_request, response) => void response.writeHead(400).end());
  proxy.on('connect', (request, socket, head) => {
    from.push(request.socket.remoteAddress);
    asked.push({ authority: request.url, authorization: request.headers['proxy-authorization'] });
    socket.write(answer);
    if (!answer.includes(' 200 ')) return void socket.end();
    const port = Number(request.url?.split(':').at(-1));
    const upstream = connect(port, '127.0.0.1', () => upstream.write(head));
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream]) end.on('error', () => [socket, upstream].forEach((other) => other.destroy()));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { asked, from, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

/** A URL of this control plane by a name that no resolver has. */
const named = (controlPlane: FakeControlPlane) => controlPlane.url.replace('127.0.0.1', 'control.invalid');

t.test('a node whose resolver died after its first link comes back by the address that worked', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  let isDead = false;
  const lookUp: LookUp = async () => {
    if (isDead) throw new Error('EAI_AGAIN');
    return ['127.0.0.1'];
  };
  await startNode(t, controlPlane, { controlUrls: [named(controlPlane)], way: await aWay(t, { lookUp }) });
  const first = await controlPlane.nextOpenPeer();
  isDead = true;
  first.socket.terminate();
  await controlPlane.nextOpenPeer();
});

t.test('the link goes through the configured proxy, which alone resolves the name', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const proxy = await aProxy(t);
  const proxyUrl = proxy.url.replace('//', '//us%40er:pa%3Ass@');
  const lookUp: LookUp = async (host) => {
    throw new Error(`nobody should ask for ${host}`);
  };
  const node = await startNode(t, controlPlane, {
    controlUrls: [named(controlPlane)],
    way: await aWay(t, { proxyUrl, lookUp }),
  });
  const peer = await controlPlane.nextOpenPeer();
  peer.job('pt_1');
  await peer.next('results');
  t.same(proxy.asked, [
    {
      authority: new URL(named(controlPlane)).host,
      authorization: `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`,
    },
  ]);
  t.equal(node.link.status.state, 'open');
});

t.test('a refusal of the proxy is reported as the reason, without its credentials', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const proxy = await aProxy(t, 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  const proxyUrl = proxy.url.replace('//', '//user:hunter2@');
  const node = await startNode(t, controlPlane, { way: await aWay(t, { proxyUrl }) });
  await until('a try has failed', () => node.link.status.lastEnd !== null);
  t.match(node.link.status.lastEnd, { kind: 'unreachable', message: /407/ });
  t.notMatch(JSON.stringify(node.link.status), /hunter2/);
});

t.test('a proxy that sends nonsense, or hangs, costs one attempt and leaves no socket', async (t) => {
  const sockets = new Set<unknown>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => socket.write('x'.repeat(10_000)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const proxyUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const way = await aWay(t, { proxyUrl });
  await t.rejects(
    openStream(new URL('http://control.invalid'), way, new AbortController().signal),
    /does not speak HTTP/,
  );
  const aborted = new AbortController();
  server.removeAllListeners('connection').on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    aborted.abort(new Error('given up'));
  });
  await t.rejects(openStream(new URL('http://control.invalid'), way, aborted.signal), /given up/);
  await until('no socket is left', () => sockets.size === 0);
});

t.test('enrollment goes through the configured proxy too, from the address it is bound to', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const proxy = await aProxy(t);
  const identity = await enroll({
    stateDir: `${t.testdir()}/state`,
    url: controlPlane.url,
    token: makeToken(tokenPrefixes.enrollment).token,
    version: '0.0.0',
    capabilities: [],
    isInsecureAllowed: false,
    bindAddress: '127.0.0.9',
    proxyUrl: proxy.url,
    clock: systemClock,
    random: () => 0,
    onRetry: () => {},
  });
  t.equal(identity.nodeId, controlPlane.nodeId);
  t.same(
    proxy.asked.map(({ authority }) => authority),
    [new URL(controlPlane.url).host],
  );
  t.same(proxy.from, ['127.0.0.9']);
});
