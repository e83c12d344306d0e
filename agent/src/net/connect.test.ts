import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { startSilentPort } from '../../test/_support/deaf-server.js';
import { openSockets } from '../../test/_support/open-resources.js';
import { startTcpServer, unusedPort } from '../../test/_support/tcp-server.js';
import { ProbeFailure } from '../probes/failure.js';
import { type ConnectRequest, connectTcp } from './connect.js';

const v4 = (address = '127.0.0.1') => ({ address, family: 4 }) as const;
const v6 = { address: '::1', family: 6 } as const;

function aRequest(parts: Partial<ConnectRequest> & Pick<ConnectRequest, 'port'>): ConnectRequest {
  return { addresses: [v4()], signal: new AbortController().signal, clock: systemClock, ...parts };
}

t.test('connect returns the address that responded and the time it took', async (t) => {
  const server = await startTcpServer(t, () => {});
  const connection = await connectTcp(aRequest({ port: server.port }));
  t.strictSame(connection.address, v4());
  t.ok(connection.connectMs > 0);
  connection.socket.destroy();
});

t.test('connect goes to the next address of a family when one refuses', async (t) => {
  const server = await startTcpServer(t, () => {}, '127.0.0.2');
  const connection = await connectTcp(aRequest({ port: server.port, addresses: [v4('127.0.0.1'), v4('127.0.0.2')] }));
  t.equal(connection.address.address, '127.0.0.2');
  connection.socket.destroy();
});

t.test('connect distinguishes the failures of the system', async (t) => {
  await t.rejects(connectTcp(aRequest({ port: await unusedPort() })), { code: 'tcp_refused', address: v4() });
  // a route that the kernel refuses by itself; no packet leaves
  await t.rejects(connectTcp(aRequest({ port: 80, addresses: [v4('255.255.255.255')] })), { code: 'net_unreachable' });
});

t.test('connect tries the other family at once when the first one fails', async (t) => {
  const server = await startTcpServer(t, () => {}, '127.0.0.1');
  const clock = new FakeClock();
  const connection = await connectTcp(aRequest({ port: server.port, addresses: [v6, v4()], clock }));
  t.strictSame(connection.address, v4(), 'without waiting: this clock stands still');
  t.equal(clock.pendingTimers, 0);
  connection.socket.destroy();
});

t.test('connect tries the other family after 250 ms and closes the loser', async (t) => {
  const port = await startSilentPort(t, '::1');
  const clock = new FakeClock();
  const before = openSockets();
  const server = await startTcpServer(t, () => {}, '127.0.0.1', port);
  const connecting = connectTcp(aRequest({ port, addresses: [v6, v4()], clock }));
  t.equal(clock.pendingTimers, 1);
  clock.advance(249);
  t.equal(clock.pendingTimers, 1, 'not before');
  clock.advance(1);
  const connection = await connecting;
  t.strictSame(connection.address, v4());
  connection.socket.destroy();
  await until('both sockets are closed', () => server.open === 0 && openSockets() <= before);
});

t.test('connect speaks of the reachable family when both fail', async (t) => {
  const port = await unusedPort();
  const unroutable = { address: 'fe80::1', family: 6 } as const;
  await t.rejects(connectTcp(aRequest({ port, addresses: [unroutable, v4()] })), {
    code: 'tcp_refused',
    address: v4(),
  });
});

t.test('connect ends at once when it is aborted, and closes every socket', async (t) => {
  const port = await startSilentPort(t, '::1');
  const before = openSockets();
  const abort = new AbortController();
  const connecting = connectTcp(aRequest({ port, addresses: [v6], signal: abort.signal }));
  connecting.catch(() => {});
  await until('a socket is open', () => openSockets() > before);
  abort.abort(new ProbeFailure('cancelled', 'called off'));
  await t.rejects(connecting, { code: 'cancelled' });
  await until('it is closed', () => openSockets() <= before);
});

t.test('connect lets families take turns, and tries every address 250 ms after the one before', async (t) => {
  const port = await startSilentPort(t, '::1');
  let delays = 0;
  class CountingClock extends FakeClock {
    override after(ms: number, callback: () => void): () => void {
      delays += 1;
      return super.after(ms, callback);
    }
  }
  const clock = new CountingClock();
  const before = openSockets();
  const server = await startTcpServer(t, () => {}, '127.0.0.3', port);
  // ::1 never answers, 127.0.0.1 refuses at once, ::1 again, then the one that listens
  const addresses = [v6, v6, v4('127.0.0.1'), v4('127.0.0.3')];
  const connecting = connectTcp(aRequest({ port, addresses, clock }));
  clock.advance(250);
  await until('the third attempt is under way', () => delays === 3);
  clock.advance(249);
  t.equal(clock.pendingTimers, 1, 'the fourth waits');
  clock.advance(1);
  const connection = await connecting;
  t.strictSame(connection.address, v4('127.0.0.3'));
  t.equal(clock.pendingTimers, 0);
  connection.socket.destroy();
  await until('every socket is closed', () => server.open === 0 && openSockets() <= before + 1);
});
