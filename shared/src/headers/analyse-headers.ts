import { type FindingLanguage, type Severity } from '../diagnose/finding-rule.js';
import { headerFindings } from '../diagnose/findings/header-findings.js';
import type { ProbeResults } from '../probe-types/index.js';
import { cdnOf } from './cdn-marks.js';
import { isChallengePage } from './challenge-pages.js';
import { contentCodingsIn } from './content-codings.js';
import { parseSetCookie, type SetCookie } from './cookies.js';
import { findInHeaders, hasHsts } from './header-findings-of.js';
import { type HeaderCode, type HeaderGrade, headerCodes, headerGradeOf, headerRules } from './header-grades.js';
import { type HeaderHop, hopsOf } from './hops.js';
import { locationUrl } from './location.js';
import { type FinalResponse, finalResponse, isRedirect, locationIn, valuesOf } from './response.js';

type HttpResult = ProbeResults['http'];

/** Reasons of the analysis, in the order in which they are listed (API specification 2.7). */
export const headerReasons = ['no_https_redirect', 'no_hsts', 'no_compression', 'no_cdn'] as const;
export type HeaderReason = (typeof headerReasons)[number];

/** Fields of `security` and the headers that they show; `cdn` has no header. */
export const securityHeaders = {
  content_encoding: 'content-encoding',
  csp: 'content-security-policy',
  csp_report_only: 'content-security-policy-report-only',
  hsts: 'strict-transport-security',
  referrer_policy: 'referrer-policy',
  server: 'server',
  x_content_type_options: 'x-content-type-options',
  x_frame_options: 'x-frame-options',
  permissions_policy: 'permissions-policy',
  coop: 'cross-origin-opener-policy',
  coep: 'cross-origin-embedder-policy',
  corp: 'cross-origin-resource-policy',
} as const;

type SecurityField = keyof typeof securityHeaders | 'cdn';

/** Measurements on which an analysis rests. */
export interface HeadersInput {
  /** URL as requested; a scheme may have been added. */
  readonly url: string;
  /** Result of the http probe with `keeps_header_lines`, redirects followed. */
  readonly probe: HttpResult;
  /** The same host asked by plain http without following, for a URL given as https; null if it was not asked. */
  readonly plain: HttpResult | null;
  /** Network of the contacted address; null if unknown. */
  readonly asn: number | null;
}

/** Analysis of the headers of a site (API specification 2.7). */
export interface HeadersAnalysis {
  readonly url: string;
  readonly final_url: string;
  readonly hops: readonly HeaderHop[];
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly SetCookie[];
  /** Empty values are omitted. */
  readonly security: Readonly<Partial<Record<SecurityField, string>>>;
  readonly analysis: { readonly insecure: boolean; readonly reasons: readonly HeaderReason[] };
  /** Null if the response is not the site's. */
  readonly grade: HeaderGrade | null;
  /** Codes, worst first; `headerFinding` has their texts. */
  readonly codes: readonly HeaderCode[];
}

/** Content types of texts that compression makes smaller. */
const textTypes =
  /^(?:text\/|application\/(?:json|javascript|xml|manifest\+json|wasm)|image\/svg\+xml|[^;]+\+(?:json|xml))/i;
const COMPRESSIBLE_BYTES = 1024;
const refusals = new Set([401, 403, 429]);

/** Analyses a response and the way to it; null if there is no response, and the probe's error says why. */
export function analyseHeaders(input: HeadersInput): HeadersAnalysis | null {
  const { url, probe, asn } = input;
  const response = finalResponse(probe);
  if (response === null) return null;
  const { headers } = response;
  const cdn = cdnOf({ headers, aliases: probe.aliases ?? [], asn });
  const isSite = !isNotTheSite(response, probe.body);
  const reasons = reasonsOf(response, input, { cdn, isSite });
  const codes = codesOf(response, input, { reasons, isSite });
  return {
    url,
    final_url: response.url,
    hops: hopsOf(probe),
    headers,
    cookies: valuesOf(response.lines, 'set-cookie').flatMap(cookieOf),
    security: securityOf(headers, cdn),
    analysis: { insecure: reasons.some((reason) => reason === 'no_https_redirect' || reason === 'no_hsts'), reasons },
    grade: headerGradeOf(codes),
    codes,
  };
}

/** A finding as it is shown, in a language. */
export function headerFinding(
  code: HeaderCode,
  language: FindingLanguage,
): { code: HeaderCode; severity: Severity; message: string; header: string | null } {
  const { severity, texts } = headerFindings[code];
  return { code, severity, message: texts[language], header: headerRules[code].header };
}

/** True for refusals, errors of servers and pages that examine the visitor. */
export function isNotTheSite({ statusCode, headers }: FinalResponse, body: string | undefined): boolean {
  return refusals.has(statusCode) || statusCode >= 500 || isChallengePage(headers, body);
}

interface Seen {
  readonly cdn: string | null;
  readonly isSite: boolean;
}

/** Reasons that apply; where the response is not the site’s, only the way to it and the CDN are known. */
function reasonsOf(response: FinalResponse, { probe, plain }: HeadersInput, { cdn, isSite }: Seen): HeaderReason[] {
  const applies: Record<HeaderReason, boolean> = {
    no_https_redirect: !response.isHttps || (plain !== null && answersInPlain(plain)),
    no_hsts: isSite && !hasHsts(response),
    no_compression: isSite && isUncompressed(response, probe.response_size),
    no_cdn: cdn === null,
  };
  return headerReasons.filter((reason) => applies[reason]);
}

/** True if plain http was answered by anything but a redirect to https. A closed port 80 does not answer. */
function answersInPlain(plain: HttpResult): boolean {
  const { status_code: status, final_url: url, header_lines: lines = [] } = plain;
  if (status === null) return false;
  const location = locationIn(lines);
  if (location === null || url === null || !isRedirect(status)) return true;
  return locationUrl(location, url)?.protocol !== 'https:';
}

function isUncompressed({ headers }: FinalResponse, bytes: number | null): boolean {
  const isPlain = contentCodingsIn(headers['content-encoding']).length === 0;
  return isPlain && (bytes ?? 0) >= COMPRESSIBLE_BYTES && textTypes.test(headers['content-type'] ?? '');
}

function codesOf(
  response: FinalResponse,
  { probe }: HeadersInput,
  { reasons, isSite }: { readonly reasons: readonly HeaderReason[]; readonly isSite: boolean },
): HeaderCode[] {
  if (!isSite) return ['not_the_site'];
  const found = new Set<HeaderCode>([...reasons, ...findInHeaders(response)]);
  if (!response.isHttps) found.add('plain_http');
  const way = [...probe.redirects.map(({ url }) => url), response.url];
  if (way.some((url, i) => url.startsWith('http:') && way[i - 1]?.startsWith('https:'))) found.add('https_downgrade');
  return headerCodes.filter((code) => found.has(code));
}

function cookieOf(line: string): SetCookie[] {
  const cookie = parseSetCookie(line);
  if (cookie === null) return [];
  const { name, secure, http_only, same_site } = cookie;
  return [{ name, secure, http_only, same_site }];
}

function securityOf(headers: Readonly<Record<string, string>>, cdn: string | null): HeadersAnalysis['security'] {
  const shown: Partial<Record<SecurityField, string>> = cdn === null ? {} : { cdn };
  for (const [field, name] of Object.entries(securityHeaders) as [SecurityField, string][]) {
    const value = headers[name] ?? '';
    if (value !== '') shown[field] = value;
  }
  return shown;
}
