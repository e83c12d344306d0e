import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { within } from '../../net/deadline.js';
import { KnownNames } from '../../net/known-names.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, toProbeError } from '../failure.js';
import { decodeContent, readAll, readText } from './body.js';
import { CookieJar } from './cookie-jar.js';
import { asksOfBody, type Findings, findInBody } from './findings.js';
import { headerLines } from './header-lines.js';
import { Hop, type Phase } from './hop.js';
import { keepHeaders } from './kept-headers.js';
import { MAX_EXAMINED_BYTES, MAX_EXAMINED_TEXT_BYTES, MAX_KEPT_BYTES, MAX_READ_BYTES } from './limits.js';
import { redirectedRequest, redirectLocation } from './redirect.js';
import { firstRequest } from './request.js';
import { TlsSettings } from './tls-settings.js';
import { visit } from './visit.js';

type HttpSpec = ProbeSpecs['http'];
type HttpResult = ProbeResults['http'];

/** Error code for a deadline that passed in each phase. */
const timeoutCodes: Readonly<Record<Phase, ProbeErrorCode>> = {
  dns: 'dns_timeout',
  tcp: 'tcp_timeout',
  tls: 'tls_handshake',
  http: 'http_timeout',
};

/** Progress of a probe over all its hops. */
interface Trip {
  hop: Hop;
  readonly redirects: HttpResult['redirects'];
  /** True if the result has header lines. */
  readonly keepsLines: boolean;
  /** Names to which the name of the last host is an alias. */
  aliases: string[];
  body: string | null;
  isBodyTruncated: boolean;
  findings: Findings;
}

/** Values that the hops of a trip have in common. */
interface Journey {
  readonly spec: HttpSpec;
  readonly context: ProbeContext;
  /** Signal of the probe's own deadline. */
  readonly signal: AbortSignal;
  readonly tls: TlsSettings;
  readonly trip: Trip;
}

/**
 * HTTP/1.1 and HTTP/2 requests, each hop over a fresh connection to an address that passed the policy. A certificate
 * never stops the probe unless the caller verifies; TLS 1.0 and weak ciphers are spoken so that old servers can be
 * measured.
 */
export class HttpEngine implements ProbeEngine<'http'> {
  readonly load = { units: ({ target }: HttpSpec) => (/^https:/i.test(target) ? 4 : 1) };
  readonly #tls: TlsSettings;

  /** `trustedCertificates` (PEM) stand in for the public roots. */
  constructor(options: { readonly trustedCertificates?: readonly string[] } = {}) {
    this.#tls = new TlsSettings(options.trustedCertificates);
  }

