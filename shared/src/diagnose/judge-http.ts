import { isChallengePage } from '../headers/challenge-pages.js';
import type { ProbeError, ProbeErrorCode } from '../probe-types/error-codes.js';
import type { ProbeResults } from '../probe-types/index.js';
import type { CodeOf } from './finding-table.js';
import type { NodeResult } from './node-results.js';

type HttpResult = ProbeResults['http'];
type HttpCode = CodeOf<'http'>;

const SLOW_MS = 3000;
const FIRST_BYTE_SLOW_MS = 1000;
const refusals = new Set([401, 403, 429]);
const connectFailures: ReadonlySet<ProbeErrorCode> = new Set([
  'dns_nxdomain',
  'dns_nodata',
  'dns_servfail',
  'dns_timeout',
  'dns_refused',
  'dns_error',
  'tcp_refused',
  'tcp_timeout',
  'tcp_reset',
  'net_unreachable',
  'host_unreachable',
]);

/** True if no node could connect or shake hands: a target without a scheme is then asked by plain http once more. */
export function needsPlainHttp(results: readonly NodeResult<'http'>[]): boolean {
  return (
    results.length > 0 && results.every(({ result }) => result.status_code === null && isUnconnected(result.error))
  );
}

/** True if the failure is one to connect or to shake hands. */
export function isUnconnected(error: ProbeError | null): boolean {
  return error?.code === 'tls_handshake' || isConnectFailure(error?.code);
}

/** True if a node got a response. */
export function hasResponse({ result }: NodeResult<'http'>): boolean {
  return result.status_code !== null;
}

/** Findings in the result of one node; `isPlain` if only the second attempt, by plain http, had a response. */
export function judgeHttp(result: HttpResult, isPlain: boolean): HttpCode[] {
  const { status_code: status, error } = result;
  if (status === null) return [error !== null && isConnectFailure(error.code) ? 'http_unreachable' : noAnswerOf(error)];
  const found = [...failuresOf(result), ...statusFindings(status, result)];
  if (isPlain) found.push('http_plain_only');
  if (result.tls?.authorized === false) found.push('http_certificate_invalid');
  if ((result.response_ms ?? 0) > SLOW_MS) found.push('http_slow');
  if ((result.timing.ttfb_ms ?? 0) > FIRST_BYTE_SLOW_MS) found.push('http_first_byte_slow');
  if (result.http_version === '1.0') found.push('http_old_version');
  return found.length === 0 ? ['http_ok'] : found;
}

function isConnectFailure(code: ProbeErrorCode | undefined): boolean {
  return code !== undefined && connectFailures.has(code);
}

function noAnswerOf(error: HttpResult['error']): HttpCode {
  return error?.code === 'target_not_allowed' ? 'http_redirect_refused' : 'http_no_answer';
}

function failuresOf({ error, redirects }: HttpResult): HttpCode[] {
  if (error === null) return [];
  if (error.code === 'too_many_redirects') return ['http_too_many_redirects'];
  if (error.code === 'target_not_allowed' && redirects.length > 0) return ['http_redirect_refused'];
  return ['http_body_invalid'];
}

function statusFindings(status: number, { headers, body }: HttpResult): HttpCode[] {
  if (refusals.has(status) || isChallengePage(headers, body)) return ['http_challenge'];
  if (status >= 500) return ['http_server_error'];
  return status >= 400 ? ['http_client_error'] : [];
}
