import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t, { type Test } from 'tap';
import { openSockets } from '../../test/_support/open-resources.js';
import { connectFirst } from './connect-first.js';

async function aServer(t: Test): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

const options = { bindAddress: null, clock: systemClock, signal: new AbortController().signal };

t.test('addresses that refuse are skipped for the one that responds', async (t) => {
  const port = await aServer(t);
  const { socket, address } = await connectFirst(['127.0.0.2', '127.0.0.3', '127.0.0.1'], { ...options, port });
  t.equal(address, '127.0.0.1');
  socket.destroy();
});

t.test('if no address responds, the first error is the reason', async (t) => {
  const port = await aServer(t);
  await t.rejects(connectFirst(['127.0.0.2', '127.0.0.3'], { ...options, port }), /ECONNREFUSED 127.0.0.2/);
  await t.rejects(connectFirst([], { ...options, port }), /no address/);
});

t.test('an attempt that is given up leaves no socket', async (t) => {
  const before = openSockets();
  const giveUp = new AbortController();
  const port = await aServer(t);
  const connecting = connectFirst(['127.0.0.1'], { ...options, port, signal: giveUp.signal });
  giveUp.abort(new Error('given up'));
  await t.rejects(connecting, /given up/);
  await until('no socket is left', () => openSockets() <= before + 1);
});
