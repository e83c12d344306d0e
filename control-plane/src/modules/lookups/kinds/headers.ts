import type { FindingLanguage } from '@vantage/shared/diagnose/finding-rule.js';
import { analyseHeaders, headerFinding } from '@vantage/shared/headers/analyse-headers.js';
import { hopsOf } from '@vantage/shared/headers/hops.js';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { formatHost } from '@vantage/shared/target-policy/host.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { type HeadersAnswer, HeadersData } from './headers-answer.js';
import { headersExample } from './headers-example.js';
import { nodeLookup } from './lookup.js';
import { unicodeDomain } from './read-q.js';
import { MAX_URL, readUrl } from './read-url.js';

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 15_000;

type HttpResult = ProbeResults['http'];

/** Headers of a site, graded by what they say. */
export const headers = nodeLookup({
  kind: 'headers',
  summary: 'Get an analysis of the headers of a site',
  description:
    'Headers of the final response to a GET request by one node, the redirects on the way, and what the headers lack: findings with a grade from A+ to F, and reasons. A URL that is given as https is also requested as `http://HOST/`, without following, for the reason no_https_redirect. The body is read up to 64 KiB and not returned. A response 401, 403, 429 or 5xx and a challenge page are not graded. Without a response `error` tells why. An answer is fresh for 5 minutes.',
  options: {},
  qDescription: `A domain or an http(s) URL, at most ${MAX_URL} characters; without scheme \`http://\` is put before it.`,
  qExample: 'https://example.com/',
  Data: HeadersData,
  example: headersExample,
  version: 1,
  deadlineMs: 20_000,
  staleMs: 0,
  measures: 'http',
  readQuestion({ q }, policy) {
    const { url, host } = readUrl(q, policy);
    return { text: url, host, options: {} };
  },
  specOf: ({ text }) => requestOf(text, true),
  secondSpecOf: ({ text, host }) =>
    text.startsWith('https:') ? requestOf(`http://${formatHost(host)}/`, false) : null,
  judge(probe, { text, second, asnOf }) {
    const asn = probe.resolved_ip === null ? null : asnOf(probe.resolved_ip);
    const analysis = analyseHeaders({ url: text, probe, plain: second, asn });
    if (analysis === null) return { isFailure: false, data: withoutResponse(text, probe), freshMs: MINUTE_MS };
    const { url, codes, ...shown } = analysis;
    const findings = codes.map((code) => headerFinding(code, 'en'));
    return {
      isFailure: false,
      data: { url, ...domainOf(url), ...shown, findings, error: null },
      freshMs: 5 * MINUTE_MS,
    };
  },
  // what is kept is what `judge` returned
  localise: (data, locale) => ({ ...data, findings: inLanguage((data as HeadersAnswer).findings, locale) }),
});

type Findings = HeadersAnswer['findings'];

function inLanguage(findings: Findings, language: FindingLanguage): Findings {
  return findings.map(({ code }) => headerFinding(code, language));
}

function domainOf(url: string): Pick<HeadersAnswer, 'domain' | 'unicode_domain'> {
  const { host } = parseHttpUrl(url);
  if (host.kind === 'address') return { domain: null, unicode_domain: null };
  return { domain: host.name, unicode_domain: unicodeDomain(host.name) };
}

function requestOf(target: string, follows: boolean): ProbeSpecs['http'] {
  return {
    target,
    params: {
      method: 'GET',
      headers: {},
      follow_redirects: follows,
      max_redirects: 5,
      ip_version: 'auto',
      http_version: 'auto',
      verify_tls: false,
      timeout_ms: TIMEOUT_MS,
    },
    keeps_header_lines: true,
  };
}

function withoutResponse(url: string, probe: HttpResult): HeadersAnswer {
  return {
    url,
    ...domainOf(url),
    final_url: null,
    hops: hopsOf(probe),
    headers: {},
    cookies: [],
    security: {},
    analysis: { insecure: null, reasons: [] },
    grade: null,
    findings: [],
    error: probe.error,
  };
}
