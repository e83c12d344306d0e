import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';

/** Chromium's words (net/base/net_error_list.h) for what our codes say, the more special first. */
const codes: readonly (readonly [RegExp, ProbeErrorCode])[] = [
  [/ERR_CERT_DATE_INVALID/, 'tls_expired'],
  [/ERR_CERT_COMMON_NAME_INVALID/, 'tls_name_mismatch'],
  [/ERR_CERT_/, 'tls_untrusted'],
  [/ERR_SSL_|ERR_BAD_SSL/, 'tls_handshake'],
  [/ERR_TOO_MANY_REDIRECTS/, 'too_many_redirects'],
  [/ERR_EMPTY_RESPONSE|ERR_CONNECTION_(?:RESET|CLOSED)/, 'tcp_reset'],
  [/ERR_TIMED_OUT/, 'http_timeout'],
];

/** Error code of a failed navigation; anything that a browser cannot render as a page is `http_protocol`. */
export function codeOfNetError(message: string): ProbeErrorCode {
  return codes.find(([pattern]) => pattern.test(message))?.[1] ?? 'http_protocol';
}
