import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { type MonitorConfigs, monitorTypes } from '@vantage/shared/monitor-types/index.js';
import { measurements } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { type SeenRequest, startHttpServer } from '../../../test/_support/http-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aPolicy, aResolver } from '../../../test/_support/probe-context.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';
import { DomainEngine } from './index.js';

const isResult = compileSchema(measurements.domain.Result);
const NOW = Date.UTC(2026, 0, 1);
const inDays = (days: number) => new Date(NOW + days * 86_400_000 + 3_600_000).toISOString();

/** All files of a bootstrap at one URL: each test asks for one kind. */
const bootstrapAt = (url: string) => ({ dns: url, ipv4: url, ipv6: url });

type Rdap = (request: SeenRequest, response: ServerResponse) => void;
type Whois = (question: string, socket: Socket) => void;

/** A registry of .test and .co.test: RDAP and WHOIS of their own on loopback; `whois` is null if no server refers to one. */
async function startRegistry(t: Test, rdap: Rdap | null, whois: Whois | null = null) {
  const http = await startHttpServer(t, (request, response) => {
    if (request.path !== '/dns.json') return rdap?.(request, response);
    const services = rdap === null ? [] : [[['test', 'co.test'], [`http://127.0.0.1:${http.port}/rdap`]]];
    response.end(JSON.stringify({ version: '1.0', services: [[['other'], ['https://rdap.invalid/']], ...services] }));
  });
  const questions: string[] = [];
  const serveWhois = (answer: Whois) =>
    startTcpServer(t, (socket) => {
      socket.once('data', (bytes) => {
        questions.push(bytes.toString());
        answer(bytes.toString().trim(), socket);
      });
    });
  const registry = await serveWhois(whois ?? ((_question, socket) => socket.end('nothing here\r\n')));
  const root = await serveWhois((_question, socket) => socket.end('% IANA\r\n\r\nrefer:\r\n'));
  const byZone = whois === null ? new Map() : new Map([['test', `127.0.0.1:${registry.port}`]]);
  const engine = new DomainEngine({
    rdapBootstrap: bootstrapAt(`http://127.0.0.1:${http.port}/dns.json`),
    whois: { byZone, root: `127.0.0.1:${root.port}` },
  });
  return { engine, requests: http.requests, questions, port: http.port };
}

function aConfig(more: object = {}): MonitorConfigs['domain_expiry'] {
  const checked = compileSchema(monitorTypes.domain_expiry.Config)({ ...more });
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return checked.value;
}

async function check(
  engine: DomainEngine,
  { target = 'www.example.test', config = {} as object, parts = {} as Partial<ProbeContext> } = {},
) {
  const settings = aConfig(config);
  const result = await engine.run(monitorTypes.domain_expiry.toSpec(target, settings), aContext(parts));
  const checked = isResult(structuredClone(result));
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return { result, judgment: monitorTypes.domain_expiry.judge(result, settings, NOW) };
}

/** RFC 9083 section 5.3, as much of it as matters. */
const aDomain = (expiration: string | null, name = 'EXAMPLE.TEST') => ({
  objectClassName: 'domain',
  ldhName: name,
  events: [
    { eventAction: 'registration', eventDate: '1997-09-15T04:00:00Z' },
    ...(expiration === null ? [] : [{ eventAction: 'expiration', eventDate: expiration }]),
  ],
});
const answering =
  (body: unknown, status = 200, type = 'application/rdap+json'): Rdap =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const saying =
  (text: string): Whois =>
  (_question, socket) =>
    socket.end(text);

t.test('domain_expiry warns, then fails, on the configured days, by RDAP', async (t) => {
  const cases: [number, object, string, RegExp | null][] = [
    [15, {}, 'ok', null],
    [14, {}, 'degraded', /days until the registration of the domain ends is 14, expected more than 14/],
    [4, {}, 'degraded', /is 4/],
    [3, {}, 'failed', /is 3, expected more than 3/],
    [-2, {}, 'failed', /is -2/],
    [40, { warn_days: 60 }, 'degraded', /is 40/],
    [40, { warn_days: 60, critical_days: 45 }, 'failed', /is 40/],
  ];
  for (const [days, config, outcome, message] of cases) {
    const { engine, requests } = await startRegistry(t, answering(aDomain(inDays(days))));
    const { judgment, result } = await check(engine, { config });
    t.equal(judgment.outcome, outcome, `${days} days`);
    if (message !== null) t.match(judgment.error, { code: 'assertion_failed', message });
    t.match(result, {
      domain: 'example.test',
      source: { protocol: 'rdap' },
      registered: true,
      expires_at: inDays(days),
    });
    t.match(requests[1], { path: '/rdap/domain/example.test', headers: { accept: /application\/rdap\+json/ } });
  }
  t.equal(monitorTypes.domain_expiry.defaultIntervalSeconds, 1800);
});

