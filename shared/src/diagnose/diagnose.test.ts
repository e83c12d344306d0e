import fc from 'fast-check';
import t from 'tap';
import type { ProbeErrorCode } from '../probe-types/error-codes.js';
import { failedResult } from '../probe-types/failed-result.js';
import { measurements, type ProbeResults, type ProbeSpecs } from '../probe-types/index.js';
import { compileSchema } from '../validation.js';
import { findingLanguages } from './finding-rule.js';
import {
  findingCodes,
  findingRule,
  findingTable,
  findingText,
  type SectionName,
  sectionNames,
} from './finding-table.js';
import { zoneFindings } from './findings/dns-findings.js';
import { fitReport, MAX_REPORT_BYTES } from './fit-report.js';
import type { NodeResult } from './node-results.js';
import { buildReport, type DiagnoseInput, wantsPlainHttp } from './report.js';
import { findingsOf, overallScore, sectionScore, sectionWeights } from './score.js';
import { parseDiagnoseTarget } from './target.js';

type Type = 'http' | 'ssl' | 'dns' | 'ping' | 'traceroute';

const nodeIds = ['n1', 'n2', 'n3'];
const target = parseDiagnoseTarget('example.com');

function specOf<T extends Type>(type: T): ProbeSpecs[T] {
  const spec = { target: type === 'http' ? 'https://example.com/' : 'example.com', params: {} };
  const checked = compileSchema(measurements[type].Spec)(spec);
  if (!checked.ok) throw new Error('no valid spec');
  return checked.value as ProbeSpecs[T];
}

const failed = <T extends Type>(type: T, code: ProbeErrorCode): ProbeResults[T] =>
  failedResult(type, specOf(type), { code, message: code });
const succeeded = <T extends Type>(type: T, more: Partial<ProbeResults[T]>): ProbeResults[T] =>
  ({ ...failed(type, 'internal'), success: true, error: null, ...more }) as ProbeResults[T];

const site = succeeded('http', {
  status_code: 200,
  response_ms: 90,
  http_version: '2',
  final_url: 'https://example.com/',
});
const tls = succeeded('ssl', { grade: 'A+' });
const address = { name: 'example.com', type: 'A', class: 'IN', ttl: 60, value: '8.8.8.8' };
const dns = succeeded('dns', { rcode: 'NOERROR', records: [address], query_ms: 9, transport: 'udp' });
const pong = succeeded('ping', { packets_sent: 4, packets_received: 4 });
const silence = succeeded('ping', { packets_sent: 4, packets_received: 0, loss_pct: 100 });
const path = succeeded('traceroute', { reached: true });

const onAll = <T extends Type>(result: ProbeResults[T]): NodeResult<T>[] =>
  nodeIds.map((nodeId) => ({ nodeId, result }));
const on = <T extends Type>(...results: ProbeResults[T][]): NodeResult<T>[] =>
  results.map((result, i) => ({ nodeId: `n${i + 1}`, result }));
const analysis = { codes: [], facts: { url: 'https://example.com/', grade: 'A+' } };

const flawless: DiagnoseInput = {
  target,
  scope: new Set(sectionNames),
  nodeIds,
  isOver: false,
  taskIds: { http: 'pt_1' },
  http: onAll<'http'>(site),
  plainHttp: [],
  ssl: onAll<'ssl'>(tls),
  dns: onAll<'dns'>(dns),
  ping: onAll<'ping'>(pong),
  traceroute: onAll<'traceroute'>(path),
  zone: { nodeId: 'n1', error: null, value: { findings: [] } },
  headers: { nodeId: 'n1', error: null, value: analysis },
  asnOf: () => null,
};
const report = (more: Partial<DiagnoseInput>) => buildReport({ ...flawless, ...more });
const codesOf = (more: Partial<DiagnoseInput>, name: SectionName) =>
  (report(more).sections[name]?.findings ?? []).map(({ code }) => code);

t.test(
  'the table is closed: each code in one section, with a price that fits its severity, in three languages',
  async (t) => {
    t.equal(new Set(findingCodes).size, sectionNames.flatMap((name) => Object.keys(findingTable[name])).length);
    for (const code of findingCodes) {
      const { severity, penalty } = findingRule(code);
      const [least, most] = { critical: [31, 100], warning: [1, 30], notice: [0, 0], good: [0, 0] }[severity] as [
        number,
        number,
      ];
      t.ok(penalty >= least && penalty <= most, `${code}: ${severity} ${penalty}`);
      const texts = findingLanguages.map((language) => findingText(code, language));
      t.ok(
        texts.every((text, i) => text !== '' && /\p{Script=Han}/u.test(text) === i > 0),
        `${code} in each language`,
      );
    }
    t.equal(Object.keys(zoneFindings).length, 18);
    t.equal(
      Object.values(sectionWeights).reduce((sum, weight) => sum + weight, 0),
      100,
    );
  },
);

