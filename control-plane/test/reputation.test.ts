import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { answerJob, joinNode } from './_support/lookup-world.js';
import { checkerOf, list, PLANS, startChecks } from './_support/reputation-checks.js';
import { startReputation } from './_support/reputation-world.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const directory = temporaryDirectory(t);
for (const name of ['city.mmdb', 'asn.mmdb'])
  copyFileSync(fileURLToPath(new URL(`../../test/testdata/geo/${name}`, import.meta.url)), path.join(directory, name));
// lists of all five signals, and no node until a test has one
const world = await startChecks(t, {
  startMs: Date.now(),
  settings: { VANTAGE_GEOIP_DIR: directory, VANTAGE_GEOIP_ATTRIBUTION: 'Places by B' },
});
const { apis, check } = world;
const unmapped = await startChecks(t, {
  startMs: Date.now(),
  settings: { VANTAGE_REPUTATION_DNSBL: 'a.example.org' },
});

t.test('an address is scored by its evidence, each with list, date and entry', async (t) => {
  const { status, body, headers } = await check('8.8.8.8');
  t.equal(status, 200);
  t.match(body.data, {
    domain: null,
    unicode_domain: null,
    ip: '8.8.8.8',
    score: 100,
    risk_level: 'high',
    types: ['tor', 'vpn', 'hosting'],
    evidence: [
      { signal: 'tor_exit', weight: 85, description: /^list exits of \d{4}-\d\d-\d\d: 8\.8\.0\.0\/16$/ },
      { signal: 'vpn', weight: 60, description: /^list ranges of .*: 8\.8\.8\.0\/24$/ },
      { signal: 'hosting', weight: 5, description: /^list centers of .*: 8\.0\.0\.0\/8$/ },
    ],
    coverage: ['tor_exit', 'vpn', 'proxy', 'abuse_asn', 'hosting'],
    blocklists: [],
    addresses: [{ ip: '8.8.8.8', score: 100 }],
    note: null,
    attribution: ['Exits by A', 'Places by B'],
  });
  t.equal(body.data.evidence.length, 3);
  t.same(
    body.data.sources.map(({ name }: { name: string }) => name),
    ['bad', 'centers', 'exits', 'homes', 'open', 'ranges'],
  );
  t.equal(headers.get('cache-control'), 'no-store');
  t.equal(body.meta.cache, undefined);
  t.match((await check('81.2.69.142')).body.data, {
    score: 25,
    risk_level: 'low',
    types: ['hosting'],
    country: 'GB',
    city: 'London',
    asn: 'AS20712',
    isp: 'Andrews & Arnold Ltd',
  });
  t.match((await check('9.9.9.9')).body.data, { score: 85, types: ['proxy', 'hosting'], evidence: [{}, {}, {}] });
  t.match((await check('80.1.1.1')).body.data, {
    score: 0,
    types: ['residential'],
    evidence: [],
    note: null,
    country: null,
  });
  t.match((await check(' ::ffff:8.8.8.8 ')).body.data, { ip: '8.8.8.8' });
  t.match((await check('2a00:1::9')).body.data, { ip: '2a00:1::9', score: 60, types: ['vpn'] });
});

t.test('nothing found without a list of some signal is unknown, said in the language of the caller', async (t) => {
  const { check } = await startChecks(t, { lists: [list(t, 'exits', 'tor_exit', ['8.8.8.8'])] });
  t.match((await check('9.9.9.9')).body.data, {
    score: 0,
    coverage: ['tor_exit'],
    note: /no current list exists for: vpn, proxy, abuse_asn, hosting/,
  });
  t.match((await check('9.9.9.9', { headers: { 'accept-language': 'zh-CN' } })).body.data, { note: /未发现/ });
  t.match((await check('9.9.9.9', { headers: { 'accept-language': 'zh-TW' } })).body.data, { note: /未發現/ });
});