t.test('the bootstrap file is requested once a day, and an old one is used if that fails', async (t) => {
  const clock = new FakeClock();
  const { engine, requests } = await startRegistry(t, answering(aDomain(inDays(90))));
  const bootstraps = () => requests.filter(({ path }) => path === '/dns.json').length;
  for (let i = 0; i < 3; i += 1) t.equal((await check(engine, { parts: { clock } })).judgment.outcome, 'ok');
  t.equal(bootstraps(), 1);
  clock.advance(25 * 3_600_000);
  t.equal((await check(engine, { parts: { clock } })).judgment.outcome, 'ok');
  t.equal(bootstraps(), 2);
});

t.test('WHOIS is used where RDAP has no data', async (t) => {
  const whois = saying(`Domain Name: EXAMPLE.TEST\r\nRegistry Expiry Date: ${inDays(5)}\r\n`);
  const silent: [string, Rdap | null][] = [
    ['no server', null],
    ['no date', answering(aDomain(null))],
    ['garbage', answering('<html>hello</html>', 200, 'text/html')],
    ['another domain', answering(aDomain(inDays(99), 'other.test'))],
    ['a date that is none', answering(aDomain('soon'))],
    ['too many requests', answering({ errorCode: 429 }, 429)],
    ['a missing page', answering('not here', 404, 'text/html')],
    ['deep JSON', answering('['.repeat(200_000))],
    ['2 MiB', answering(JSON.stringify({ ...aDomain(inDays(99)), remarks: 'x'.repeat(2 ** 21) }))],
    ['an end in the middle', (_request, response) => response.socket?.destroy()],
  ];
  for (const [what, rdap] of silent) {
    const { engine, questions } = await startRegistry(t, rdap, whois);
    const { judgment, result } = await check(engine);
    t.match(
      result,
      { success: true, source: { protocol: 'whois' }, expires_at: inDays(5), domain: 'example.test' },
      what,
    );
    t.equal(judgment.outcome, 'degraded', what);
    t.strictSame(questions, ['example.test\r\n']);
  }
});

t.test('a slow registry leaves time for WHOIS, and a slow WHOIS ends by the time-out', async (t) => {
  const clock = new FakeClock();
  const { engine, requests, questions } = await startRegistry(
    t,
    () => undefined,
    (_question, socket) => socket.write('Domain Name: exam'),
  );
  const sockets = openSockets();
  const running = check(engine, { parts: { clock }, config: { timeout_ms: 10_000 } });
  await until('RDAP is asked', () => requests.length === 2);
  clock.advance(5000);
  await until('WHOIS is asked', () => questions.length === 1);
  clock.advance(5000);
  const { judgment, result } = await running;
  t.match(result, { success: false, error: { code: 'timeout' }, expires_at: null });
  t.match(judgment, { outcome: 'degraded', error: { code: 'timeout' } });
  t.equal(clock.pendingTimers, 0);
  await until('no socket is left', () => openSockets() <= sockets);
});

t.test('what RDAP has of a domain is kept, whatever WHOIS does afterwards', async (t) => {
  const withoutDate = answering(aDomain(null));
  const refusals: [string, Whois][] = [
    ['free', saying('No match for "EXAMPLE.TEST".\r\n')],
    ['a ban', saying('Your connection limit exceeded. Please slow down.\r\n')],
    ['a reset', (_question, socket) => socket.resetAndDestroy()],
  ];
  const kept = {
    success: true,
    registered: true,
    registered_at: '1997-09-15T04:00:00.000Z',
    source: { protocol: 'rdap' },
  };
  for (const [what, whois] of refusals) {
    const { engine, questions } = await startRegistry(t, withoutDate, whois);
    const { result, judgment } = await check(engine);
    t.match(result, kept, what);
    t.equal(judgment.outcome, 'degraded', what);
    t.equal(questions.length, 1);
  }
  const clock = new FakeClock();
  const { engine, questions } = await startRegistry(t, withoutDate, (_question, socket) => socket.write('Domain'));
  const running = check(engine, { parts: { clock }, config: { timeout_ms: 10_000 } });
  await until('WHOIS is asked', () => questions.length === 1);
  clock.advance(10_000);
  t.match((await running).result, kept, 'the end of the time');
});

