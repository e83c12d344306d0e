import type { X509Certificate } from 'node:crypto';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import {
  gradeIgnoringTrust,
  gradeOf,
  isInvalidating,
  sslFindingCodes,
  sslFindings,
} from '@vantage/shared/probe-types/ssl-findings.js';
import { formatHost, type Host } from '@vantage/shared/target-policy/host.js';
import { describeEnd } from '../../net/tls/report.js';
import type { Roots } from '../../net/tls/roots.js';
import type { Observations } from './audit.js';
import { followPath } from './certificate/path.js';
import { readSentCertificate } from './certificate/sent-certificate.js';
import { judgeCertificates, judgeProofs } from './findings/certificates.js';
import { type Complaint, when } from './findings/finding.js';
import { judgeProtocols } from './findings/protocols.js';
import { daysUntil, judgeValidity } from './findings/validity.js';
import { judgeStaple } from './staple/judge-staple.js';

type SslResult = ProbeResults['ssl'];

export interface ReportContext {
  readonly serverName: Host;
  readonly roots: Roots;
  /** Corrected wall clock, milliseconds since the epoch. */
  readonly now: number;
}

type Sections = Pick<SslResult, 'tls_versions' | 'weak_cipher_suites' | 'protocol' | 'cipher_suite'>;
type CertificateSections = Pick<
  SslResult,
  | 'subject'
  | 'issuer'
  | 'not_before'
  | 'not_after'
  | 'days_until_expiry'
  | 'ends_first'
  | 'san_domains'
  | 'ocsp_status'
  | 'ocsp_staple'
  | 'sct_count'
  | 'chain'
>;
type Judgement = Pick<SslResult, 'grade' | 'grade_ignoring_trust' | 'valid' | 'warnings' | 'findings'>;

/** Negotiated parameters, as far as they are known. */
export function describeProtocols({ handshake, versions, weakSuites }: Observations): Sections {
  return {
    protocol: handshake?.protocol ?? null,
    cipher_suite: handshake?.cipher ?? null,
    tls_versions: [...versions.values()].map(({ version, isSupported, cipher, keyExchange, reason }) => ({
      version,
      supported: isSupported,
      cipher_suite: cipher,
      key_exchange: keyExchange?.group ?? null,
      reason: reason?.slice(0, 200) ?? null,
    })),
    weak_cipher_suites: weakSuites.map(({ name }) => name),
  };
}

/** The certificate, everything found, and the grade; null while no certificate has been seen. */
export function judgeServer(seen: Observations, context: ReportContext): (CertificateSections & Judgement) | null {
  const { handshake } = seen;
  const sent = (handshake?.certificates ?? []).flatMap((x509) => readSentCertificate(x509) ?? []);
  const [leaf] = sent;
  // a chain without its first certificate is useless
  if (handshake === null || leaf === undefined || leaf.x509 !== handshake.certificates[0]) return null;
  const { now, serverName, roots } = context;
  const path = followPath(sent, roots, now);
  const staple = judgeStaple(handshake.staple, { leaf, issuer: path.leafIssuer, now });
  const isForName = isFor(leaf.x509, serverName);
  const validity = { path, chainError: handshake.chainError, isForName, serverName: formatHost(serverName), now };
  const { subject, issuer, not_before, not_after } = leaf.report;
  return {
    ...judge(
      [
        ...judgeValidity(validity),
        ...judgeCertificates(path),
        ...judgeProofs(leaf, staple),
        ...judgeProtocols({ ...seen, versions: [...seen.versions.values()] }),
        ...judgeCompleteness(seen),
      ],
      handshake.chainError !== undefined,
    ),
    subject,
    issuer,
    not_before,
    not_after,
    days_until_expiry: daysUntil(leaf.notAfter, now),
    ...describeEnd(path.used),
    san_domains: [...leaf.fields.altNames],
    ocsp_status: staple.status,
    ocsp_staple: staple.details,
    sct_count: leaf.fields.sctCount + staple.sctCount,
    chain: sent.map(({ report }) => report),
  };
}

function judgeCompleteness({ handshake, versions, ...seen }: Observations): Complaint[] {
  const unknown = [...versions.values()].filter(({ isSupported }) => isSupported === null);
  const gaps = [
    ...unknown.map(({ version }) => version),
    ...(seen.isWeakSearchComplete ? [] : ['weak ciphers']),
    ...(seen.isFiniteFieldKnown ? [] : ['Diffie-Hellman over a finite field']),
    ...(handshake?.chainError === undefined ? ['the chain, because the server requested a client certificate'] : []),
  ];
  return when(gaps.length > 0, 'incomplete_audit', `not known: ${gaps.join(', ')}`);
}

/** Judges a certificate. Without OpenSSL's verdict on the chain it may be found invalid, but never valid. */
function judge(complaints: readonly Complaint[], isChainJudged: boolean): Judgement {
  const findings = [...complaints]
    .sort((a, b) => sslFindingCodes.indexOf(a.code) - sslFindingCodes.indexOf(b.code))
    .map(({ code, message }) => ({ code, cap: sslFindings[code].cap, message: message.slice(0, 500) }));
  const warnings = findings.map(({ code }) => code);
  return {
    grade: gradeOf(warnings),
    grade_ignoring_trust: gradeIgnoringTrust(warnings),
    valid: warnings.some(isInvalidating) ? false : isChainJudged || null,
    warnings,
    findings,
  };
}

/** True if the certificate is for the name, by subjectAltName alone, as in browsers (RFC 9525). */
function isFor(certificate: X509Certificate, serverName: Host): boolean {
  if (serverName.kind === 'address') return certificate.checkIP(serverName.address) !== undefined;
  return certificate.checkHost(serverName.name, { subject: 'never', partialWildcards: false }) !== undefined;
}