t.test('a site without a fault scores 100', async (t) => {
  const { status, overall_score: overall, sections } = report({});
  t.match({ status, overall }, { status: 'completed', overall: 100 });
  t.match(sections.http, {
    status: 'completed',
    score: 100,
    task_id: 'pt_1',
    findings: [{ code: 'http_ok', node_ids: nodeIds }],
  });
});

t.test('one more finding never raises the score of a section or the whole', async () => {
  const sightings = fc.uniqueArray(fc.tuple(fc.constantFrom(...findingCodes), fc.subarray(nodeIds, { minLength: 1 })), {
    selector: ([code]) => code,
    maxLength: 8,
  });
  const toMap = (pairs: readonly (readonly [(typeof findingCodes)[number], readonly string[]])[]) =>
    new Map(pairs.map(([code, nodes]) => [code, new Set(nodes)]));
  fc.assert(
    fc.property(sightings, fc.constantFrom(...findingCodes), fc.constantFrom(...nodeIds), (pairs, code, node) => {
      const more = toMap(pairs);
      more.set(code, new Set([...(more.get(code) ?? []), node]));
      return sectionScore(findingsOf(more, 3)) <= sectionScore(findingsOf(toMap(pairs), 3));
    }),
    { numRuns: 500 },
  );
  const scores = fc.record(
    Object.fromEntries(sectionNames.map((name) => [name, fc.integer({ min: 0, max: 100 })])) as Record<
      SectionName,
      fc.Arbitrary<number>
    >,
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      scores,
      fc.constantFrom(...sectionNames),
      fc.nat(100),
      fc.boolean(),
      fc.boolean(),
      (scores, name, loss, isWithoutHttp, hasBadCertificate) => {
        const before = overallScore({ scores, isWithoutHttp: false, hasBadCertificate: false });
        const lower = scores[name] === undefined ? scores : { ...scores, [name]: Math.max(0, scores[name] - loss) };
        const after = overallScore({ scores: lower, isWithoutHttp, hasBadCertificate });
        return before === null || after === null ? before === after : after <= before;
      },
    ),
  );
});

const outcomes = {
  http: [site, succeeded('http', { status_code: 503 }), failed('http', 'tcp_refused'), failed('http', 'node_lost')],
  ssl: [
    tls,
    succeeded('ssl', { grade: 'T', warnings: ['expired'] }),
    failed('ssl', 'tcp_refused'),
    failed('ssl', 'overload'),
  ],
  dns: [dns, failed('dns', 'dns_nxdomain'), succeeded('dns', { ...dns, records: [{ ...address, value: '10.0.0.1' }] })],
  ping: [pong, silence, failed('ping', 'internal')],
  traceroute: [path, succeeded('traceroute', { reached: false })],
};

t.test('the same results in any order give the same report', async () => {
  const some = <T extends Type>(type: T) =>
    fc
      .array(fc.constantFrom(...(outcomes[type] as ProbeResults[T][])), { maxLength: 3 })
      .map((results) => on<T>(...results));
  const inputs = fc.record({
    http: some('http'),
    ssl: some('ssl'),
    dns: some('dns'),
    ping: some('ping'),
    traceroute: some('traceroute'),
    isOver: fc.boolean(),
  });
  fc.assert(
    fc.property(inputs, (more) => {
      const turned = {
        ...more,
        http: more.http.toReversed(),
        ssl: more.ssl.toReversed(),
        dns: more.dns.toReversed(),
        ping: more.ping.toReversed(),
        traceroute: more.traceroute.toReversed(),
        nodeIds: nodeIds.toReversed(),
      };
      return JSON.stringify(report(turned)) === JSON.stringify(report(more));
    }),
    { numRuns: 300 },
  );
});

