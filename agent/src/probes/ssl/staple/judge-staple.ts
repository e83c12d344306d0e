import { createHash, X509Certificate } from 'node:crypto';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { isIssuedBy } from '../../../net/tls/issuing.js';
import { certIdHashes } from '../certificate/algorithms.js';
import { DerError } from '../certificate/der.js';
import { readCertificateFields } from '../certificate/fields.js';
import type { SentCertificate } from '../certificate/sent-certificate.js';
import { isSignedBy } from '../certificate/signatures.js';
import { type OcspAnswer, type OcspResponse, parseOcspResponse } from './ocsp-response.js';

/** Verdict on a stapled response. */
export interface StapleVerdict {
  readonly status: NonNullable<ProbeResults['ssl']['ocsp_status']>;
  /** Timestamps in the response (RFC 6962 section 3.3); 0 where it proves nothing. */
  readonly sctCount: number;
  readonly details: ProbeResults['ssl']['ocsp_staple'];
}

export interface StapleContext {
  readonly leaf: SentCertificate;
  readonly issuer: X509Certificate | null;
  /** Corrected wall clock, milliseconds since the epoch. */
  readonly now: number;
}

/** Bytes of a response that are read: the chain's own limit. */
const MAX_STAPLE_BYTES = 64 * 1024;
/** Certificates of the responder that are tried. */
const MAX_RESPONDERS = 4;
/** Clocks of responders may be ahead by this much. */
const CLOCK_SKEW_MS = 5 * 60_000;
/** id-kp-OCSPSigning: makes a certificate of the issuer a responder (RFC 6960 section 4.2.2.2). */
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';

/**
 * Judges if a stapled response is about the certificate, signed by an authorized signer, and current (RFC 6960
 * section 3.2).
 */
export function judgeStaple(staple: Buffer | null, context: StapleContext): StapleVerdict {
  if (staple === null || staple.length === 0) return { status: 'none', sctCount: 0, details: null };
  const response = parse(staple);
  if (typeof response === 'string') return invalid(response, null);
  const { leaf, issuer } = context;
  if (issuer === null) return invalid('the issuer of the certificate is unknown', null);
  const answer = response.answers.find(({ certId }) => isAbout(certId, leaf, issuer));
  if (answer === undefined) return invalid('it is for another certificate', null);
  const complaint = signatureComplaint(response, { ...context, issuer }) ?? dateComplaint(answer, context.now);
  return complaint === null ? verdict(answer, null) : complaintVerdict(answer, complaint);
}

/** A revocation does not end with the response that reported it. */
function complaintVerdict(answer: OcspAnswer, complaint: Complaint): StapleVerdict {
  if (complaint.isSigned && answer.status === 'revoked') return verdict(answer, complaint.text);
  return invalid(complaint.text, answer);
}

interface Complaint {
  readonly text: string;
  readonly isSigned: boolean;
}

function parse(staple: Buffer): OcspResponse | string {
  if (staple.length > MAX_STAPLE_BYTES) return 'it is too long';
  try {
    return parseOcspResponse(staple);
  } catch (error) {
    if (error instanceof DerError) return `it cannot be read: ${error.message}`;
    throw error;
  }
}

function isAbout(certId: OcspAnswer['certId'], leaf: SentCertificate, issuer: X509Certificate): boolean {
  const hash = certIdHashes[certId.hashOid];
  if (hash === undefined || !certId.serial.equals(leaf.fields.serial)) return false;
  const { subject, publicKey } = readCertificateFields(issuer.raw);
  const digest = (bytes: Buffer) => createHash(hash).update(bytes).digest();
  return certId.issuerNameHash.equals(digest(subject)) && certId.issuerKeyHash.equals(digest(publicKey));
}

function signatureComplaint(
  { signedData, signatureOid, signature, certificates }: OcspResponse,
  { issuer, now }: { readonly issuer: X509Certificate; readonly now: number },
): Complaint | null {
  const responders = certificates
    .slice(0, MAX_RESPONDERS)
    .flatMap(readResponder)
    .filter((responder) => isResponder(responder, issuer, now));
  const verdicts = new Set(
    [issuer, ...responders].map((signer) => isSignedBy(signer, signedData, { oid: signatureOid, signature })),
  );
  if (verdicts.has(true)) return null;
  const text = verdicts.has(false)
    ? 'it is not signed by the issuer or a responder of the issuer'
    : 'its signature cannot be verified here';
  return { text, isSigned: false };
}

function readResponder(der: Buffer): X509Certificate[] {
  try {
    return [new X509Certificate(der)];
  } catch {
    return [];
  }
}

function isResponder(certificate: X509Certificate, issuer: X509Certificate, now: number): boolean {
  const isCurrent = Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
  // keyUsage is Node's name for the extended key usage
  return isCurrent && (certificate.keyUsage ?? []).includes(OCSP_SIGNING) && isIssuedBy(certificate, issuer);
}

function dateComplaint({ thisUpdate, nextUpdate }: OcspAnswer, now: number): Complaint | null {
  if (thisUpdate > now + CLOCK_SKEW_MS) return { text: 'it is from the future', isSigned: true };
  if (nextUpdate !== null && nextUpdate < now) return { text: 'it is outdated', isSigned: true };
  return null;
}

function verdict(answer: OcspAnswer, error: string | null): StapleVerdict {
  return { status: answer.status, sctCount: answer.sctCount, details: describe(answer, error) };
}

function invalid(error: string, answer: OcspAnswer | null): StapleVerdict {
  return { status: 'invalid', sctCount: 0, details: describe(answer, error) };
}

function describe(answer: OcspAnswer | null, error: string | null): NonNullable<StapleVerdict['details']> {
  const instant = (ms: number | null | undefined) => (typeof ms === 'number' ? new Date(ms).toISOString() : null);
  return {
    this_update: instant(answer?.thisUpdate),
    next_update: instant(answer?.nextUpdate),
    revoked_at: instant(answer?.revokedAt),
    error,
  };
}
