import t from 'tap';
import type { ProbeResults } from '../probe-types/index.js';
import { TargetError } from '../target-policy/target-error.js';
import { compileSchema } from '../validation.js';
import { type MonitorConfigs, monitorTypes } from './index.js';
import { httpSecrecy, sealedPathsIn } from './secrets.js';

type Family = 'http' | 'https' | 'keyword' | 'json';

function aConfig<T extends Family>(type: T, more: object = {}): MonitorConfigs[T] {
  const { Config, exampleConfig } = monitorTypes[type];
  const validation = compileSchema(Config)(structuredClone({ ...exampleConfig, ...more }));
  if (!validation.ok) throw new Error(JSON.stringify(validation.details));
  return validation.value as MonitorConfigs[T];
}

const complaints = (more: object) => {
  const validation = compileSchema(monitorTypes.http.Config)(more);
  return validation.ok ? monitorTypes.http.checkConfig(validation.value) : validation.details;
};

const anAnswer = (more: Partial<ProbeResults['http']> = {}): ProbeResults['http'] => ({
  success: true,
  error: null,
  status_code: 200,
  response_ms: 42,
  response_size: 5,
  final_url: 'https://example.com/',
  headers: {},
  resolved_ip: '192.0.2.1',
  ip_version: 4,
  http_version: '2',
  redirects: [],
  body: 'hello',
  body_truncated: false,
  timing: { dns_ms: 1, tcp_ms: 1, tls_ms: 1, ttfb_ms: 1, download_ms: 1 },
  tls: null,
  ...more,
});

t.test('a status succeeds if it is among those expected, by default 2xx', async (t) => {
  const outcome = (status: number, more: object = {}) =>
    monitorTypes.http.judge(anAnswer({ status_code: status }), aConfig('http', more), 0);
  const expected: [unknown, number[], number[]][] = [
    [undefined, [200, 204, 299], [199, 301, 404, 500]],
    ['2xx', [200, 299], [300]],
    [404, [404], [200, 405]],
    ['301-308', [301, 308], [300, 309]],
    [
      ['2xx', 404, '500-502'],
      [200, 404, 501],
      [301, 503],
    ],
  ];
  for (const [expected_status, well, others] of expected) {
    const more = expected_status === undefined ? {} : { expected_status };
    for (const status of well) t.match(outcome(status, more), { outcome: 'ok', error: null, statusCode: status });
    for (const status of others)
      t.match(outcome(status, more), { outcome: 'failed', error: { code: 'assertion_failed' } });
  }
  t.match(outcome(500), { responseMs: 42, error: { message: 'the status is 500, expected 2xx' } });
  const assertions = [{ type: 'status_code', op: 'eq', value: 404 }];
  t.match(outcome(404, { assertions }), { outcome: 'ok' }, 'an assertion about it takes the place of the default');
  t.match(outcome(200, { assertions }), { outcome: 'failed' });
  t.match(outcome(404, { assertions, expected_status: '2xx' }), { outcome: 'failed' }, 'not of what is said');
});

t.test('expected status is stored as an array of texts, and nonsense is refused once', async (t) => {
  const stored = (more: object) => monitorTypes.http.normalise(aConfig('http', more)).expected_status;
  t.strictSame(stored({}), ['2xx']);
  t.strictSame(stored({ expected_status: 204 }), ['204']);
  t.strictSame(stored({ expected_status: ['2xx', 404] }), ['2xx', '404']);
  t.strictSame(stored({ assertions: [{ type: 'status_code', op: 'lt', value: 500 }] }), undefined);
  for (const expected_status of ['2x', '20', 'ok', '200-', '200-2xx', 99, 1000])
    t.match(complaints({ expected_status }), { expected_status: [{ message: /./ }] }, String(expected_status));
  t.equal(complaints({ expected_status: 'ok' })['expected_status']?.length, 1);
  t.match(complaints({ expected_status: ['299-200'] }), { expected_status: [{ code: 'range' }] });
  t.match(complaints({ expected_status: [] }), { expected_status: [{ code: 'length' }] });
});

t.test('credentials become the Authorization header', async (t) => {
  const headers = (auth: object) =>
    monitorTypes.http.toSpec('https://a.test/', aConfig('http', { auth })).params.headers;
  // RFC 7617 section 2
  t.strictSame(headers({ type: 'basic', username: 'Aladdin', password: 'open sesame' }), {
    Authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
  });
  t.strictSame(headers({ type: 'bearer', token: 'mF_9.B5f-4.1JqM' }), { Authorization: 'Bearer mF_9.B5f-4.1JqM' });
  const largest = { type: 'basic', username: '😀'.repeat(200), password: '😀'.repeat(500) };
  t.ok((headers(largest)['Authorization']?.length ?? 0) <= 4096, 'the longest is one that a probe sends');
});

