import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';

type Verdict = readonly [code: ProbeErrorCode, message: string];

/** OpenSSL's verdicts about a chain as Node names them (X509_V_ERR_*), and Node's own about the name. */
const verdicts: Readonly<Record<string, Verdict>> = {
  CERT_HAS_EXPIRED: ['tls_expired', 'a certificate of the chain has expired'],
  CERT_NOT_YET_VALID: ['tls_expired', 'a certificate of the chain is not valid yet'],
  ERROR_IN_CERT_NOT_BEFORE_FIELD: ['tls_expired', 'a date of the certificate cannot be read'],
  ERROR_IN_CERT_NOT_AFTER_FIELD: ['tls_expired', 'a date of the certificate cannot be read'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls_self_signed', 'the certificate is signed by itself'],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls_self_signed', 'the chain ends in a root that is not trusted'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls_name_mismatch', 'the certificate is for another name'],
  HOSTNAME_MISMATCH: ['tls_name_mismatch', 'the certificate is for another name'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'tls_untrusted',
    'the certificate was sent without its issuer, and no trusted authority signed it',
  ],
  UNABLE_TO_GET_ISSUER_CERT: ['tls_untrusted', 'the issuer of a certificate of the chain is unknown'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['tls_untrusted', 'the chain does not lead to a trusted authority'],
  CERT_SIGNATURE_FAILURE: ['tls_untrusted', 'a signature in the chain is wrong'],
  UNABLE_TO_DECRYPT_CERT_SIGNATURE: ['tls_untrusted', 'a signature in the chain is wrong'],
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: ['tls_untrusted', 'a key in the chain cannot be read'],
  INVALID_CA: ['tls_untrusted', 'a certificate of the chain signs others without permission'],
  PATH_LENGTH_EXCEEDED: ['tls_untrusted', 'the chain is longer than one of its authorities allows'],
  CERT_CHAIN_TOO_LONG: ['tls_untrusted', 'the chain is too long'],
  INVALID_PURPOSE: ['tls_untrusted', 'the certificate is not for servers'],
  CERT_UNTRUSTED: ['tls_untrusted', 'the authority is not trusted for servers'],
  CERT_REJECTED: ['tls_untrusted', 'the authority refuses to be used for servers'],
  CERT_REVOKED: ['tls_untrusted', 'the certificate is revoked'],
  // Node has no names for the others: weak digests and keys, name constraints, policies
  UNSPECIFIED: ['tls_untrusted', 'the chain violates a rule: a weak key or digest, a constraint on names, or a policy'],
};

const unknownVerdict: Verdict = ['tls_untrusted', 'the certificate is not trusted'];

/** Error code and message for a reason of `authorization_error`. */
export function verdictOf(reason: string): { readonly code: ProbeErrorCode; readonly message: string } {
  const [code, message] = (Object.hasOwn(verdicts, reason) ? verdicts[reason] : null) ?? unknownVerdict;
  return { code, message: `${message} (${reason})` };
}
