import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@vantage/shared/clock.js';
import { judgeSynchronisation } from '@vantage/shared/kernel-clock.js';
import { selfTestNames } from '@vantage/shared/self-test.js';
import t from 'tap';
import { startTlsServer, tlsIdentity } from '../../test/_support/certificates.js';
import { startDnsServer } from '../../test/_support/dns-server.js';
import { unusedPort } from '../../test/_support/tcp-server.js';
import { askControlPlane } from '../link/ask-control-plane.js';
import {
  checkCapability,
  checkDns,
  checkStateDir,
  judgeClock,
  judgeControlPlane,
  judgeProxy,
  judgeRoutes,
  selfTestChecks,
} from './doctor-checks.js';

const straight = (bindAddress: string | null) => {
  const find = async (address: string) => [address];
  const addresses = { find, worked: () => undefined, failed: () => undefined };
  return { bindAddress, proxyUrl: null, addresses, clock: systemClock };
};

t.test('doctor shows the route of the link and the ignored proxies, without passwords', async (t) => {
  t.match(judgeProxy({ proxyUrl: null, ignoredProxies: [] }), { status: 'ok', detail: /direct/, remedy: null });
  const ignored = judgeProxy({ proxyUrl: null, ignoredProxies: ['HTTPS_PROXY'] });
  t.match(ignored, { status: 'ok', detail: /HTTPS_PROXY/, remedy: /VANTAGE_AGENT_PROXY/ });
  const used = judgeProxy({ proxyUrl: 'http://user:hunter2@proxy.example:3128', ignoredProxies: [] });
  t.equal(used.detail, 'through the proxy proxy.example:3128');
});

t.test('a missing capability is shown with its reason and its remedy', async (t) => {
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

t.test('a state directory that others can read is reported', async (t) => {
  const stateDir = t.testdir();
  chmodSync(stateDir, 0o755);
  t.match(await checkStateDir(stateDir), { status: 'warning', remedy: `chmod 700 ${stateDir}` });
  chmodSync(stateDir, 0o700);
  t.match(await checkStateDir(stateDir), { status: 'ok' });
  t.match(await checkStateDir(`${stateDir}/none`), { status: 'failed', remedy: /enroll/ });
});

t.test('a wrong clock is reported, with direction and amount', async (t) => {
  const nowMs = Date.UTC(2026, 0, 1);
  t.match(judgeClock(nowMs, nowMs - 1999), { status: 'ok' });
  t.match(judgeClock(nowMs, nowMs - 60_000), { status: 'warning', detail: '60 s ahead of the control plane' });
  t.match(judgeClock(nowMs, nowMs + 60_000), { status: 'warning', detail: '60 s behind the control plane' });
  t.match(judgeClock(nowMs, null), { status: 'warning' });
});

t.test('a control plane responds, refuses or is unreachable', async (t) => {
  const server = createServer((request, response) => response.writeHead(request.url === '/healthz' ? 200 : 404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await askControlPlane(`${url}/`, straight('127.0.1.9'));
  t.match(judgeControlPlane(url, answer), { status: 'ok' });
  t.ok(!(answer instanceof Error) && answer.dateMs !== null, 'with its time');
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  t.match(judgeControlPlane(url, await askControlPlane(url, straight(null))), {
    status: 'failed',
    detail: /ECONNREFUSED/,
    remedy: /VANTAGE_AGENT_BIND/,
  });
  t.match(judgeControlPlane(url, { status: 502, dateMs: null }), { status: 'failed', detail: 'answers 502' });
});

t.test('doctor names a certificate that is not trusted, and the setting that trusts it', async (t) => {
  const { port } = await startTlsServer(t, tlsIdentity('self-signed'), () => {});
  const url = `https://127.0.0.1:${port}`;
  const { status, detail, remedy } = judgeControlPlane(
    url,
    await askControlPlane(url, straight(null)),
    '/etc/ours.pem',
  );
  t.equal(status, 'failed');
  t.match(
    detail,
    /^its certificate is not trusted: self-signed certificate; subject .*, issued by itself, .* SHA-256 /,
  );
  t.match(remedy, /NODE_EXTRA_CA_CERTS names, which is \/etc\/ours\.pem now/);
});

t.test('doctor shows the self-test of the agent, with remedies', async (t) => {
  const failures = selfTestNames.map((name) => ({ name, status: 'failed', detail: `${name} is broken` }) as const);
  for (const [index, check] of selfTestChecks(failures).entries()) {
    const { name, detail } = failures[index] ?? {};
    t.match(check, { name: `self-test ${name}`, status: 'warning', detail, remedy: /^(check|turn on|see) / });
  }
  t.strictSame(
    selfTestChecks([
      { name: 'ipv4', status: 'ok', detail: 'tcp://192.0.2.1:443 answers' },
      { name: 'ipv6', status: 'unknown', detail: 'no canary' },
    ]),
    [
      { name: 'self-test ipv4', status: 'ok', detail: 'tcp://192.0.2.1:443 answers', remedy: null },
      { name: 'self-test ipv6', status: 'ok', detail: 'unknown: no canary', remedy: null },
    ],
    'what is not known is no reason to worry',
  );
});

t.test('a system that does not synchronise its clock is reported, one whose state is unknown is not', async (t) => {
  t.match(judgeSynchronisation(false), { status: 'warning', remedy: /timedatectl set-ntp true/ });
  for (const said of [true, null]) t.match(judgeSynchronisation(said), { status: 'ok', remedy: null });
});

t.test('a family without a route is a warning, no route at all a failure', async (t) => {
  const statuses = (ipv4: boolean, ipv6: boolean) =>
    judgeRoutes({ ipv4, ipv6 }).map(({ name, status }) => `${name} ${status}`);
  t.strictSame(statuses(true, true), ['network IPv4 ok', 'network IPv6 ok']);
  t.strictSame(statuses(true, false), ['network IPv4 ok', 'network IPv6 warning']);
  t.strictSame(statuses(false, true), ['network IPv4 warning', 'network IPv6 ok']);
  t.strictSame(statuses(false, false), ['network IPv4 failed', 'network IPv6 failed']);
});

t.test('doctor shows the resolvers of probes, and the setting that a public node should have', async (t) => {
  const server = await startDnsServer(t, () => ({ rcode: 'NXDOMAIN' }));
  const { address, port } = server.endpoint;
  const set = await checkDns([server.endpoint]);
  t.strictSame(set, {
    name: 'dns',
    status: 'ok',
    detail: `resolver responds (${address}:${port} of VANTAGE_DNS_SERVERS)`,
    remedy: null,
  });
  const silent = await checkDns([{ address, port: await unusedPort() }]);
  t.match(silent, { status: 'failed', remedy: 'check VANTAGE_DNS_SERVERS' });
  const system = await checkDns([]);
  t.match(system, { detail: /of \/etc\/resolv\.conf/ });
});