t.test('credentials that contradict themselves or a header are refused by field', async (t) => {
  const basic = { type: 'basic', username: 'u', password: 'p' };
  t.match(complaints({ auth: basic, headers: { authorization: 'x' } }), { auth: [{ code: 'conflict' }] });
  t.match(complaints({ auth: { type: 'basic', username: 'u' } }), { 'auth.password': [{ code: 'required' }] });
  t.match(complaints({ auth: { ...basic, token: 't' } }), { 'auth.token': [{ code: 'conflict' }] });
  t.match(complaints({ auth: { type: 'bearer' } }), { 'auth.token': [{ code: 'required' }] });
  t.match(complaints({ auth: { type: 'bearer', token: 'a b' } }), { 'auth.token': [{ code: 'format' }] });
  t.match(complaints({ auth: { ...basic, username: 'a:b' } }), { 'auth.username': [{ code: 'format' }] });
});

t.test('headers, resolvers and methods that no probe can use are refused by the names of the settings', async (t) => {
  t.match(complaints({ headers: { Host: 'a' } }), { 'headers.Host': [{ code: 'refused' }] });
  t.match(complaints({ headers: { A: '1', a: '2' } }), { 'headers.a': [{ code: 'conflict' }] });
  t.match(complaints({ resolver: 'a b' }), { resolver: [{ code: 'format' }] });
  const assertions = [{ type: 'body_regex', op: 'regex', value: 'a' }];
  t.match(complaints({ method: 'HEAD', assertions }), { method: [{ code: 'conflict' }] });
  t.strictSame(complaints({ method: 'HEAD' }), {});
  for (const type of ['keyword', 'json'] as const)
    t.match(monitorTypes[type].checkConfig(aConfig(type, { method: 'HEAD' }) as never), { method: [{}] }, type);
});

t.test('https takes https URLs alone, the others http as well, and none anything else', async (t) => {
  for (const type of ['http', 'https', 'keyword', 'json'] as const) {
    const toSpec = (target: string) => monitorTypes[type].toSpec(target, aConfig(type) as never);
    t.equal(toSpec('https://a.test/').target, 'https://a.test/');
    if (type === 'https') t.throws(() => toSpec('http://a.test/'), /not an https URL/);
    else t.equal(toSpec('http://a.test/').target, 'http://a.test/');
    t.throws(() => toSpec('ftp://a.test/'), TargetError);
    t.throws(() => toSpec('a.test'), TargetError);
  }
  t.equal(monitorTypes.https.toSpec('https://a.test/', aConfig('https')).params.verify_tls, true);
});

t.test('a probe looks for every text and path that is asserted, each once', async (t) => {
  const assertions = [
    { type: 'body_contains', op: 'contains', value: 'a' },
    { type: 'body_contains', op: 'ne', value: 'a' },
    { type: 'json_path', op: 'eq', value: 1, path: '$.a' },
    { type: 'json_path', op: 'lt', value: 2, path: '$.a' },
  ];
  const { params } = monitorTypes.keyword.toSpec('https://a.test/', aConfig('keyword', { keyword: 'b', assertions }));
  t.match(params, { keywords: ['b', 'a'], json_paths: ['$.a'] });
  const plain = monitorTypes.http.toSpec('https://a.test/', aConfig('http')).params;
  t.notOk('keywords' in plain || 'json_paths' in plain || 'body' in plain || 'resolver' in plain);
});

t.test(
  'a keyword is required or forbidden, with or without case, and never absent in a body that was not searched',
  async (t) => {
    const judge = (counts: [number | null, number | null], more: object = {}) => {
      const [count, count_any_case] = counts;
      const keywords = [
        { keyword: 'Up', count, count_any_case, error: count === null ? 'not in the first MiB' : null },
      ];
      return monitorTypes.keyword.judge(anAnswer({ keywords }), aConfig('keyword', { keyword: 'Up', ...more }), 0)
        .outcome;
    };
    t.equal(judge([1, 2]), 'ok');
    t.equal(judge([0, 1]), 'failed');
    t.equal(judge([0, 1], { case_sensitive: false }), 'ok');
    t.equal(judge([0, 1], { mode: 'absent' }), 'ok');
    t.equal(judge([0, 1], { mode: 'absent', case_sensitive: false }), 'failed');
    t.equal(judge([1, 1], { mode: 'absent' }), 'failed');
    for (const mode of ['contains', 'absent']) t.equal(judge([null, null], { mode }), 'failed', mode);
    t.equal(monitorTypes.keyword.judge(anAnswer(), aConfig('keyword', { mode: 'absent' }), 0).outcome, 'failed');
  },
);

t.test('a JSON monitor compares what its path selects', async (t) => {
  const judge = (values: unknown[], more: object = {}) => {
    const json_paths = [{ path: '$.status', count: values.length, values, truncated: false, error: null }];
    return monitorTypes.json.judge(anAnswer({ json_paths }), aConfig('json', more), 0);
  };
  t.match(judge(['ok']), { outcome: 'ok' });
  t.match(judge(['no']), { error: { message: 'json_path $.status is "no", expected eq "ok"' } });
  t.match(judge([]), { outcome: 'failed', error: { message: /selects nothing/ } });
  t.match(judge([5], { op: 'gt', value: 4 }), { outcome: 'ok' });
  t.match(monitorTypes.json.checkConfig(aConfig('json', { path: '$[' })), { path: [{ code: 'format' }] });
  t.match(monitorTypes.json.checkConfig(aConfig('json', { op: 'in' })), { value: [{ code: 'type' }] });
});

