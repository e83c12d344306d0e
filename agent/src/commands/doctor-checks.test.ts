import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { askControlPlane } from '../link/ask-control-plane.js';
import { checkCapability, checkStateDir, judgeClock, judgeControlPlane } from './doctor-checks.js';

t.test('a capability that is missing comes with its reason and its remedy', async (t) => {
  const report = {
    name: 'icmp',
    isAvailable: false,
    reason: 'no CAP_NET_RAW',
    remedy: 'setcap cap_net_raw+ep node',
  } as const;
  t.same(checkCapability(report), {
    name: 'capability icmp',
    status: 'warning',
    detail: 'no CAP_NET_RAW',
    remedy: 'setcap cap_net_raw+ep node',
  });
  t.match(checkCapability({ ...report, isAvailable: true, reason: null, remedy: null }), { status: 'ok' });
});

t.test('a state directory that others can read is told', async (t) => {
  const stateDir = t.testdir();
  chmodSync(stateDir, 0o755);
  t.match(await checkStateDir(stateDir), { status: 'warning', remedy: `chmod 700 ${stateDir}` });
  chmodSync(stateDir, 0o700);
  t.match(await checkStateDir(stateDir), { status: 'ok' });
  t.match(await checkStateDir(`${stateDir}/none`), { status: 'failed', remedy: /enroll/ });
});

t.test('a clock that is off is told, with side and amount', async (t) => {
  const nowMs = Date.UTC(2026, 0, 1);
  t.match(judgeClock(nowMs, nowMs - 1999), { status: 'ok' });
  t.match(judgeClock(nowMs, nowMs - 60_000), { status: 'warning', detail: '60 s ahead of the control plane' });
  t.match(judgeClock(nowMs, nowMs + 60_000), { status: 'warning', detail: '60 s behind the control plane' });
  t.match(judgeClock(nowMs, null), { status: 'warning' });
});

t.test('a control plane answers, refuses or is not there', async (t) => {
  const server = createServer((request, response) => response.writeHead(request.url === '/healthz' ? 200 : 404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await askControlPlane(`${url}/`, '127.0.1.9');
  t.match(judgeControlPlane(url, answer), { status: 'ok' });
  t.ok(!(answer instanceof Error) && answer.dateMs !== null, 'with its time');
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  t.match(judgeControlPlane(url, await askControlPlane(url, null)), {
    status: 'failed',
    detail: /ECONNREFUSED/,
    remedy: /VANTAGE_AGENT_BIND/,
  });
  t.match(judgeControlPlane(url, { status: 502, dateMs: null }), { status: 'failed', detail: 'answers 502' });
});
