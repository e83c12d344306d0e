import { type Static, Type } from 'typebox';

/** Every reason a probe can fail for: a closed list, stable, part of the public API (API specification 2.7). */
export const probeErrorCodes = [
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
  'tls_expired',
  'tls_self_signed',
  'tls_untrusted',
  'tls_name_mismatch',
  'tls_handshake',
  'http_timeout',
  'http_protocol',
  'http_headers_too_large',
  'too_many_redirects',
  'body_too_large',
  'smtp_rejected',
  'ntp_kod',
  'target_not_allowed',
  'target_rate_limited',
  'timeout',
  'no_reply',
  'not_supported',
  'overload',
  'cancelled',
  'node_lost',
  'internal',
] as const;

export type ProbeErrorCode = (typeof probeErrorCodes)[number];

/** Reason why a probe failed: a code to branch on and a sentence for people. */
export const ProbeErrorSchema = Type.Object(
  {
    code: Type.Enum([...probeErrorCodes], { type: 'string', description: 'Stable code; branch on this.' }),
    message: Type.String({ maxLength: 500, description: 'Description of the error in English, for display only.' }),
  },
  { additionalProperties: false, title: 'ProbeError' },
);

export type ProbeError = Static<typeof ProbeErrorSchema>;
