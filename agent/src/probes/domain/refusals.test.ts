import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { aPolicy, aResolver } from '../../../test/_support/probe-context.js';
import { rdapStatus, refersTo, startRegistries } from '../../../test/_support/registries.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import { bundledServices } from './bundled-bootstrap.js';
import { retryAfterSeconds } from './retry-after.js';

const aRecord = 'Domain Name: example.com\r\nRegistry Expiry Date: 2031-08-13T04:00:00Z\r\n';
const aDomain = {
  objectClassName: 'domain',
  ldhName: 'example.com',
  events: [{ eventAction: 'expiration', eventDate: '2031-08-13T04:00:00Z' }],
};

t.test('an RDAP server that refuses is named with the delay that it asks for, although WHOIS knows', async (t) => {
  const date = new Date(Date.now() + 7_200_000).toUTCString();
  const cases: [status: number, headers: Record<string, string>, least: number | null, most: number | null][] = [
    [429, { 'retry-after': '120' }, 120, 120],
    [503, { 'retry-after': date }, 7000, 7201],
    [429, { 'retry-after': '999999999' }, 86_400, 86_400],
    [429, { 'retry-after': 'soon' }, null, null],
    [503, {}, null, null],
  ];
  for (const [status, headers, least, most] of cases) {
    const { look, rdapHost } = await startRegistries(t, {
      entries: ['com'],
      rdap: rdapStatus(status, headers),
      whois: { '127.0.0.1': refersTo('127.0.0.2'), '127.0.0.2': aRecord },
    });
    const result = await look('example.com');
    t.match(result, { success: true, source: { protocol: 'whois' } });
    const [refused] = result.asked;
    t.match(refused, { protocol: 'rdap', server: rdapHost, outcome: 'refused' }, JSON.stringify(headers));
    const seconds = refused?.retry_after_s ?? null;
    if (least === null) t.equal(seconds, null);
    else t.ok(seconds !== null && seconds >= least && seconds <= (most ?? 0), `${seconds}`);
  }
});

t.test('refusals of WHOIS servers are distinguished from answers, with the delay that they name', async (t) => {
  const refusals: [text: string, retryAfterS: number | null][] = [
    [
      '%ERROR:201: access denied for 192.0.2.1\r\n%\r\n% Queries from your IP address have passed the daily limit\r\n',
      null,
    ],
    ['WHOIS LIMIT EXCEEDED - SEE WWW.PIR.ORG/WHOIS FOR DETAILS\r\n', null],
    ['Your request is being rate limited. Query rate limit exceeded, try again in 60 seconds.\r\n', 60],
    ['Too many requests. Wait 5 minutes.\r\n', 300],
    ['Error: 55000000002 Connection refused; access control limit reached.\r\n', null],
    ['% Your access is temporarily blocked for 24h\r\n', 86_400],
    ['Queried interval is too short.\r\n', null],
  ];
  for (const [text, retryAfterS] of refusals) {
    const { look } = await startRegistries(t, {
      whois: { '127.0.0.1': refersTo('127.0.0.2'), '127.0.0.2': text },
    });
    const result = await look('example.com');
    t.match(
      result,
      { success: false, registered: null, error: { code: 'no_reply', message: /refuses queries/ } },
      text,
    );
    t.strictSame(result.asked.at(-1), {
      protocol: 'whois',
      server: '127.0.0.2',
      outcome: 'refused',
      retry_after_s: retryAfterS,
    });
  }
  const notice = '% Excessive querying will be denied: too many queries are blocked, try again later.\r\n';
  const honest = await startRegistries(t, {
    whois: { '127.0.0.1': refersTo('127.0.0.2'), '127.0.0.2': `${notice}${aRecord}` },
  });
  t.match((await honest.look('example.com')).asked.at(-1), { outcome: 'answered' }, 'terms of use are no refusal');
});

t.test('servers to be skipped are not asked', async (t) => {
  const { look, requests, questions, rdapHost } = await startRegistries(t, {
    entries: ['com'],
    rdap: aDomain,
    whois: { '127.0.0.1': refersTo('127.0.0.2'), '127.0.0.2': aRecord },
  });
  const byWhois = await look('example.com', { skip: [rdapHost] });
  t.match(byWhois, { success: true, source: { protocol: 'whois' }, asked: [{ server: rdapHost, outcome: 'skipped' }] });
  t.equal(requests.length, 1, 'the bootstrap file alone');
  const before = questions.length;
  const byNone = await look('example.com', { skip: [rdapHost, '127.0.0.2'] });
  t.match(byNone, { success: false, error: { code: 'no_reply', message: /not asked at present/ } });
  t.equal(questions.length, before, 'the referral is known, and the server it names is skipped');
});

