import { connect } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { type Proxied, Recorder, startProxied } from './_support/proxied.js';
import { Line } from './line.js';
import { ToxicProxy } from './toxic-proxy.js';

/** A connection with both ends; it has carried `hi` up. */
async function connected(proxied: Proxied) {
  const client = await proxied.dial();
  client.socket.write('hi');
  const count = proxied.accepted.length;
  await until('the connection at the server', () => proxied.accepted.length > count || count > 0);
  const server = proxied.accepted.at(-1);
  if (server === undefined) throw new Error('nothing was accepted');
  await server.hears('hi');
  return { client, server };
}

t.test('a proxy in good weather carries bytes and ends both ways, each for itself', async (t) => {
  const { client, server } = await connected(await startProxied(t));
  server.socket.write('hello');
  await client.hears('hello');
  client.socket.end('bye');
  await until('the end at the server', () => server.hasEnded);
  await server.hears('hibye');
  server.socket.end('still here');
  await until('the end at the client', () => client.hasEnded);
  await client.hears('hellostill here');
  t.equal(client.error, null);
});

t.test('latency and jitter delay one direction, in order', async (t) => {
  const proxied = await startProxied(t);
  const { clock, line } = proxied;
  const { client, server } = await connected(proxied);
  line.set({ latencyMs: 2_000, jitterMs: 200 }, ['up']);
  client.socket.write('slow');
  await until('the piece in the queue', () => clock.nextMs === 2_100);
  line.set({ latencyMs: 0, jitterMs: 0 });
  client.socket.write('er');
  server.socket.write('at once');
  await client.hears('at once');
  clock.advance(2_099);
  server.socket.write('!');
  await client.hears('at once!');
  t.equal(server.text, 'hi', 'what was sent later does not overtake');
  clock.advance(1);
  await server.hears('hislower');
});

t.test('bandwidth holds bytes back, down to a crawl', async (t) => {
  const proxied = await startProxied(t);
  const { clock, line } = proxied;
  const { client, server } = await connected(proxied);
  line.set({ bytesPerSecond: 1_000 }, ['up']);
  client.socket.write('x'.repeat(500));
  await server.hears(`hi${'x'.repeat(50)}`);
  for (let tenth = 2; tenth <= 10; tenth++) {
    clock.advance(50);
    await server.hears(`hi${'x'.repeat(50 * tenth)}`);
  }
  t.equal(clock.nextMs, null);
});

t.test('a partition in one direction hides bytes and the end, and gives them out when it heals', async (t) => {
  const proxied = await startProxied(t);
  const { line } = proxied;
  const { client, server } = await connected(proxied);
  line.set({ isStalled: true }, ['down']);
  server.socket.write('lost?');
  server.socket.end();
  client.socket.write(' there');
  await server.hears('hi there');
  t.strictSame([client.text, client.hasEnded], ['', false]);
  line.heal();
  await client.hears('lost?');
  await until('the end', () => client.hasEnded);
});

t.test('a connection made into a partition is accepted and hears nothing until it heals', async (t) => {
  const proxied = await startProxied(t);
  const { line, accepted } = proxied;
  line.set({ isStalled: true });
  const client = await proxied.dial();
  client.socket.write('hello?');
  const other = await proxied.dial();
  other.socket.destroy();
  t.strictSame([accepted.length, client.isClosed], [0, false]);
  line.heal();
  await until('the connection', () => accepted.some(({ text }) => text === 'hello?'));
  t.equal(client.error, null);
});

t.test('a killed peer behind a partition looks alive until it heals', async (t) => {
  const proxied = await startProxied(t);
  const { client, server } = await connected(proxied);
  proxied.line.set({ isStalled: true });
  server.socket.resetAndDestroy();
  client.socket.write('are you there');
  await until('the server to be gone', () => server.isClosed);
  t.strictSame([client.isClosed, client.error], [false, null]);
  proxied.line.heal();
  await until('the reset', () => client.isClosed);
  t.equal(client.error, 'ECONNRESET');
});

t.test('cut ends what there is, by reset or in order, and takes new connections', async (t) => {
  const proxied = await startProxied(t);
  const { line } = proxied;
  const first = await connected(proxied);
  line.cut('rst');
  await until('both to be closed', () => first.client.isClosed && first.server.isClosed);
  t.equal(first.client.error, 'ECONNRESET');
  const client = await proxied.dial();
  client.socket.write('again');
  await until('the connection', () => proxied.accepted.at(-1)?.text === 'again');
  line.cut('fin');
  await until('the end', () => client.hasEnded);
  t.equal(client.error, null);
  t.equal(line.connections, 0);
});

t.test('a connection is cut in the middle of what it says', async (t) => {
  const proxied = await startProxied(t);
  const { client, server } = await connected(proxied);
  proxied.line.set({ cutAfterBytes: 2 + 3 }, ['up']);
  client.socket.write('abcdef');
  await until('the reset', () => client.isClosed);
  t.equal(client.error, 'ECONNRESET');
  t.ok('hiabc'.startsWith(server.text), server.text);
});

t.test('slices arrive one by one', async (t) => {
  const proxied = await startProxied(t);
  const { client, server } = await connected(proxied);
  proxied.line.set({ sliceBytes: 2, bytesPerSecond: 1_000 }, ['up']);
  client.socket.write('abcdef');
  for (const text of ['hiab', 'hiabcd', 'hiabcdef']) {
    await server.hears(text);
    proxied.clock.advance(2);
  }
  t.strictSame(server.pieces.map(String), ['hi', 'ab', 'cd', 'ef']);
});

t.test('a proxy that refuses closes its port, and then listens on the same port again', async (t) => {
  const proxied = await startProxied(t);
  const { proxy } = proxied;
  const { client, server } = await connected(proxied);
  await proxy.refuse();
  t.equal((await proxied.dial()).error, 'ECONNREFUSED');
  client.socket.write(' still');
  await server.hears('hi still');
  await proxy.accept();
  t.equal((await proxied.dial()).error, null);
});

t.test('a connection goes another way when the end of the first one is closed', async (t) => {
  const proxied = await startProxied(t);
  const { clock } = proxied;
  const dead = await ToxicProxy.start({ clock, random: () => 0, waysFrom: () => [] });
  await dead.stop();
  const ways = [dead.port, proxied.proxy.port].map((port) => ({
    to: { port, host: '127.0.0.1' },
    line: new Line('w'),
  }));
  const dialBy = async (count: number) => {
    const balancer = await ToxicProxy.start({ clock, random: () => 0, waysFrom: () => ways.slice(0, count) });
    t.teardown(() => balancer.stop());
    return new Recorder(connect({ port: balancer.port, host: '127.0.0.1' }));
  };
  const client = await dialBy(2);
  client.socket.write('hi');
  await until('the connection', () => proxied.accepted.at(-1)?.text === 'hi');
  client.socket.destroy();
  proxied.accepted.at(-1)?.socket.end();
  await until('nobody on the line', () => ways.every(({ line }) => line.connections === 0));
  const lost = await dialBy(1);
  await until('the reset', () => lost.isClosed);
  t.equal(lost.error, 'ECONNRESET');
});
