import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { TlsReport } from '@vantage/shared/probe-types/tls-report.js';
import { ProbeFailure } from '../../probes/failure.js';

type CertificateReport = TlsReport['chain'][number];

/** Certificates recorded at most, and bytes of them. */
const MAX_CHAIN_LENGTH = 16;
const MAX_CHAIN_BYTES = 64 * 1024;
/** Characters of a subject or issuer that are kept; a certificate may carry kilobytes of them. */
const MAX_NAME_LENGTH = 512;

/** What the handshake negotiated, and the chain the server sent, leaf first. */
export function describeTls(socket: TLSSocket): TlsReport {
  const protocol = socket.getProtocol() ?? '';
  const chain = describeChain(socket.getPeerX509Certificate());
  return {
    protocol,
    version: protocol === 'TLSv1' ? '1.0' : protocol.replace('TLSv', ''),
    cipher: socket.getCipher().name,
    authorized: socket.authorized,
    authorization_error: socket.authorized ? null : String(socket.authorizationError),
    not_after: chain[0]?.not_after ?? null,
    chain,
  };
}

/** Why a certificate is not good enough for who asked to verify it; null when it is. */
export function verificationFailure({ authorized, authorization_error: reason }: TlsReport): ProbeFailure | null {
  if (authorized) return null;
  switch (reason) {
    case 'CERT_HAS_EXPIRED':
      return new ProbeFailure('tls_expired', 'the certificate has expired');
    case 'CERT_NOT_YET_VALID':
      return new ProbeFailure('tls_expired', 'the certificate is not valid yet');
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return new ProbeFailure('tls_self_signed', 'the certificate is signed by itself');
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return new ProbeFailure('tls_name_mismatch', 'the certificate is for another name');
    default:
      return new ProbeFailure('tls_untrusted', `the certificate is not trusted (${reason})`);
  }
}

function describeChain(leaf: X509Certificate | undefined): CertificateReport[] {
  const chain: CertificateReport[] = [];
  let bytes = 0;
  for (let certificate = leaf; certificate !== undefined; certificate = certificate.issuerCertificate) {
    bytes += certificate.raw.length;
    const report = describeCertificate(certificate);
    if (report === null || bytes > MAX_CHAIN_BYTES || chain.length >= MAX_CHAIN_LENGTH) break;
    chain.push(report);
  }
  return chain;
}

/** Null for a certificate whose dates no calendar knows. */
function describeCertificate(certificate: X509Certificate): CertificateReport | null {
  const notBefore = Date.parse(certificate.validFrom);
  const notAfter = Date.parse(certificate.validTo);
  if (Number.isNaN(notBefore) || Number.isNaN(notAfter)) return null;
  return {
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    not_before: new Date(notBefore).toISOString(),
    not_after: new Date(notAfter).toISOString(),
    serial_number: certificate.serialNumber,
    fingerprint_sha256: certificate.fingerprint256,
  };
}

/** Node writes one attribute per line; the cut may leave half a surrogate pair. */
function oneLine(name: string | undefined): string {
  const line = (name ?? '').replaceAll('\n', ', ').slice(0, MAX_NAME_LENGTH);
  return line.replace(/[\p{Cc}\p{Surrogate}]/gu, '');
}
