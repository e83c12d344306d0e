import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t, { type Test } from 'tap';
import { openSockets } from '../../test/_support/open-resources.js';
import { startSpeedtestServer } from './speedtest-server.js';

async function start(t: Test, clock = systemClock): Promise<string> {
  const server = await startSpeedtestServer('127.0.0.1', 0, clock);
  t.teardown(() => server.stop());
  return `http://127.0.0.1:${server.address.port}`;
}

t.test('a speedtest server sends as many bytes as asked, which do not compress and may not be kept', async (t) => {
  const url = await start(t);
  const answer = await fetch(`${url}/speedtest?bytes=3000000`);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-length'), '3000000');
  t.match(answer.headers.get('cache-control'), /no-store/);
  t.equal(answer.headers.get('vantage-speedtest'), '1');
  const bytes = Buffer.from(await answer.arrayBuffer());
  t.equal(bytes.length, 3_000_000);
  t.ok(gzipSync(bytes).length > 2_990_000);
  t.equal((await fetch(`${url}/speedtest?bytes=0`)).headers.get('content-length'), '0');
});

t.test('a speedtest server swallows what is sent and counts it', async (t) => {
  const url = await start(t);
  const answer = await fetch(`${url}/speedtest`, { method: 'POST', body: Buffer.alloc(5_000_000) });
  const counts = (await answer.text()).trimEnd().split('\n').map(Number);
  t.equal(counts.at(-1), 5_000_000);
  t.strictSame(
    counts,
    counts.toSorted((a, b) => a - b),
  );
});

t.test('a speedtest server gives and takes 25 MB at most', async (t) => {
  const url = await start(t);
  for (const wrong of ['25000001', '-1', '1e6', 'x', '']) {
    t.equal((await fetch(`${url}/speedtest?bytes=${wrong}`)).status, 400, wrong);
  }
  t.equal((await fetch(`${url}/speedtest`, { method: 'PUT', body: 'x' })).status, 405);
  t.equal((await fetch(`${url}/else`)).status, 404);
  t.equal((await fetch(`${url}/speedtest/`)).status, 404);
  const declared = await fetch(`${url}/speedtest`, { method: 'POST', body: Buffer.alloc(25_000_001) }).then(
    ({ status }) => status,
    () => 'cut',
  );
  // the refusal may be overtaken by the end of the connection
  t.ok(declared === 413 || declared === 'cut', String(declared));
  const endless = request(`${url}/speedtest`, { method: 'POST' });
  let sent = 0;
  const isCut = new Promise<boolean>((resolve) => {
    endless.on('error', () => resolve(true));
    endless.on('response', (response) =>
      response
        .resume()
        .on('end', () => resolve(false))
        .on('error', () => resolve(true)),
    );
  });
  const chunk = Buffer.alloc(1_000_000);
  const pump = () => {
    while (sent < 60_000_000 && !endless.destroyed) {
      sent += chunk.length;
      if (!endless.write(chunk)) return void endless.once('drain', pump);
    }
    endless.end();
  };
  pump();
  t.equal(await isCut, true, 'a body without an announced length is cut behind 25 MB');
});

t.test('a speedtest server frees a place after fifteen seconds at most', async (t) => {
  const clock = new FakeClock();
  const url = await start(t, clock);
  const before = openSockets();
  const stalled = request(`${url}/speedtest`, { method: 'POST' });
  const over = new Promise<void>((resolve) => stalled.on('error', () => resolve()).on('close', () => resolve()));
  stalled.on('response', (response) => response.on('error', () => {}).resume());
  stalled.write('x');
  await until('it is let in', () => clock.pendingTimers >= 2);
  clock.advance(15_000);
  await over;
  await until('its socket is gone', () => openSockets() <= before);
  await until('its timers are gone', () => clock.pendingTimers === 0);
});

t.test('a caller with more than twelve requests a minute gets the time of its next one', async (t) => {
  // it stands still: the window in which it counts may end at any moment
  const url = await start(t, new FakeClock());
  const statuses: number[] = [];
  for (let i = 0; i < 13; i += 1) statuses.push((await fetch(`${url}/speedtest?bytes=0`)).status);
  t.strictSame(statuses, [...Array(12).fill(200), 429]);
  const refused = await fetch(`${url}/speedtest?bytes=0`);
  t.match(refused.headers.get('retry-after'), /^\d+$/);
});
