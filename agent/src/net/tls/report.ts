import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { TlsReport } from '@vantage/shared/probe-types/tls-report.js';
import { ProbeFailure } from '../../probes/failure.js';
import { knownRoots } from './known-roots.js';
import { earlierEnd, mayEndEarlier, type UsedPath, usedPath } from './used-path.js';
import { verdictOf } from './verdicts.js';

type CertificateReport = TlsReport['chain'][number];

/** Certificates recorded at most, and bytes of them. */
const MAX_CHAIN_LENGTH = 16;
const MAX_CHAIN_BYTES = 64 * 1024;
/** Characters of a subject or issuer that are kept; a certificate may carry kilobytes of them. */
const MAX_NAME_LENGTH = 512;

/**
 * Describes the negotiated parameters and the chain that the server sent, leaf first. Call once for each socket, as
 * for `takeSentCertificates`.
 */
export function describeTls(socket: TLSSocket): TlsReport {
  const protocol = socket.getProtocol() ?? '';
  const sent = takeSentCertificates(socket);
  const chain = describeChain(sent);
  return {
    protocol,
    version: protocol === 'TLSv1' ? '1.0' : protocol.replace('TLSv', ''),
    cipher: socket.getCipher().name,
    authorized: socket.authorized,
    authorization_error: socket.authorized ? null : String(socket.authorizationError),
    not_after: chain[0]?.not_after ?? null,
    // the roots are read only where they matter: reading all of them takes a tenth of a second, once for each process
    ...(mayEndEarlier(sent) ? describeEnd(usedPath(sent, knownRoots())) : {}),
    chain,
  };
}

/** Certificate of a path that ends before the server's own, if one does. */
export function describeEnd(path: UsedPath): { ends_first?: { subject: string; not_after: string } } {
  const earlier = earlierEnd(path);
  const described = earlier === null ? null : describeCertificate(earlier);
  if (described === null) return {};
  return { ends_first: { subject: described.subject, not_after: described.not_after } };
}

/** Reason why a certificate fails the requested verification; null when it passes. */
export function verificationFailure({ authorized, authorization_error: reason }: TlsReport): ProbeFailure | null {
  if (authorized) return null;
  const { code, message } = verdictOf(reason ?? '');
  return new ProbeFailure(code, message);
}

/**
 * The certificates as the server sent them, in its order, nothing added from any store: 16 and 64 KiB at most. To be
 * called once for each socket: `getPeerX509Certificate` takes them off OpenSSL's list (Node 20).
 *
 * It frees none of those behind the first: 14 to 25 KB at each handshake with a chain of four, in Node 20.20, 22.23 and
 * 24.21 alike (2026-11). `getPeerCertificate(true)` leaks nothing, but puts them in order of issue, leaves out what
 * issued nothing, and adds roots of the store. So MeasuringProcess replaces a child that has grown.
 */
export function takeSentCertificates(socket: TLSSocket): X509Certificate[] {
  const sent: X509Certificate[] = [];
  let bytes = 0;
  for (let next = socket.getPeerX509Certificate(); next !== undefined; next = next.issuerCertificate) {
    bytes += next.raw.length;
    if (bytes > MAX_CHAIN_BYTES || sent.length >= MAX_CHAIN_LENGTH) break;
    sent.push(next);
  }
  return sent;
}

/** Up to the first one that cannot be described: what stands behind it is not the leaf. */
function describeChain(certificates: readonly X509Certificate[]): CertificateReport[] {
  const reports = certificates.map(describeCertificate);
  const end = reports.indexOf(null);
  return reports.slice(0, end < 0 ? undefined : end).flatMap((report) => report ?? []);
}

/** Describes a certificate; null when its dates cannot be parsed. */
export function describeCertificate(certificate: X509Certificate): CertificateReport | null {
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

/** Node writes one attribute per line, and escapes the controls of ASCII only; the cut may leave half a surrogate pair. */
function oneLine(name: string | undefined): string {
  const line = (name ?? '').replaceAll('\n', ', ').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, hexPairs);
  return line.slice(0, MAX_NAME_LENGTH).replace(/\p{Surrogate}/gu, '');
}

/** A character as RFC 4514 section 2.4 escapes it: each byte of its UTF-8 as a backslash and two digits. */
function hexPairs(character: string): string {
  return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '\\$&');
}