t.test('unreachable registries are not an outage; a name that is no longer registered is one', async (t) => {
  const unknown: [string, Whois | null, RegExp][] = [
    ['no WHOIS server', null, /RDAP: .*; WHOIS: no WHOIS server is known for "\.test"/],
    ['garbage', saying('%$&/(\u0000\u00ff'), /no readable record of the domain/],
    ['a ban', saying('Your connection limit exceeded. Please slow down.\r\n'), /WHOIS: refuses queries/],
    ['a flood', (_question, socket) => socket.write('x'.repeat(2 ** 20)), /more than 65536 bytes/],
    ['an end', (_question, socket) => socket.resetAndDestroy(), /WHOIS/],
  ];
  for (const [what, whois, message] of unknown) {
    for (const upside_down of [false, true]) {
      const { engine } = await startRegistry(t, answering('?', 500), whois);
      const { judgment } = await check(engine, { config: { upside_down } });
      t.match(judgment, { outcome: 'degraded', error: { message } }, what);
    }
  }
  const noDate = await startRegistry(
    t,
    answering(aDomain(null)),
    saying('domain: example.test\r\nstatus: connect\r\n'),
  );
  t.match((await check(noDate.engine)).judgment, {
    outcome: 'degraded',
    error: { message: /publishes no date by RDAP/ },
  });

  const gone = { outcome: 'failed', error: { code: 'assertion_failed', message: /the name is not registered/ } };
  const byRdap = await startRegistry(t, answering({ errorCode: 404, title: 'Not Found' }, 404));
  t.match((await check(byRdap.engine)).judgment, gone);
  const byWhois = await startRegistry(t, null, saying('No match for "EXAMPLE.TEST".\r\n'));
  t.match((await check(byWhois.engine)).judgment, gone);
});

t.test('no registry, redirect or referral leads to an address that the policy refuses', async (t) => {
  const secret = await startHttpServer(t, answering(aDomain(inDays(99))), '127.0.0.2');
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'inside.example.com', data: '127.0.0.2' }]));
  const parts = { policy: aPolicy(['127.0.0.1/32']), resolver: aResolver([dns.endpoint]) };
  for (const host of ['127.0.0.2', 'inside.example.com', '127.1', 'localhost']) {
    const redirecting: Rdap = (_request, response) => {
      response.writeHead(302, { location: `http://${host}:${secret.port}/domain/example.test` });
      response.end();
    };
    const { engine } = await startRegistry(t, redirecting);
    t.match((await check(engine, { parts })).judgment, {
      outcome: 'degraded',
      error: { message: /not allowed|localhost|127/ },
    });
    const referring = new DomainEngine({
      rdapBootstrap: bootstrapAt(`http://${host}:${secret.port}/dns.json`),
      whois: { byZone: new Map([['test', `${host}:${secret.port}`]]), root: `${host}:${secret.port}` },
    });
    t.match((await check(referring, { parts })).result, { success: false });
  }
  t.equal(secret.requests.length, 0);
  const { engine, requests } = await startRegistry(t, answering(aDomain(inDays(99))));
  const denied = { policy: aPolicy(['127.0.0.1/32']) };
  const result = await engine.run({ target: '10.1.2.3', params: { timeout_ms: 5000 } }, aContext(denied));
  t.match(result, { success: false, error: { code: 'target_not_allowed' } });
  t.equal(requests.length, 0);
});

t.test('domain_expiry ends with its abort', async (t) => {
  const { engine, requests } = await startRegistry(t, () => undefined);
  const abort = new AbortController();
  const running = check(engine, { parts: { signal: abort.signal, clock: new FakeClock() } });
  await until('it has begun', () => requests.length === 2);
  abort.abort(new ProbeFailure('cancelled', 'the end'));
  t.match((await running).result, { success: false, error: { code: 'cancelled' } });
});

t.test(
  'what has no registration, or limits that contradict each other, are refused when the monitor is made',
  async (t) => {
    const { toSpec, checkConfig } = monitorTypes.domain_expiry;
    for (const target of ['192.0.2.1', 'https://example.com', 'localhost', '-x.example.com'])
      t.throws(() => toSpec(target, aConfig()), target);
    t.match(checkConfig(aConfig({ critical_days: 15 })), { critical_days: [{ code: 'range' }] });
  },
);