t.test('a fault that one of three nodes sees does not cost as if all saw it', async (t) => {
  const one = report({ ssl: on<'ssl'>(tls, failed('ssl', 'tcp_timeout'), tls) });
  t.match(one.sections.ssl, {
    score: 66,
    findings: [{ code: 'ssl_unreachable', penalty: 34, node_ids: ['n2'] }, { code: 'ssl_good' }],
  });
  t.equal(one.overall_score, 93, '100 but for a third of a fifth');
  const all = report({ ssl: onAll<'ssl'>(failed('ssl', 'tcp_timeout')) });
  t.match(all.sections.ssl, { score: 0 });
  t.match(report({ http: on<'http'>(site, failed('http', 'tcp_timeout'), site) }).sections.http, { score: 66 });
});

t.test('without any HTTP response the score is at most 20, with a bad certificate at most 40', async (t) => {
  const down = failed('http', 'http_timeout');
  t.equal(report({ http: onAll<'http'>(down), headers: null, isOver: true }).overall_score, 20);
  t.ok((report({ http: on<'http'>(down, down, site) }).overall_score ?? 0) > 20, 'one response is enough');
  for (const grade of ['T', 'M', 'F'] as const)
    t.equal(report({ ssl: on<'ssl'>(tls, tls, succeeded('ssl', { grade })) }).overall_score, 40, grade);
  t.equal(report({ ssl: onAll<'ssl'>(succeeded('ssl', { grade: 'C' })) }).overall_score, 100);
});

t.test('a challenge page scores less than 100, in http and in security_headers', async (t) => {
  const challenged = succeeded('http', { ...site, headers: { 'cf-mitigated': 'challenge' } });
  const refused = { codes: ['not_the_site' as const], facts: { grade: null } };
  for (const http of [challenged, succeeded('http', { ...site, status_code: 403 })]) {
    const { sections, overall_score: overall } = report({
      http: onAll<'http'>(http),
      headers: { nodeId: 'n1', error: null, value: refused },
    });
    t.match(sections.http, { score: 80, findings: [{ code: 'http_challenge' }] });
    t.match(sections.security_headers, { status: 'completed', score: 70, findings: [{ code: 'not_the_site' }] });
    t.ok((overall ?? 100) < 100);
  }
});

t.test('silent ICMP from a node whose http works is filtered, and costs nothing', async (t) => {
  const http = on<'http'>(site, site, failed('http', 'tcp_timeout'));
  const { ping, traceroute } = report({
    http,
    ping: onAll<'ping'>(silence),
    traceroute: onAll<'traceroute'>(succeeded('traceroute', { reached: false })),
  }).sections;
  t.match(ping?.findings, [
    { code: 'ping_no_reply', penalty: 20, node_ids: ['n3'] },
    { code: 'icmp_filtered', penalty: 0, node_ids: ['n1', 'n2'] },
  ]);
  t.match(traceroute?.findings, [{ code: 'path_not_reached', node_ids: ['n3'] }, { code: 'path_filtered' }]);
  t.equal(
    report({ http: [], ping: onAll<'ping'>(silence) }).sections.ping?.status,
    'running',
    'http decides what it means',
  );
});

t.test('a section in which only nodes failed does not count, and a report without any section fails', async (t) => {
  const lost = report({ ping: onAll<'ping'>(failed('ping', 'node_lost')) });
  t.match(lost, {
    status: 'completed',
    overall_score: 100,
    sections: { ping: { status: 'failed', score: null, reason: 'nodes_failed' } },
  });
  const partly = report({ ping: on<'ping'>(pong, failed('ping', 'overload'), pong) }).sections.ping;
  t.match(partly, { status: 'completed', score: 100 });
  t.match(report({ scope: new Set(['ping']), ping: onAll<'ping'>(failed('ping', 'internal')) }), {
    status: 'failed',
    overall_score: null,
  });
});

t.test('results arrive one by one: pending, running, completed, and at the deadline with what there is', async (t) => {
  const statusOf = (http: NodeResult<'http'>[], isOver = false) => report({ http, isOver }).sections.http;
  t.match(statusOf([]), { status: 'pending', score: null, findings: [] });
  t.match(statusOf(on<'http'>(site)), { status: 'running', score: null });
  t.equal(report({ http: on<'http'>(site) }).status, 'running');
  t.match(statusOf(on<'http'>(site), true), { status: 'completed', facts: { missing_node_ids: ['n2', 'n3'] } });
  t.match(statusOf([], true), { status: 'failed', reason: 'timeout' });
  t.match(report({ zone: null }).sections.dns, { status: 'running' });
  t.match(report({ headers: null, isOver: true }).sections.security_headers, { status: 'failed', reason: 'timeout' });
});

