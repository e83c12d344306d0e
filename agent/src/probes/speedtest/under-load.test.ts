import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { openSockets, turns } from '../../../test/_support/open-resources.js';
import { aContext, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer, type TestServer } from '../../../test/_support/tcp-server.js';
import { speedtest } from './index.js';

/** A clock that is read slowly: between one reading and the next pass `readMs`, so that every connect lasts that long. */
class SlowClock extends FakeClock {
  readMs = 0;
  #spentMs = 0;

  override monotonicMs(): number {
    this.#spentMs += this.readMs;
    return super.monotonicMs() + this.#spentMs;
  }
}

/** A server for speed tests that holds what it gives and takes; `transfers` grows with each of them. */
async function startHoldingServer(t: Test): Promise<{ url: string; server: TestServer; transfers: Socket[] }> {
  const transfers: Socket[] = [];
  const server = await startTcpServer(t, (socket) => {
    socket.once('data', (head) => {
      const isUpload = head.toString('latin1').startsWith('POST');
      // an upload is held by taking no more of it
      if (isUpload) socket.pause();
      const body = isUpload ? '700\n' : 'x'.repeat(1000);
      socket.write(`HTTP/1.1 200 OK\r\nvantage-speedtest: 1\r\nconnection: close\r\n\r\n${body}`);
      transfers.push(socket);
    });
  });
  return { url: `http://127.0.0.1:${server.port}/speedtest`, server, transfers };
}

/** Advances the clock past the `count`th pause of that length, once it has started. */
async function pass(clock: FakeClock, ms: number, count: number): Promise<void> {
  await until(`pause ${count} of ${ms} ms`, () => clock.begun(ms) === count);
  clock.advance(ms);
}

t.test('speedtest measures latency under load in each direction, only by connects during the transfer', async (t) => {
  const { url, server, transfers } = await startHoldingServer(t);
  const clock = new SlowClock();
  const running = speedtest.run(aSpec('speedtest', url, { bytes: 100_000, duration_ms: 9000 }), aContext({ clock }));
  clock.readMs = 1;
  for (let count = 1; count <= 10; count += 1) await pass(clock, 50, count);
  await until('the download', () => clock.begun(9000) === 1);
  clock.readMs = 7;
  for (let count = 1; count <= 3; count += 1) await pass(clock, 200, count);
  await until('three connects beside the download', () => clock.begun(200) === 4);
  transfers[0]?.end();
  await until('the upload', () => clock.begun(9000) === 2);
  clock.readMs = 9;
  for (let count = 5; count <= 6; count += 1) await pass(clock, 200, count);
  await until('two connects beside the upload', () => clock.begun(200) === 7);
  transfers[1]?.resume().end();
  t.match(await running, {
    success: true,
    latency_ms: 1,
    jitter_ms: 0,
    download: { bytes: 1000, latency_ms: 7 },
    upload: { bytes: 700, latency_ms: 9 },
  });
  t.equal(server.accepted, 1 + 10 + (1 + 3) + (1 + 2));
  t.equal(clock.pendingTimers, 0);
});

t.test('speedtest gives each way its time, and the end of an upload two seconds more to arrive', async (t) => {
  const before = openSockets();
  const { url, transfers } = await startHoldingServer(t);
  const clock = new FakeClock();
  let isOver = false;
  const running = speedtest.run(aSpec('speedtest', url, { duration_ms: 3000 }), aContext({ clock })).finally(() => {
    isOver = true;
  });
  for (let count = 1; count <= 10; count += 1) await pass(clock, 50, count);
  await until('the download', () => clock.begun(3000) === 1);
  clock.advance(2999);
  await turns();
  t.equal(transfers.length, 1, 'the download goes on');
  clock.advance(1);
  await until('the upload', () => clock.begun(3000) === 2);
  clock.advance(3000 + 1999);
  await turns();
  t.notOk(isOver, 'the upload has its tail');
  clock.advance(1);
  t.match(await running, { success: true, bytes: 1700, download: { bytes: 1000 }, upload: { bytes: 700 } });
  t.equal(clock.pendingTimers, 0);
  for (const socket of transfers) socket.destroy();
  await until('no socket is left', () => openSockets() <= before + 1);
});

t.test('an upload that ends before the second count of the server has a rate, from its start', async (t) => {
  const held: ServerResponse[] = [];
  const server = await startHttpServer(t, ({ method }, response) => {
    response.setHeader('vantage-speedtest', '1');
    if (method === 'GET') response.end('x');
    else held.push(response);
  });
  const clock = new FakeClock();
  const url = `http://127.0.0.1:${server.port}/speedtest`;
  const running = speedtest.run(aSpec('speedtest', url, { bytes: 100_000 }), aContext({ clock }));
  for (let count = 1; count <= 10; count += 1) await pass(clock, 50, count);
  await until('the upload has arrived', () => held.length === 1);
  clock.advance(100);
  held[0]?.end('100000\n');
  t.match(await running, { success: true, upload_bps: 8_000_000, upload: { bytes: 100_000, ms: 100 } });
});