  async run(spec: HttpSpec, context: ProbeContext): Promise<HttpResult> {
    const { clock } = context;
    // loaded even for plain HTTP: the probe that warms up the process pays for it, not a measured one
    this.#tls.contextFor(undefined);
    const startedAt = clock.monotonicMs();
    const trip: Trip = {
      hop: new Hop(spec.target),
      redirects: [],
      keepsLines: spec.keeps_header_lines === true,
      aliases: [],
      body: null,
      isBodyTruncated: false,
      findings: {},
    };
    const limit = {
      clock,
      ms: spec.params.timeout_ms,
      reason: () => new ProbeFailure('timeout', `no response within ${spec.params.timeout_ms} ms`),
    };
    try {
      await within(limit, context.signal, (signal) => travel({ spec, context, signal, tls: this.#tls, trip }));
      return {
        success: true,
        error: null,
        ...describe(trip),
        response_ms: roundMs((trip.hop.completedAt ?? clock.monotonicMs()) - startedAt),
      };
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return {
        success: false,
        error: toProbeError(phaseFailure(error, trip.hop.phase)),
        ...describe(trip),
        response_ms: null,
      };
    }
  }
}

/** The engine with the public roots (and those of NODE_EXTRA_CA_CERTS). */
export const http = new HttpEngine();

/** Follows redirects to the answer. The certificate of the client goes no further than its headers do. */
async function travel({ spec, context, signal, tls, trip }: Journey): Promise<void> {
  const { params } = spec;
  const { resolver, policy, clock, userAgent } = context;
  const server = params.resolver === undefined ? {} : { server: params.resolver };
  const names = new KnownNames(resolver, { ipVersion: params.ip_version, policy, signal, ...server });
  let request = firstRequest(spec);
  let certificate = spec.client_certificate;
  const cookies = new CookieJar(clock);
  for (;;) {
    const hop = new Hop(request.url.href, trip.keepsLines ? MAX_EXAMINED_BYTES : MAX_READ_BYTES);
    trip.hop = hop;
    const location = () => (params.follow_redirects ? redirectLocation(hop) : null);
    const startedAt = clock.monotonicMs();
    await visit(request, hop, {
      clock,
      signal,
      userAgent,
      names,
      secureContext: tls.contextFor(certificate),
      httpVersion: params.http_version,
      verifiesTls: params.verify_tls,
      wantsBody: () => location() === null,
    });
    trip.aliases = names.aliasesOf(request.host);
    const next = location();
    if (next === null) return readBody(trip, params, context.signal);
    if (trip.redirects.length >= params.max_redirects) {
      throw new ProbeFailure('too_many_redirects', `more than ${params.max_redirects} redirects`);
    }
    const ms = roundMs(clock.monotonicMs() - startedAt);
    trip.redirects.push({ url: hop.url, status_code: hop.statusCode ?? 0, ms });
    const { origin } = request.url;
    cookies.store(request.url, hop.rawHeaders);
    request = redirectedRequest(request, { statusCode: hop.statusCode ?? 0, location: next, cookies });
    if (request.url.origin !== origin) certificate = undefined;
  }
}

async function readBody(trip: Trip, params: HttpSpec['params'], signal: AbortSignal): Promise<void> {
  const { body, headers, contentType: type } = trip.hop;
  trip.isBodyTruncated = trip.hop.isCut;
  const decoded = await decodeContent(body.whole(), headers['content-encoding']);
  const isCut = trip.hop.isCut || decoded?.isCut === true;
  const keptBytes = trip.keepsLines ? MAX_EXAMINED_TEXT_BYTES : MAX_KEPT_BYTES;
  const text = decoded === null ? null : readText(decoded.bytes, type, keptBytes);
  trip.isBodyTruncated = isCut || text?.isTruncated === true;
  if (text !== null) trip.body = text.text;
  if (!asksOfBody(params)) return;
  trip.findings = await findInBody(
    { text: decoded === null ? null : readAll(decoded.bytes, type), isCut },
    params,
    signal,
  );
}

/** A deadline names the phase it ended. */
function phaseFailure(failure: ProbeFailure, phase: Phase): ProbeFailure {
  if (failure.code !== 'timeout') return failure;
  return new ProbeFailure(timeoutCodes[phase], failure.message, { cause: failure });
}

type HeaderMembers = Pick<HttpResult, 'headers' | 'headers_truncated' | 'header_lines' | 'aliases' | 'last_url'>;

/** Header lines in place of joined headers: a result has no room for both. */
function headersOf({ hop, keepsLines, aliases }: Trip): HeaderMembers {
  const all = keepsLines
    ? headerLines(hop.rawHeaders)
    : Object.entries(hop.headers).map(([name, value]) => ({ name, value }));
  const { lines, areTruncated } = keepHeaders(all);
  const mark = areTruncated ? { headers_truncated: true } : {};
  if (!keepsLines) return { headers: Object.fromEntries(lines.map(({ name, value }) => [name, value])), ...mark };
  return { headers: {}, header_lines: [...lines], aliases, last_url: hop.url, ...mark };
}

function describe(trip: Trip): Omit<HttpResult, 'success' | 'error' | 'response_ms'> {
  const { hop, redirects, body, isBodyTruncated, findings } = trip;
  const hasAnswer = hop.statusCode !== null;
  return {
    status_code: hop.statusCode,
    response_size: hasAnswer ? hop.body.length : null,
    final_url: hasAnswer ? hop.url : null,
    ...headersOf(trip),
    resolved_ip: hop.address?.address ?? null,
    ip_version: hop.address?.family ?? null,
    http_version: hop.httpVersion,
    redirects,
    ...(body === null ? {} : { body }),
    body_truncated: isBodyTruncated,
    ...findings,
    timing: {
      dns_ms: roundMs(hop.dnsMs),
      tcp_ms: roundMs(hop.tcpMs),
      tls_ms: roundMs(hop.tlsMs),
      ttfb_ms: roundMs(hop.ttfbMs),
      download_ms: roundMs(hop.downloadMs),
    },
    tls: hop.tls,
  };
}
