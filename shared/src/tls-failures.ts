// Codes of Node.js and OpenSSL for failures of a TLS connection.

/** True if the certificate of the server is not trusted: unknown authority, other name, or outside of its time. */
export function isUntrusted(error: unknown): boolean {
  return /CERT|SIGNED|ISSUER|SIGNATURE/.test(codeOf(error));
}

/** True if the server responded without TLS. */
export function isWithoutTls(error: unknown): boolean {
  return /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|SSL_HTTP_REQUEST/.test(codeOf(error));
}

/** Refusal of a certificate that is not trusted, with what to do about it. `reason`: that of OpenSSL. */
export function untrustedText(origin: string, reason: string): string {
  return `the certificate of ${origin} is not trusted (${reason}): put the certificate of a private authority into NODE_EXTRA_CA_CERTS`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
