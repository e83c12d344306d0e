import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { answerJob, joinNode, lookupCounts, startLookups } from './_support/lookup-world.js';
import type { PeerAgent } from './_support/peer-agent.js';

// it stands still, so that what is left of a fresh time is exact
const clock = new FakeClock(Date.now());
const world = await startLookups(t, [clock], {
  VANTAGE_REGISTRY_RATES: 'slow.example=1',
  VANTAGE_METRICS_LISTEN: '127.0.0.1:0',
});
const node = await joinNode(t, world);
const [api] = world.apis;

const DAY_MS = 86_400_000;
const look = (query: string, headers: Record<string, string> = {}) =>
  api.call('GET', `/v1/info/${query}`, { as: null, headers });
const specOf = (peer: PeerAgent, number: number) => {
  const job = peer.frames.filter((frame) => frame.job).at(number - 1)?.job;
  return JSON.parse(Buffer.from(job?.specJson ?? '{}').toString());
};

/** Asks, and lets the node answer with these fields. */
async function asked(query: string, fields: object) {
  const number = node.jobs.length + 1;
  const answer = look(query);
  await answerJob(node, number, fields);
  return { answer: await answer, spec: specOf(node, number), type: node.jobs[number - 1]?.probeType };
}

const maxAge = ({ headers }: { readonly headers: Headers }) =>
  Number(/^private, max-age=(\d+)$/.exec(headers.get('cache-control') ?? '')?.[1]);
const registered = {
  kind: 'domain',
  registered: true,
  registrar: 'Example Registrar',
  name_servers: ['ns1.example.com'],
  source: { protocol: 'rdap', server: 'rdap.example' },
  asked: [{ protocol: 'rdap', server: 'rdap.example', outcome: 'answered', retry_after_s: null }],
};

t.test('whois asks about the registrable domain, and is fresh by what it found', async (t) => {
  const far = new Date(Date.now() + 90 * DAY_MS).toISOString();
  const soon = new Date(Date.now() + 29 * DAY_MS).toISOString();
  const first = await asked('whois?q=www.b%C3%BCcher.de', {
    ...registered,
    domain: 'xn--bcher-kva.de',
    expires_at: far,
  });
  t.match([first.type, first.spec.target], ['domain', 'xn--bcher-kva.de']);
  t.match(first.answer.body.data, {
    domain: 'xn--bcher-kva.de',
    unicode_domain: 'bücher.de',
    registrar: 'Example Registrar',
    expires_at: far,
    name_servers: ['ns1.example.com'],
    source: { protocol: 'rdap', server: 'rdap.example' },
  });
  t.equal(maxAge(first.answer), 6 * 3_600);
  t.match((await look('whois?q=mail.xn--bcher-kva.de')).body.meta.cache, { hit: true });
  const cases = [
    ['soon.example.com', { ...registered, domain: 'example.com', expires_at: soon }, 3_600],
    ['free.example.net', { kind: 'domain', domain: 'example.net', registered: false }, 600],
    ['1.1.1.1', { kind: 'address', registered: true, network: null }, 86_400],
  ] as const;
  for (const [q, fields, seconds] of cases) {
    const { answer } = await asked(`whois?q=${q}`, fields);
    t.equal(answer.status, 200, q);
    t.equal(maxAge(answer), seconds, q);
    t.equal('asked' in answer.body.data, false, 'how it was found is not told');
  }
});