t.test('what a target cannot have is skipped, with the reason', async (t) => {
  const ofAddress = report({ target: parseDiagnoseTarget('8.8.8.8'), ssl: [], dns: [], zone: null });
  t.match(ofAddress, {
    status: 'completed',
    sections: { ssl: { status: 'skipped', reason: 'address_target' }, dns: { status: 'skipped' } },
  });
  const refused = { code: 'tcp_refused', message: '' } as const;
  const silent = report({
    http: onAll<'http'>(failed('http', 'tcp_refused')),
    plainHttp: onAll<'http'>(failed('http', 'tcp_refused')),
    ssl: onAll<'ssl'>(failed('ssl', 'tcp_refused')),
    headers: { nodeId: 'n1', error: refused, value: null },
  });
  t.match(silent.sections, {
    ssl: { status: 'skipped', reason: 'no_http_or_tls' },
    security_headers: { status: 'skipped', reason: 'no_http_or_tls' },
    http: { score: 0 },
  });
  t.equal(silent.overall_score, 20);
  const slow = { nodeId: null, error: { code: 'http_timeout', message: '' }, value: null } as const;
  t.match(
    report({ headers: slow }).sections.security_headers,
    { status: 'failed', reason: 'timeout' },
    'others respond',
  );
  t.match(report({ headers: slow, http: [] }).sections.security_headers, { status: 'running', reason: null });
  const lost = { nodeId: 'n1', error: { code: 'node_lost', message: '' }, value: null } as const;
  t.match(report({ headers: lost }).sections.security_headers, { status: 'failed', reason: 'nodes_failed' });
});

t.test('plain http is asked once more where no node can connect or shake hands', async (t) => {
  const closed = onAll<'http'>(failed('http', 'tls_handshake'));
  t.equal(wantsPlainHttp({ ...flawless, http: closed }), true);
  t.equal(wantsPlainHttp({ ...flawless, http: closed.slice(1) }), false, 'a node is still asking');
  t.equal(wantsPlainHttp({ ...flawless, http: on<'http'>(failed('http', 'tcp_refused'), site, site) }), false);
  t.equal(wantsPlainHttp({ ...flawless, http: closed, target: parseDiagnoseTarget('https://example.com') }), false);
  t.equal(wantsPlainHttp({ ...flawless, http: onAll<'http'>(failed('http', 'http_timeout')) }), false);
  t.equal(report({ http: closed }).sections.http?.status, 'running');
  const plain = { http: closed, plainHttp: onAll<'http'>(site) };
  t.match(report(plain).sections.http, { status: 'completed', score: 80, findings: [{ code: 'http_plain_only' }] });
  t.match(report({ ...plain, ssl: onAll<'ssl'>(failed('ssl', 'tls_handshake')) }).sections.ssl, {
    status: 'completed',
    score: 0,
  });
});