t.test('assertions decide: any of severity down fails a check, lesser ones alone degrade it', async (t) => {
  const judge = (assertions: object[]) =>
    monitorTypes.http.judge(anAnswer({ headers: { 'x-a': '1' } }), aConfig('http', { assertions }), 0);
  const slow = { type: 'response_time', op: 'lt', value: 10, severity: 'degraded' };
  const wrong = { type: 'header_value', name: 'X-A', op: 'eq', value: '2' };
  t.match(judge([slow]), { outcome: 'degraded', error: { message: 'response_time is 42, expected lt 10' } });
  t.match(judge([slow, wrong]), {
    outcome: 'failed',
    error: { message: 'header_value X-A is "1", expected eq "2"; response_time is 42, expected lt 10' },
  });
  t.match(judge([{ type: 'ssl_days_remaining', op: 'lt', value: 9 }]), { outcome: 'failed' }, 'without TLS');
});

t.test('days until a certificate ends are counted from when it was measured', async (t) => {
  const tls = {
    protocol: 'TLSv1.3',
    version: '1.3',
    cipher: 'x',
    authorized: true,
    authorization_error: null,
    not_after: '2026-02-01T00:00:00Z',
    chain: [],
  };
  const config = aConfig('https', { assertions: [{ type: 'ssl_days_remaining', op: 'gte', value: 10 }] });
  const judge = (at: string, more: object = {}) =>
    monitorTypes.https.judge(anAnswer({ tls: { ...tls, ...more } }), config, Date.parse(at));
  t.match(judge('2026-01-22T00:00:00Z'), { outcome: 'ok' });
  t.match(judge('2026-01-22T00:00:01Z'), { error: { message: 'ssl_days_remaining is 9, expected gte 10' } });
  const earlier = { ends_first: { subject: 'CN=Authority', not_after: '2026-01-10T00:00:00Z' } };
  t.match(judge('2026-01-08T00:00:00Z', earlier), {
    error: { message: /^ssl_days_remaining is 2 by the certificate of the authority "CN=Authority"/ },
  });
});

t.test('secrets of a request appear in no message, whatever the server repeats of it', async (t) => {
  const token = 'tok-3f9d8e7c6b5a';
  const secrets = {
    'a token': { auth: { type: 'bearer', token } },
    'a password': { auth: { type: 'basic', username: 'u', password: token } },
    'a header': { headers: { 'X-Api-Key': token } },
    'an Authorization header': { headers: { authorization: `Bearer ${token}` } },
    'a cookie': { headers: { Cookie: `a=1; sid=${token}` } },
  };
  const basic = Buffer.from(`u:${token}`).toString('base64');
  const echo = { 'x-echo': `${token} ${basic}` };
  const json_paths = [
    {
      path: '$.headers',
      count: 1,
      values: [{ authorization: `Basic ${basic}`, k: token }],
      truncated: false,
      error: null,
    },
  ];
  const assertions = [
    { type: 'header_value', name: 'X-Echo', op: 'eq', value: 'x' },
    { type: 'json_path', path: '$.headers', op: 'eq', value: 'x' },
  ];
  for (const [what, more] of Object.entries(secrets)) {
    const config = aConfig('http', { ...more, assertions });
    for (const answer of [
      anAnswer({ headers: echo, json_paths }),
      anAnswer({ error: { code: 'http_protocol', message: `redirected to /?k=${token}` } }),
    ]) {
      const { error } = monitorTypes.http.judge(answer, config, 0);
      t.match(error?.message, /\[secret\]/, what);
      t.notMatch(error?.message, token, what);
      if (what === 'a password') t.notMatch(error?.message, basic, what);
    }
  }
});

t.test(
  'every setting in which a secret may stand is sealed: credentials, certificates, the body, all but plain headers',
  async (t) => {
    const config = {
      keyword: 'token',
      body: '{}',
      method: 'POST',
      assertions: [{ type: 'header_value', name: 'X-Auth-Token' }],
      auth: { type: 'basic', username: 'u', password: 'p' },
      client_certificate: { certificate: 'c', private_key: 'k' },
      headers: {
        Authorization: 'a',
        COOKIE: 'b',
        'X-Api.Key': 'c',
        Accept: 'd',
        'X-Auth-Token': 'e',
        'User-Agent': 'f',
        'X-Env': 'g',
      },
    };
    const sealed = sealedPathsIn(config, httpSecrecy).map(({ path, secrecy }) => `${path.join(' ')}: ${secrecy}`);
    t.strictSame(sealed, [
      'body: confidential',
      'auth password: secret',
      'client_certificate certificate: secret',
      'client_certificate private_key: secret',
      'headers Authorization: secret',
      'headers COOKIE: secret',
      'headers X-Api.Key: secret',
      'headers X-Auth-Token: secret',
      'headers X-Env: confidential',
    ]);
    t.strictSame(sealedPathsIn({}, httpSecrecy), []);
  },
);