t.test('a server of a registry that refuses, and one whose bucket is empty, is not asked meanwhile', async (t) => {
  const away = { success: false, error: { code: 'no_reply', message: 'every server refused' } };
  const refusing = [
    { protocol: 'rdap', server: 'rdap.shut.example', outcome: 'refused', retry_after_s: 120 },
    { protocol: 'whois', server: 'slow.example', outcome: 'answered', retry_after_s: null },
  ];
  const { answer } = await asked('whois?q=example.org', { ...away, asked: refusing });
  t.match(answer, {
    status: 503,
    body: {
      error: { code: 'UNAVAILABLE', details: { q: [{ message: 'cannot be looked up: every server refused' }] } },
    },
  });
  // the clock of the database moves on between two statements
  const within = (wait: number, seconds: number) => wait <= seconds && wait > seconds - 20;
  const retryAfter = Number(answer.headers.get('retry-after'));
  t.ok(within(retryAfter, 120), `its Retry-After: ${retryAfter}`);
  const before = node.jobs.length;
  t.match(await look('whois?q=www.example.org'), { status: 503 });
  t.equal(node.jobs.length, before, 'the failure is kept');
  const { spec } = await asked('whois?q=example.info', { ...registered, domain: 'example.info' });
  t.same(spec.params.skip_servers.sort(), ['rdap.shut.example', 'slow.example']);
  t.same(await shutServers(), ['empty 1', 'refused 1'], 'as the metrics say');
  await world.database.db('registry_servers').update({ shut_until: new Date(0), tokens: 5 });
  const again = await asked('whois?q=example.biz', { ...registered, domain: 'example.biz' });
  t.same(again.spec.params.skip_servers, []);
  // a server says for how long it is shut, or is for five minutes, and everyone who asks meanwhile gets that
  const cases = [
    [{ outcome: 'refused', retry_after_s: 7_200 }, 7_200],
    [{ outcome: 'skipped', retry_after_s: null }, 7_200],
    [{ outcome: 'refused', retry_after_s: null, server: 'rdap.other.example' }, 300],
    [{ outcome: 'failed', retry_after_s: null, server: 'rdap.silent.example' }, 30],
  ] as const;
  for (const [index, [one, seconds]] of cases.entries()) {
    const servers = [{ protocol: 'rdap', server: 'rdap.shut.example', ...one }];
    const { answer: refused } = await asked(`whois?q=shut${index}.com`, { ...away, asked: servers });
    t.equal(refused.status, 503);
    const wait = Number(refused.headers.get('retry-after'));
    t.ok(within(wait, seconds), `${JSON.stringify(one)}: ${wait}`);
  }
  await world.database.db('registry_servers').update({ shut_until: new Date(0), tokens: 5 });
  clock.advance(5_000);
  t.same(await shutServers(), ['empty 0', 'refused 0']);
});

/** Servers that are not asked, by the metrics of the replica. */
async function shutServers(): Promise<string[]> {
  const text = await (await fetch(world.replicas[0]?.metricsUrl ?? '')).text();
  return [...text.matchAll(/^vantage_registry_servers_shut\{reason="(\w+)"\} (\d+)$/gm)]
    .map(([, reason, count]) => `${reason} ${count}`)
    .sort();
}

t.test('icp is the filing of the registrable domain, or a note in the language of the caller', async (t) => {
  const filing = {
    icp_number: '京ICP备12345678号-1',
    company: 'Example',
    type: 'company',
    license_type: null,
    filed_at: '2024-01-31',
    inquiry_url: 'https://beian.example/1',
  };
  const filed = await asked('icp?q=www.example.cn', { domain: 'example.cn', filing, source: 'icp.example' });
  t.match([filed.type, filed.spec.target], ['icp', 'example.cn']);
  t.match(filed.answer.body.data, { domain: 'example.cn', ...filing, source: 'icp.example', note: null });
  t.equal(maxAge(filed.answer), 86_400);
  const none = await asked('icp?q=example.com', { domain: 'example.com', filing: null, source: 'icp.example' });
  t.match(none.answer.body.data, { icp_number: null, note: 'The source has no ICP filing of this domain.' });
  t.equal(maxAge(none.answer), 3_600);
  for (const [language, note] of [
    ['zh-CN', /备案/],
    ['zh-TW', /備案/],
  ] as const) {
    t.match((await look('icp?q=example.com', { 'accept-language': language })).body.data.note, note);
  }
  const { answer } = await asked('icp?q=example.net', {
    success: false,
    error: { code: 'not_supported', message: 'no source' },
  });
  t.match(
    answer,
    {
      status: 503,
      body: { error: { code: 'UNAVAILABLE', details: { configuration: [{ message: /set VANTAGE_ICP_SOURCE/ }] } } },
    },
    'not configured',
  );
});