t.test('without any list the operation is unavailable, and costs nothing', async (t) => {
  const { apis } = await startReputation(t, [], {
    settings: { VANTAGE_TRUSTED_PROXIES: '127.0.0.1', VANTAGE_PLANS: PLANS },
  });
  const check = checkerOf(apis[0]);
  const message = 'this installation has no lists of addresses: set VANTAGE_REPUTATION_LISTS';
  for (let count = 0; count < 12; count += 1)
    t.match(await check('8.8.8.8'), {
      status: 503,
      body: { error: { code: 'UNAVAILABLE', details: { configuration: [{ message }] } } },
    });
});

t.test('a page of another origin cannot read a response', async (t) => {
  const cors = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  t.same(cors((await check('8.8.8.8', { headers: { origin: 'https://page.example' } })).headers), []);
  const preflight = await fetch(new URL('/v1/ip/reputation?q=8.8.8.8', apis[0].url), { method: 'OPTIONS' });
  t.same(cors(preflight.headers), []);
  const other = await fetch(new URL('/v1/info/ip?q=8.8.8.8', apis[0].url));
  t.ok(cors(other.headers).length > 0, 'as other lookups allow');
});

t.test('what is no address or domain is 400, what no probe may reach is 422, and neither costs anything', async (t) => {
  for (const text of [
    '',
    ' ',
    '1.2.3.4/24',
    '[::1]',
    'https://example.com',
    '8.8.8.8:80',
    'a\0b',
    'a b',
    'x'.repeat(254),
    '1'.repeat(10_000),
  ])
    t.match(
      await check(text, { from: '198.41.1.4' }),
      { status: 400, body: { error: { code: 'VALIDATION_FAILED', details: { q: [{}] } } } },
      text.slice(0, 30),
    );
  for (const text of [
    '127.0.0.1',
    '10.1.1.1',
    '::1',
    'fe80::1',
    '127.1',
    '0x7f.1',
    'localhost',
    'db.internal',
    'x.onion',
  ])
    t.match(
      await check(text, { from: '198.41.1.4' }),
      { status: 422, body: { error: { code: 'PROBE_TARGET_INVALID', details: { q: [{}] } } } },
      text,
    );
  t.equal(
    (await check('8.8.8.8', { from: '198.41.1.4' })).status,
    200,
    'nineteen refused requests in this minute took none of ten',
  );
});

const found = (...values: string[]) => ({
  domain: 'example.com',
  rcode: 'NOERROR',
  records: values.map((value) => ({ name: 'example.com', type: value.includes(':') ? 'AAAA' : 'A', value, ttl: 60 })),
});

t.test('a domain without a public address is 422, one that no node can look up 503, and neither counts', async (t) => {
  const from = '198.41.2.4';
  for (let n = 0; n < 12; n += 1)
    t.match(await check('example.com', { from }), {
      status: 503,
      body: { error: { code: 'UNAVAILABLE', details: { nodes: [{}] } } },
    });
  const node = await joinNode(t, world);
  const inside = check('inside.example.com', { from });
  await answerJob(node, 1, found('10.0.0.1', '127.0.0.1', 'fd00::1'));
  t.match(await inside, {
    status: 422,
    body: { error: { code: 'VALIDATION_FAILED', details: { q: [{ code: 'not_found' }] } } },
  });
  const unknown = check('unknown.example.com', { from });
  await answerJob(node, 2, { ...found(), errors: [{ type: 'A', code: 'dns_timeout' }] });
  t.match(await unknown, { status: 503, body: { error: { code: 'UNAVAILABLE' } } });
  t.equal((await check('8.8.8.8', { from })).status, 200);
});