t.test('WHOIS servers that refer to each other or to the root end the lookup', async (t) => {
  const loops = [
    { '127.0.0.1': refersTo('127.0.0.1') },
    { '127.0.0.1': refersTo('127.0.0.2'), '127.0.0.2': refersTo('127.0.0.1') },
    { '127.0.0.1': refersTo('127.0.0.2'), '127.0.0.2': refersTo('127.0.0.3'), '127.0.0.3': refersTo('127.0.0.2') },
    {
      '127.0.0.1': refersTo('127.0.0.2'),
      '127.0.0.2': refersTo('127.0.0.3'),
      '127.0.0.3': refersTo('127.0.0.4'),
      '127.0.0.4': refersTo('127.0.0.5'),
      '127.0.0.5': refersTo('127.0.0.6'),
    },
  ];
  for (const whois of loops) {
    const { look, questions } = await startRegistries(t, { whois });
    t.match(await look('example.com'), { success: false, error: { code: 'no_reply', message: /WHOIS.* refers? to/ } });
    t.ok(questions.length <= 4, `${questions.length} questions`);
    t.equal(new Set(questions.map(([server]) => server)).size, questions.length, 'each server once');
  }
});

t.test('no referral, bootstrap file or server in one leads to an address that the policy refuses', async (t) => {
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'inside.example.com', data: '127.0.0.9' }]));
  const parts = { policy: aPolicy(['127.0.0.1/32']), resolver: aResolver([dns.endpoint]) };
  for (const host of ['127.0.0.9', 'inside.example.com', '10.0.0.1', 'localhost', '127.1']) {
    const referring = await startRegistries(t, { whois: { '127.0.0.1': refersTo(host), '127.0.0.9': aRecord } });
    t.match(await referring.look('example.com', parts), { success: false, registered: null }, host);
    t.notOk(
      referring.questions.some(([server]) => server === '127.0.0.9'),
      host,
    );
    const secret = await startTcpServer(t, (socket) => socket.end(), '127.0.0.9');
    const listing = await startRegistries(t, {
      rdap: { services: [[['com'], [`http://${host}:${secret.port}/`]]] },
      bootstrapPath: '/list.json',
    });
    t.match(await listing.look('example.com', parts), { success: false, registered: null }, host);
    t.equal(secret.accepted, 0, host);
  }
});

t.test('until the bootstrap file is there, a bundled copy says whom to ask', async (t) => {
  const answer = rdapStatus(200, {}, aDomain);
  const real = await startRegistries(t, { entries: ['com'], rdap: answer });
  const services = new Map([['com', [`http://${real.rdapHost}/bundled/`]]]);
  const { look } = await startRegistries(t, { bundled: { dns: services, ipv4: null, ipv6: null } });
  t.match(await look('example.com'), { success: false }, 'the file that came replaces the copy');
  const away = await startRegistries(t, {
    rdap: (_request, response) => response.end('nonsense'),
    bundled: { dns: services, ipv4: null, ipv6: null },
    bootstrapPath: '/missing.json',
  });
  t.match(await away.look('example.com'), { success: true, source: { server: real.rdapHost } });
  t.equal(real.requests.at(-1)?.path, '/bundled/domain/example.com');
});

t.test('the bundled copies have a server for addresses of every registry, and for well-known domains', async (t) => {
  const { dns, ipv4, ipv6 } = bundledServices;
  t.equal(ipv4.size, 221);
  t.equal(new Set([...ipv4.values()].flat()).size, 5);
  t.equal(new Set([...ipv6.values()].flat()).size, 5);
  for (const [url] of [...dns.values(), ...ipv4.values(), ...ipv6.values()]) t.match(url, /^https:\/\/[a-z.]+\/.*\/?$/);
  for (const label of ['com', 'net', 'org', 'uk']) t.ok(dns.has(label), label);
});

t.test('Retry-After is seconds or a date, a day at most, and nothing else', async (t) => {
  const clock = new FakeClock();
  const now = clock.now();
  const at = (ms: number) => new Date(now + ms).toUTCString();
  t.equal(retryAfterSeconds('0', now), 0);
  t.equal(retryAfterSeconds(' 30 ', now), 30);
  t.equal(retryAfterSeconds(at(-60_000), now), 0);
  t.ok((retryAfterSeconds(at(60_000), now) ?? 0) >= 59);
  t.equal(retryAfterSeconds(at(10 * 86_400_000), now), 86_400);
  t.equal(retryAfterSeconds('Sunday, 06-Nov-94 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49)), 37, 'a form of RFC 850');
  for (const text of [null, '', '-1', '1.5', 'soon', '1e3']) t.equal(retryAfterSeconds(text, now), null, `${text}`);
});
