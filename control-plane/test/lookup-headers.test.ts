import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { headersExample } from '../src/modules/lookups/kinds/headers-example.js';
import { joinNode, startLookups } from './_support/lookup-world.js';
import { type PeerAgent, successOf } from './_support/peer-agent.js';

// it stands still, so that what is left of a fresh time is exact
const world = await startLookups(t, [new FakeClock(Date.now())], { VANTAGE_ALLOW_TARGETS: '' });
const node = await joinNode(t, world);
const [api] = world.apis;

const look = (q: string, headers: Record<string, string> = {}) =>
  api.call('GET', `/v1/info/headers?q=${encodeURIComponent(q)}`, { as: null, headers });
const lines = (...pairs: [string, string][]) => ({ header_lines: pairs.map(([name, value]) => ({ name, value })) });
const jobsOf = (peer: PeerAgent) =>
  peer.frames.flatMap(({ job }) => {
    if (!job) return [];
    const spec = JSON.parse(Buffer.from(job.specJson).toString());
    return [{ taskId: job.taskId, type: job.probeType, spec }];
  });

/** Answers a job of a peer with fields for its target. */
function answer(peer: PeerAgent, taskId: string, fields: object): void {
  const success = successOf(taskId, 'http');
  const result = { ...JSON.parse(Buffer.from(success.resultJson as Uint8Array).toString()), ...fields };
  peer.sendResults([{ ...success, resultJson: Buffer.from(JSON.stringify(result)) }]);
}

/** Asks, and lets the node answer each of its jobs with the fields of the target. */
async function asked(q: string, answers: Readonly<Record<string, object>>) {
  const before = jobsOf(node).length;
  const reply = look(q);
  const count = Object.keys(answers).length;
  await until('the jobs', () => jobsOf(node).length === before + count);
  const jobs = jobsOf(node).slice(before);
  for (const { taskId, spec } of jobs) answer(node, taskId, answers[spec.target] ?? { success: false });
  return { reply: await reply, specs: jobs.map(({ spec }) => spec) };
}

const arrived = (url: string, more: object = {}) => ({ status_code: 200, final_url: url, response_ms: 20, ...more });
const isFresh = (seconds: number) => `private, max-age=${seconds}`;

t.test(
  'a URL given as https costs a second question, by plain http and without following, of the same node',
  async (t) => {
    const url = 'https://example.com/a?b=c';
    const { reply, specs } = await asked(`HTTPS://EXAMPLE.com:443/a?b=c#fragment`, {
      [url]: arrived(url, lines(['strict-transport-security', 'max-age=600'])),
      'http://example.com/': arrived('http://example.com/', { status_code: 200 }),
    });
    t.match(
      specs.find(({ target }) => target === url),
      {
        keeps_header_lines: true,
        params: { method: 'GET', follow_redirects: true, max_redirects: 5, headers: {} },
      },
    );
    t.match(
      specs.find(({ target }) => target !== url),
      { keeps_header_lines: true, params: { follow_redirects: false } },
    );
    t.match(reply.body.data, {
      url,
      domain: 'example.com',
      unicode_domain: 'example.com',
      final_url: url,
      hops: [{ url, status_code: 200, location: null, ms: 20 }],
      analysis: { insecure: true, reasons: ['no_https_redirect', 'no_cdn'] },
      error: null,
    });
    t.equal(reply.headers.get('cache-control'), isFresh(300));
    t.match((await look('https://example.com/a?b=c')).body.meta.cache, { hit: true });
  },
);

t.test('the example of the API document is what such headers are found to be', async (t) => {
  const { url, final_url, hops, headers } = headersExample;
  const [redirect] = hops;
  const { reply } = await asked(url, {
    [url]: arrived(final_url ?? '', {
      ...lines(...Object.entries(headers)),
      redirects: [{ url, status_code: 301, ms: redirect?.ms }],
      response_ms: 79.9,
    }),
    'http://example.com/': arrived('http://example.com/', { status_code: 301, ...lines(['location', url]) }),
  });
  t.same(reply.body.data, headersExample);
});

t.test('http:// is put before a domain, and one question is enough', async (t) => {
  const url = 'http://xn--bcher-kva.example/';
  const { reply } = await asked(' Bücher.example. ', { [url]: arrived(url, lines(['server', 'x/1.2'])) });
  t.match(reply.body.data, {
    url,
    domain: 'xn--bcher-kva.example',
    unicode_domain: 'bücher.example',
    security: { server: 'x/1.2' },
    grade: 'F',
  });
  t.match((await look('http://bücher.example')).body.meta.cache, { hit: true });
});

t.test('findings are in the language of each caller, although their answer is kept in common', async (t) => {
  const url = 'http://language.example/';
  await asked(url, { [url]: arrived(url) });
  const first = async (language: string) => (await look(url, { 'accept-language': language })).body.data.findings[0];
  const fixed = { code: 'plain_http', severity: 'critical', header: null };
  t.same(await first('en'), { ...fixed, message: 'The final response came over plain http.' });
  t.same(await first('zh-CN'), { ...fixed, message: '最终响应通过明文 http 返回。' });
  t.same(await first('zh-TW'), { ...fixed, message: '最終回應以明文 http 傳回。' });
});

