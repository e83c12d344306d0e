import fc from 'fast-check';
import t from 'tap';
import { headerFindings } from '../diagnose/findings/header-findings.js';
import { failedResult } from '../probe-types/failed-result.js';
import type { ProbeResults, ProbeSpecs } from '../probe-types/index.js';
import { analyseHeaders, type HeadersInput, headerFinding } from './analyse-headers.js';
import { cdnMarks, cdnOf } from './cdn-marks.js';
import { challengeMarks } from './challenge-pages.js';
import { parseSetCookie } from './cookies.js';
import { headerCodes, headerGradeOf, headerGrades, headerRules } from './header-grades.js';

type HttpResult = ProbeResults['http'];

const spec = { target: 'https://example.com/', params: { timeout_ms: 1000 } } as ProbeSpecs['http'];
const flawless: [string, string][] = [
  ['strict-transport-security', 'max-age=31536000; includeSubDomains'],
  ['content-security-policy', "default-src 'self'; base-uri 'none'; frame-ancestors 'none'"],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['permissions-policy', 'camera=()'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['content-type', 'text/html'],
  ['content-encoding', 'br'],
  ['cf-ray', '1-FRA'],
];

function response(lines: readonly [string, string][], more: Partial<HttpResult> = {}): HttpResult {
  return {
    ...failedResult('http', spec, { code: 'internal', message: '' }),
    success: true,
    error: null,
    status_code: 200,
    final_url: 'https://example.com/',
    response_ms: 90,
    response_size: 5000,
    header_lines: lines.map(([name, value]) => ({ name, value })),
    ...more,
  };
}

const analyse = (probe: HttpResult, more: Partial<HeadersInput> = {}) => {
  const analysis = analyseHeaders({ url: 'https://example.com/', probe, plain: null, asn: null, ...more });
  if (analysis === null) throw new Error('no analysis');
  return analysis;
};
const without = (name: string) => flawless.filter(([other]) => other !== name);
const withLine = (name: string, ...values: string[]): [string, string][] => [
  ...without(name),
  ...values.map((value): [string, string] => [name, value]),
];

t.test('a response without a fault is graded A+ and has no reason', async (t) => {
  const analysis = analyse(response(flawless));
  t.match(analysis, { grade: 'A+', codes: [], analysis: { insecure: false, reasons: [] } });
  t.match(analysis.security, { cdn: 'Cloudflare', csp: /default-src/, hsts: /max-age/, coop: 'same-origin' });
  t.notOk('coep' in analysis.security, 'empty values are omitted');
});

t.test('HSTS counts over https alone, and of several headers the first', async (t) => {
  const name = 'strict-transport-security';
  const reasons = (lines: [string, string][], more = {}) => analyse(response(lines, more)).analysis.reasons;
  t.same(reasons(without(name)), ['no_hsts']);
  t.same(reasons(withLine(name, 'max-age=0')), ['no_hsts']);
  t.same(reasons(withLine(name, 'max-age=0', 'max-age=31536000')), ['no_hsts']);
  t.same(reasons(withLine(name, 'max-age=31536000', 'max-age=0')), []);
  t.same(reasons(flawless, { final_url: 'http://example.com/' }), ['no_https_redirect', 'no_hsts']);
  t.match(analyse(response(flawless, { final_url: 'http://example.com/' })), {
    grade: 'F',
    analysis: { insecure: true },
  });
});

t.test('X-Frame-Options counts, also if it is repeated', async (t) => {
  const frames = (...values: string[]) => {
    const lines = [
      ...without('content-security-policy'),
      ...values.map((value): [string, string] => ['x-frame-options', value]),
    ];
    return !analyse(response(lines)).codes.includes('no_frame_protection');
  };
  t.equal(frames('SAMEORIGIN', 'SAMEORIGIN'), true);
  t.equal(frames('sameorigin, deny'), true, 'browsers deny where they differ');
  t.equal(frames('ALLOWALL'), false);
  t.equal(frames(), false);
});

t.test('a redirect with an empty Location is graded as the response that it is', async (t) => {
  const found = response([...flawless, ['location', '']], { status_code: 302 });
  t.match(analyse(found), { grade: 'A+', final_url: 'https://example.com/' });
});

t.test('plain http is right only as a redirect to https, or closed', async (t) => {
  const plain = (status_code: number | null, location?: string) =>
    response(location === undefined ? [] : [['location', location]], { status_code, final_url: 'http://example.com/' });
  const isReason = (other: HttpResult) =>
    analyse(response(flawless), { plain: other }).analysis.reasons.includes('no_https_redirect');
  t.equal(isReason(plain(301, 'https://example.com/')), false);
  t.equal(isReason(plain(308, '//example.com/')), true, 'the scheme stays http');
  t.equal(isReason(plain(301, '')), true, 'an empty Location is no redirect');
  t.equal(isReason(plain(301, 'http://www.example.com/')), true);
  t.equal(isReason(plain(301)), true);
  t.equal(isReason(plain(200)), true);
  t.equal(isReason(plain(404, 'https://example.com/')), true);
  t.equal(isReason(failedResult('http', spec, { code: 'tcp_refused', message: '' })), false);
});

t.test('hops have the place each leads to, and the last one null', async (t) => {
  const redirects = [
    { url: 'http://example.com/', status_code: 301, ms: 20 },
    { url: 'https://example.com/', status_code: 302, ms: 30 },
  ];
  const analysis = analyse(response(flawless, { redirects, final_url: 'http://www.example.com/' }));
  t.same(analysis.hops, [
    { url: 'http://example.com/', status_code: 301, location: 'https://example.com/', ms: 20 },
    { url: 'https://example.com/', status_code: 302, location: 'http://www.example.com/', ms: 30 },
    { url: 'http://www.example.com/', status_code: 200, location: null, ms: 40 },
  ]);
  t.ok(analysis.codes.includes('https_downgrade'));
});

t.test('a text of 1 KiB without compression is a reason, anything else is not', async (t) => {
  const isReason = (more: Partial<HttpResult>, ...lines: [string, string][]) =>
    analyse(response([...without('content-encoding'), ...lines], more)).analysis.reasons.includes('no_compression');
  t.equal(isReason({ response_size: 1024 }), true);
  t.equal(isReason({ response_size: 1023 }), false);
  t.equal(isReason({ response_size: 5000 }, ['content-encoding', 'zstd']), false);
  t.equal(isReason({ response_size: 5000 }, ['content-encoding', 'identity']), true);
  t.equal(isReason({ response_size: 5000 }, ['content-encoding', 'utf-8']), true, 'which is no coding');
  t.equal(analyse(response(withLine('content-type', 'image/png'))).analysis.reasons.length, 0);
});

t.test('a refusal or a challenge page is not graded, and never looks flawless', async (t) => {
  const refused = [401, 403, 429, 500, 503].map((status_code) => response(flawless, { status_code }));
  const challenges = [
    response([...flawless, ['cf-mitigated', 'challenge']]),
    response([...flawless, ['x-amzn-waf-action', 'captcha']], { status_code: 405 }),
    response(flawless, { body: '<script>window._cf_chl_opt = {}</script>' }),
    response(flawless, { body: '<script id="anubis_challenge" type="application/json">' }),
  ];
  for (const probe of [...refused, ...challenges]) t.match(analyse(probe), { grade: null, codes: ['not_the_site'] });
  t.ok(headerFindings.not_the_site.penalty > 0);
  const injected = '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>';
  t.equal(analyse(response(flawless, { body: injected })).grade, 'A+', 'a script of an ordinary page is no mark');
  t.equal(analyse(response(flawless, { status_code: 404 })).grade, 'A+', 'a missing page is the site’s');
  t.same(analyse(response([], { status_code: 403 })).analysis.reasons, ['no_cdn'], 'the rest is unknown');
});

t.test('a probe without a final response has no analysis', async (t) => {
  const failed = failedResult('http', spec, { code: 'tcp_refused', message: '' });
  t.equal(analyseHeaders({ url: 'https://example.com/', probe: failed, plain: null, asn: null }), null);
  const stuck = response([['location', 'https://a.example/']], {
    status_code: 302,
    success: false,
    error: { code: 'too_many_redirects', message: '' },
  });
  t.equal(analyseHeaders({ url: 'https://example.com/', probe: stuck, plain: null, asn: null }), null);
  const broken = { success: false, error: { code: 'http_protocol', message: '' } } as const;
  t.equal(analyse(response(flawless, broken)).grade, 'A+', 'a body that cannot be read does not matter');
});

t.test('cookies are shown and judged by their attributes', async (t) => {
  const codes = (line: string) => analyse(response([...flawless, ['set-cookie', line]])).codes;
  t.same(codes('a=; Secure; HttpOnly; SameSite=Lax'), []);
  t.same(codes('a=; HttpOnly; SameSite=Lax'), ['cookie_not_secure']);
  t.same(codes('a=; secure; samesite=STRICT'), ['cookie_not_http_only']);
  t.same(codes('a=; Secure; HttpOnly; SameSite=x'), ['cookie_no_same_site']);
  t.same(codes('a=; HttpOnly; SameSite=None'), ['cookie_not_secure', 'cookie_none_not_secure']);
  t.same(codes('__Host-a=; Secure; HttpOnly; SameSite=Lax; Path=/; Domain=x.com'), ['cookie_prefix_broken']);
  t.same(codes('__Host-a=; Secure; HttpOnly; SameSite=Lax; Path=/'), []);
  t.match(parseSetCookie('a=b; Expires=Thu, 01 Jan 2032 00:00:00 GMT; HttpOnly'), { name: 'a', http_only: true });
});

t.test('a CDN is known by header, alias or network, and each mark has a source', async (t) => {
  for (const { cdn, header, cname, asn, value, source } of cdnMarks) {
    t.match(source, /^https:\/\//, cdn);
    t.equal([header, cname, asn].filter((mark) => mark !== undefined).length, 1, `${cdn}: one mark a line`);
    if (cname === undefined) continue;
    t.equal(cdnOf({ headers: {}, aliases: [`d1.${cname}.`], asn: null }), cdn);
    t.equal(cdnOf({ headers: {}, aliases: [`not${cname}`], asn: null }), null);
    t.equal(value, undefined);
  }
  t.equal(cdnOf({ headers: {}, aliases: [], asn: 54113 }), 'Fastly');
  t.equal(cdnOf({ headers: { 'x-served-by': 'web1' }, aliases: [], asn: 16509 }), null);
  for (const { source } of challengeMarks) t.match(source, /^https:\/\//);
});

t.test('the grade is the worst cap, and one more finding never raises it', async (t) => {
  t.equal(headerGradeOf([]), 'A+');
  for (const code of headerCodes) {
    t.equal(headerGradeOf([code]), code === 'not_the_site' ? null : (headerRules[code].cap ?? 'A+'), code);
    t.match(headerFinding(code, 'zh-TW'), { code, message: /\p{Script=Han}/u });
  }
  const rank = (codes: readonly (typeof headerCodes)[number][]) => {
    const grade = headerGradeOf(codes);
    return grade === null ? Number.POSITIVE_INFINITY : headerGrades.indexOf(grade);
  };
  const some = fc.subarray(headerCodes);
  fc.assert(
    fc.property(some, fc.constantFrom(...headerCodes), (codes, further) => rank([...codes, further]) >= rank(codes)),
  );
});

t.test('headers of any form are analysed without an exception, and findings agree with reasons', async () => {
  const line = fc.tuple(
    fc.constantFrom(...flawless.map(([name]) => name), 'set-cookie', 'server'),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom(200, 302, 404, 503), (lines, status_code) => {
      const { codes, analysis, grade } = analyse(response(lines, { status_code }));
      if (codes.includes('not_the_site')) return grade === null && codes.length === 1;
      return (
        analysis.reasons.every((reason) => codes.includes(reason)) &&
        codes.includes('no_hsts') === analysis.reasons.includes('no_hsts')
      );
    }),
  );
});