t.test('a domain has the reputation of its worst address, of at most eight that are public', async (t) => {
  const node = await joinNode(t, world);
  const waiting = check('BÜCHER.example.com.');
  const many = Array.from({ length: 9 }, (_, n) => `9.9.9.${n + 2}`);
  await answerJob(node, 1, found('2a00:1::9', ...many.toReversed(), '10.0.0.1', 'hidden', '9.9.9.2'));
  const { status, body } = await waiting;
  t.equal(status, 200);
  t.match(node.jobs, [{ probeType: 'records' }]);
  t.match(body.data, {
    domain: 'xn--bcher-kva.example.com',
    unicode_domain: 'bücher.example.com',
    ip: '9.9.9.9',
    score: 85,
  });
  t.same(
    body.data.addresses.map(({ ip }: { ip: string }) => ip),
    many.slice(0, 8),
  );
  t.equal((await check('bücher.example.com')).status, 200);
  t.equal(node.jobs.length, 1, 'the records are kept as those of a dns lookup');
  t.equal(
    (await apis[0].call('GET', '/v1/info/dns?q=xn--bcher-kva.example.com', { as: null })).body.meta.cache.hit,
    true,
  );
});

const listing = (zone: string, address: string, listed: boolean | null, codes: string[] = []) => ({
  zone,
  address,
  listed,
  codes,
  reason: null,
  error: listed === null ? 'refuses the query' : null,
});

t.test('DNS blocklists are asked by a node, kept for an hour, and count where a code is mapped', async (t) => {
  const world = await startChecks(t, {
    startMs: Date.now(),
    settings: { VANTAGE_REPUTATION_DNSBL: 'a.example.org,b.example.org=127.0.0.4:proxy,c.example.org' },
  });
  const node = await joinNode(t, world);
  const waiting = world.check('80.1.1.1');
  const lookups = [
    listing('a.example.org', '80.1.1.1', true, ['127.0.0.2']),
    listing('b.example.org', '80.1.1.1', true, ['127.0.0.9', '127.0.0.4']),
    listing('c.example.org', '80.1.1.1', null),
  ];
  await answerJob(node, 1, { lookups });
  t.match(node.jobs, [{ probeType: 'rbl' }]);
  t.match((await waiting).body.data, {
    score: 50,
    types: ['proxy'],
    evidence: [{ signal: 'proxy', weight: 50, description: 'DNS blocklist b.example.org: 127.0.0.4' }],
    blocklists: [
      { zone: 'a.example.org', listed: true, code: '127.0.0.2' },
      { zone: 'b.example.org', listed: true, code: '127.0.0.9' },
      { zone: 'c.example.org', listed: null, code: null },
    ],
  });
  world.advance(3_000);
  t.match((await world.check('80.1.1.1', { from: '198.41.9.9' })).body.data, { score: 50 });
  t.equal(node.jobs.length, 1, 'kept');
});

t.test('without a node nothing is known of the blocklists, and the lists still count', async (t) => {
  t.match((await unmapped.check('9.9.9.9')).body.data, {
    score: 85,
    blocklists: [{ zone: 'a.example.org', listed: null, code: null }],
  });
});

t.test('blocklists without a mapped code are asked about the worst address of a domain alone', async (t) => {
  const node = await joinNode(t, unmapped);
  const waiting = unmapped.check('example.com');
  await answerJob(node, 1, found('80.1.1.1', '9.9.9.9'));
  await answerJob(node, 2, { lookups: [listing('a.example.org', '9.9.9.9', true, ['127.0.0.2'])] });
  t.match((await waiting).body.data, {
    ip: '9.9.9.9',
    score: 85,
    blocklists: [{ zone: 'a.example.org', listed: true, code: '127.0.0.2' }],
    addresses: [
      { ip: '9.9.9.9', score: 85 },
      { ip: '80.1.1.1', score: 0 },
    ],
  });
  t.equal(node.jobs.length, 2);
});

t.test('the example of the API reference adds up', async (t) => {
  const { body } = await apis[0].call('GET', '/v1/openapi.json', { as: null });
  const { content } = body.paths['/v1/ip/reputation'].get.responses['200'];
  const { data } = content['application/json'].example ?? Object.values(content['application/json'].examples)[0];
  const sum = data.evidence.reduce((total: number, { weight }: { weight: number }) => total + weight, 0);
  t.equal(data.score, sum);
});