t.test('without a response the reason is the answer, with the way to it, for a minute', async (t) => {
  const url = 'http://away.example/';
  const { reply } = await asked(url, {
    [url]: {
      success: false,
      error: { code: 'tcp_refused', message: 'connection refused' },
      redirects: [{ url, status_code: 301, ms: 3 }],
      last_url: 'https://away.example/',
      header_lines: [],
    },
  });
  t.match(reply, {
    status: 200,
    body: {
      data: {
        final_url: null,
        hops: [{ url, status_code: 301, location: 'https://away.example/', ms: 3 }],
        headers: {},
        security: {},
        cookies: [],
        analysis: { insecure: null, reasons: [] },
        grade: null,
        findings: [],
        error: { code: 'tcp_refused' },
      },
    },
  });
  t.equal(reply.headers.get('cache-control'), isFresh(60));
});

t.test('a node that fails at the second question alone is followed by the next', async (t) => {
  const other = await joinNode(t, world);
  const url = 'https://two.example/';
  const before = [node, other].map((peer) => jobsOf(peer).length);
  const jobs = () =>
    [node, other].flatMap((peer, i) =>
      jobsOf(peer)
        .slice(before[i])
        .map((job) => ({ ...job, peer })),
    );
  const reply = look(url);
  await until('both questions', () => jobs().length === 2);
  const [first] = jobs();
  const busy = { success: false, error: { code: 'overload', message: 'busy' } };
  for (const { peer, taskId, spec } of jobs()) answer(peer, taskId, spec.target === url ? arrived(url) : busy);
  await until('both questions again', () => jobs().length === 4);
  const again = jobs().filter(({ peer }) => peer !== first?.peer);
  t.equal(again.length, 2, 'of the other node');
  for (const { peer, taskId, spec } of again)
    answer(peer, taskId, spec.target === url ? arrived(url) : { ...arrived('http://two.example/'), status_code: 200 });
  t.match((await reply).body.data.analysis.reasons, ['no_https_redirect', 'no_hsts']);
});

t.test('another module that has paid asks without taking a node test', async (t) => {
  const plans = '{"anonymous": {"requests_per_minute": null, "node_tests_per_day": 0}}';
  const poor = await startLookups(t, [new FakeClock(Date.now())], { VANTAGE_PLANS: plans });
  await joinNode(t, poor, { isAnswering: true });
  const q = '/v1/info/headers?q=http://paid.example/';
  t.equal((await poor.apis[0].call('GET', q, { as: null })).status, 429);
  const [replica] = poor.replicas;
  if (replica === undefined) throw new Error('no replica');
  const { lookups } = replica.services;
  const wishes = { locale: 'en', signal: new AbortController().signal } as const;
  t.match(await lookups.askHeaders('http://paid.example/', wishes), {
    data: { url: 'http://paid.example/' },
    cache: { hit: false },
  });
  t.equal((await poor.apis[0].call('GET', q, { as: null })).status, 200, 'the answer is kept for all');
  await t.rejects(lookups.askHeaders('http://10.0.0.5/', wishes), { code: 'PROBE_TARGET_INVALID' });
});

t.test('q is a domain or a URL that a probe may request', async (t) => {
  const malformed = [
    '',
    ' ',
    'a..b',
    'exa mple.com',
    'http://',
    'http:///path',
    '//example.com/',
    'http://example.com\\@a.example/',
    'http://example.com/a\nb',
    'http://example.com/a\u0000b',
    'http://example.com:0/',
    'http://example.com:65536/',
    '1.1.1.1',
    '1.2.3.4/24',
    '[2606:4700::1111]',
    'http://xn--a.com/',
    `http://example.com/${'a'.repeat(2_030)}`,
    `http://example.com/${'ü'.repeat(400)}`,
    'x'.repeat(10_000),
  ];
  const refused = [
    'localhost',
    'http://router/',
    'https://a.internal/',
    'http://a.onion/',
    'http://10.0.0.1/',
    '10.0.0.1',
    'http://[::1]/',
    'http://[fd00::1]/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://169.254.169.254/latest/meta-data/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://someone:secret@example.com/',
    'http://example.com:25/',
    'http://example.com:6379/',
    'http://１.example.com/',
  ];
  const before = jobsOf(node).length;
  for (const [texts, status, code] of [
    [malformed, 400, 'VALIDATION_FAILED'],
    [refused, 422, 'PROBE_TARGET_INVALID'],
  ] as const) {
    for (const text of texts) {
      const { status: found, body } = await look(text);
      t.match([found, body], [status, { error: { code, details: { q: [{}] } } }], JSON.stringify(text.slice(0, 60)));
      t.notMatch(JSON.stringify(body), 'secret');
    }
  }
  t.equal(jobsOf(node).length, before);
});

t.test('the longest URL is a question like any other', async (t) => {
  const url = `http://example.com/${Array.from({ length: 2_029 }, (_, i) => ((i * 7919) % 36).toString(36)).join('')}`;
  t.equal(url.length, 2_048);
  const { reply } = await asked(url, { [url]: arrived(url) });
  t.equal(reply.status, 200);
  t.match((await look(url)).body.meta.cache, { hit: true });
});