t.test('dns is all types at once or one, and as fresh as its smallest TTL', async (t) => {
  const record = (ttl: number) => ({ name: 'example.com', type: 'A', value: '192.0.2.1', ttl });
  const found = { domain: 'example.com', rcode: 'NOERROR', authenticated_data: false };
  const all = await asked('dns?q=example.com', { ...found, records: [record(3_600), record(120)] });
  t.match([all.type, all.spec.params.type], ['records', undefined]);
  t.match(all.answer.body.data, {
    domain: 'example.com',
    rcode: 'NOERROR',
    records: [{ ttl: 3_600 }, { ttl: 120 }],
    errors: [],
    node: { country: null, asn: null },
  });
  t.equal(maxAge(all.answer), 120);
  for (const type of ['ANY', ''])
    t.match((await look(`dns?q=example.com&type=${type}`)).body.meta.cache, { hit: true }, type);
  const one = await asked('dns?q=example.com&type=A', { ...found, records: [record(5)] });
  t.equal(one.spec.params.type, 'A');
  t.equal(maxAge(one.answer), 30, 'at least half a minute');
  const long = await asked('dns?q=long.example.com', { ...found, records: [record(86_400)] });
  t.equal(maxAge(long.answer), 300, 'at most five minutes');
  const none = await asked('dns?q=none.example.com', { ...found, rcode: 'NXDOMAIN', negative_ttl_s: 60 });
  t.match(none.answer, { status: 200, body: { data: { rcode: 'NXDOMAIN', records: [] } } });
  t.equal(maxAge(none.answer), 60);
  const failed = { success: false, error: { code: 'dns_timeout', message: 'no response' }, rcode: null };
  t.match((await asked('dns?q=failed.example.com', failed)).answer, {
    status: 503,
    body: { error: { code: 'UNAVAILABLE' } },
  });
});

t.test('each kind refuses what it is not about', async (t) => {
  for (const kind of ['dns', 'icp']) {
    for (const q of ['1.1.1.1', 'https://example.com', 'example.com:53', '', 'a..b']) {
      t.match(
        await look(`${kind}?q=${encodeURIComponent(q)}`),
        { status: 400, body: { error: { details: { q: [{}] } } } },
        `${kind} ${q}`,
      );
    }
    t.match(await look(`${kind}?q=a.internal`), {
      status: 422,
      body: { error: { details: { q: [{ code: 'refused' }] } } },
    });
  }
  // what is no address is no refused address
  for (const q of ['example.com', 'localhost', 'abc', '1.2.3', '256.1.1.1', '0x7f.1', '::g', '1.2.3.4:80', '[::1]', ''])
    t.equal((await look(`ip?q=${encodeURIComponent(q)}`)).status, 400, `ip ${q}`);
  for (const q of ['10.0.0.1', 'fe80::1']) t.equal((await look(`ip?q=${q}`)).status, 422, `ip ${q}`);
  for (const kind of ['dns', 'icp']) t.equal((await look(`${kind}?q=10.0.0.1`)).status, 400, `${kind} of an address`);
  for (const q of ['https://example.com', '1.2.3.4/24', '[::1]', ''])
    t.equal((await look(`whois?q=${encodeURIComponent(q)}`)).status, 400, q);
  for (const q of ['10.0.0.1', 'localhost', 'a.onion']) t.equal((await look(`whois?q=${q}`)).status, 422, q);
  t.equal((await look('dns?q=example.com&type=AXFR')).status, 400);
});

t.test('metrics count lookups by kind and outcome', async (t) => {
  const counts = await lookupCounts(world.replicas[0]);
  for (const kind of ['whois', 'icp', 'dns'])
    for (const outcome of ['miss', 'hit']) t.ok((counts[`${kind} ${outcome}`] ?? 0) > 0, `${kind} ${outcome}`);
});