t.test('findings follow from the results of each section', async (t) => {
  const http = (more: Partial<ProbeResults['http']>) =>
    codesOf({ http: onAll<'http'>(succeeded('http', { ...site, ...more })) }, 'http');
  const error = (code: ProbeErrorCode) => ({ success: false, error: { code, message: '' } });
  t.same(http({ status_code: 500 }), ['http_server_error']);
  t.same(http({ status_code: 404 }), ['http_client_error']);
  t.same(http({ response_ms: 3001 }), ['http_slow']);
  t.same(http({ timing: { ...site.timing, ttfb_ms: 1001 } }), ['http_first_byte_slow']);
  t.same(http({ http_version: '1.0' }), ['http_old_version']);
  t.same(http(error('body_too_large')), ['http_body_invalid']);
  t.same(http({ status_code: 302, ...error('too_many_redirects') }), ['http_too_many_redirects']);
  const redirects = [{ url: 'https://example.com/', status_code: 302, ms: 1 }];
  t.same(http({ status_code: 302, redirects, ...error('target_not_allowed') }), ['http_redirect_refused']);
  t.same(codesOf({ ssl: onAll<'ssl'>(succeeded('ssl', { grade: 'B', warnings: ['old_protocol'] })) }, 'ssl'), [
    'old_protocol',
  ]);
  const dnsCodes = (result: ProbeResults['dns']) => codesOf({ dns: onAll<'dns'>(result) }, 'dns');
  t.same(dnsCodes(failed('dns', 'dns_nxdomain')), ['dns_nxdomain']);
  t.same(dnsCodes(failed('dns', 'dns_servfail')), ['dns_failed']);
  t.same(dnsCodes(failed('dns', 'dns_timeout')), ['dns_timeout']);
  t.same(dnsCodes(failed('dns', 'dns_nodata')), ['dns_no_ipv4']);
  t.same(dnsCodes({ ...dns, query_ms: 501 }), ['dns_slow']);
  t.same(dnsCodes({ ...dns, records: [{ ...address, value: '10.0.0.1' }] }), ['dns_contradictory', 'dns_ok']);
  const zone = {
    nodeId: 'n2',
    error: null,
    value: { findings: [{ code: 'single_ns' as const }, { code: 'no_caa' as const }] },
  };
  t.match(report({ zone }).sections.dns, {
    score: 85,
    findings: [{ code: 'dns_ok' }, { code: 'single_ns', penalty: 15, node_ids: ['n2'] }, { code: 'no_caa' }],
  });
  const ping = (more: Partial<ProbeResults['ping']>) => codesOf({ ping: onAll<'ping'>({ ...pong, ...more }) }, 'ping');
  t.same(ping({ loss_pct: 20 }), ['ping_loss']);
  t.same(ping({ loss_pct: 25 }), ['ping_loss_high']);
  t.same(ping({ rtt: { ...pong.rtt, avg_ms: 301, mdev_ms: 160 } }), ['ping_slow', 'ping_unstable']);
  t.same(ping({ rtt: { ...pong.rtt, avg_ms: 10, mdev_ms: 20 } }), ['ping_ok']);
  const hop = (ttl: number, ip: string) => ({
    ttl,
    replies: [{ flow: 1, ip, rtt_ms: 1, icmp_type: null, icmp_code: null }],
  });
  const trace = (hops: ProbeResults['traceroute']['hops'], reached = true) =>
    codesOf(
      { traceroute: onAll<'traceroute'>(succeeded('traceroute', { hops, reached, resolved_ip: '8.8.8.8' })) },
      'traceroute',
    );
  t.same(trace([hop(1, '1.1.1.1'), hop(2, '1.0.0.1'), hop(3, '1.1.1.1')]), ['path_loop']);
  t.same(
    trace([hop(1, '1.1.1.1'), hop(2, '1.1.1.1'), hop(3, '8.8.8.8'), hop(5, '8.8.8.8')]),
    ['path_ok'],
    'twice in a row, or the target',
  );
  t.same(trace(Array.from({ length: 26 }, (_, i) => hop(i + 1, `1.1.1.${i}`))), ['path_long']);
});

t.test('a report fits into its room, whatever its results hold', async (t) => {
  const many = Array.from({ length: 50 }, (_, i) => `n${i}`);
  const of = (body: string, headers: Record<string, string>) =>
    report({
      nodeIds: many,
      isOver: true,
      http: many.map((nodeId) => ({ nodeId, result: { ...site, body, headers } })),
    });
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const small = report({});
  t.same(fitReport(small), { ...small, truncated: false });
  const bodies = fitReport(of('x'.repeat(64 * 1024), { a: 'b' }));
  t.equal(bodies.truncated, true);
  t.ok(bytes(bodies) <= MAX_REPORT_BYTES);
  t.match(bodies.sections.http?.facts, { nodes: [{ node_id: 'n0', headers: { a: 'b' } }] });
  t.notMatch(JSON.stringify(bodies), /xxx/);
  const headers = fitReport(of('', { a: 'b', big: 'y'.repeat(30_000), c: 'd' }));
  t.ok(bytes(headers) <= MAX_REPORT_BYTES);
  t.match(headers.sections.http?.facts, { nodes: [{ headers: { a: 'b' } }] });
  const replies = Array.from({ length: 80 }, () => ({
    flow: 1,
    ip: '1.1.1.1',
    rtt_ms: 1,
    icmp_type: null,
    icmp_code: null,
  }));
  const hops = Array.from({ length: 64 }, (_, i) => ({ ttl: i + 1, replies }));
  const traced = fitReport(report({ traceroute: onAll<'traceroute'>({ ...path, hops }) }));
  t.ok(bytes(traced) <= MAX_REPORT_BYTES);
  t.match(traced.sections.traceroute?.facts, { nodes: [{ hops: [{ ttl: 1, replies: [] }] }] });
  const urls = { ...site, final_url: `https://example.com/${'z'.repeat(20_000)}` };
  const last = fitReport(
    report({ nodeIds: many, isOver: true, http: many.map((nodeId) => ({ nodeId, result: urls })) }),
  );
  t.ok(bytes(last) <= MAX_REPORT_BYTES);
  t.match(last, { truncated: true, overall_score: 100, sections: { http: { score: 100, facts: {} } } });
});
