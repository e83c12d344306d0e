import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { WebSocket, WebSocketServer } from 'ws';
import { Line } from './line.js';
import { ToxicProxy } from './toxic-proxy.js';
import { WireTap } from './wire-tap.js';

t.test('a tap sees every message of a link both ways, of any size and in any pieces', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  server.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  const seen = { up: [] as string[], down: [] as string[] };
  const tapOf = (messages: string[]) => new WireTap((payload) => messages.push(payload.toString()));
  const taps = { up: tapOf(seen.up), down: tapOf(seen.down) };
  const line = new Line('wire');
  line.set({ sliceBytes: 1_000 });
  const proxy = await ToxicProxy.start({
    clock: systemClock,
    random: () => 0,
    tap: () => ({ up: (bytes) => taps.up.take(bytes), down: (bytes) => taps.down.take(bytes) }),
    waysFrom: () => [{ to: { port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, line }],
  });
  t.teardown(() => proxy.stop());
  const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}`);
  await once(socket, 'open');
  const messages = [0, 1, 125, 126, 127, 65_535, 65_536, 300_000].map((size) =>
    `${size}`.padEnd(size, 'x').slice(0, size),
  );
  for (const message of messages) socket.send(message);
  socket.send('part', { fin: false });
  socket.ping();
  socket.send('s', { fin: true });
  await until('all of them back', () => seen.down.length === messages.length + 1);
  t.ok(seen.up.every((message, index) => message === [...messages, 'parts'][index]));
  t.strictSame(seen.down, seen.up);
  socket.terminate();
});
