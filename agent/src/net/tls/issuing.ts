import type { KeyObject, X509Certificate } from 'node:crypto';

/** Verifying with what lies beyond takes long enough to hold up the process: hostile keys are made for that. */
const MAX_RSA_BITS = 8192;
const MAX_RSA_EXPONENT = 0xffff_ffffn;
const boundedTypes = new Set(['ec', 'ed25519', 'ed448']);

/** The key of a certificate, if verifying with it takes bounded time. */
export function boundedKey(x509: X509Certificate): KeyObject | null {
  const key = publicKeyOf(x509);
  if (key === null) return null;
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details = {} } = key;
  if (type === 'rsa') {
    const { modulusLength = Number.POSITIVE_INFINITY, publicExponent = MAX_RSA_EXPONENT + 1n } = details;
    return modulusLength <= MAX_RSA_BITS && publicExponent <= MAX_RSA_EXPONENT ? key : null;
  }
  // a curve without a name has explicit parameters
  return boundedTypes.has(type) && (type !== 'ec' || details.namedCurve !== undefined) ? key : null;
}

/** True if `issuer` signed `certificate`, by names, key usage and signature. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  const key = boundedKey(issuer);
  if (key === null) return false;
  try {
    return certificate.checkIssued(issuer) && certificate.verify(key);
  } catch {
    return false;
  }
}

/** The key of a certificate; null for an algorithm or curve OpenSSL does not know. */
export function publicKeyOf(x509: X509Certificate): KeyObject | null {
  try {
    return x509.publicKey;
  } catch {
    return null;
  }
}
