import { verdictOf } from '../../../net/tls/verdicts.js';
import type { SentPath } from '../certificate/path.js';
import type { SentCertificate } from '../certificate/sent-certificate.js';
import { type Complaint, when } from './finding.js';

export interface ValidityFacts {
  readonly path: SentPath;
  /** OpenSSL's verdict about the chain: null trusts it, undefined was not asked. */
  readonly chainError: string | null | undefined;
  readonly isForName: boolean;
  readonly serverName: string;
  /** Corrected wall clock, milliseconds since the epoch. */
  readonly now: number;
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** OpenSSL looks at dates last, and with the machine's clock: they hide what else is wrong. */
const dateErrors: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Days a certificate may be valid by its date of issue (CA/Browser Forum baseline requirements 6.3.2), newest first. */
const validityLimits = [
  { from: Date.parse('2029-03-15T00:00:00Z'), days: 47 },
  { from: Date.parse('2027-03-15T00:00:00Z'), days: 100 },
  { from: Date.parse('2026-03-15T00:00:00Z'), days: 200 },
  { from: Date.parse('2020-09-01T00:00:00Z'), days: 398 },
  { from: Date.parse('2018-03-01T00:00:00Z'), days: 825 },
];

/** Whole days from `now` until a certificate ends; negative after. */
export function daysUntil(notAfter: number, now: number): number {
  return Math.floor((notAfter - now) / DAY_MS);
}

/** Findings about trust, name and dates. */
export function judgeValidity(facts: ValidityFacts): Complaint[] {
  const { isForName, serverName } = facts;
  return [
    ...judgeDates(facts),
    ...judgeTrust(facts),
    ...when(!isForName, 'name_mismatch', `the certificate is not for ${serverName}`),
  ];
}

function judgeDates({ path, chainError, now }: ValidityFacts): Complaint[] {
  const { usedCertificates, root } = path;
  // OpenSSL trusts it by a path that cannot be followed here, so the authorities that were sent do not count
  const isElsewhere = chainError === null && root === null;
  const relevant = isElsewhere ? usedCertificates.slice(0, 1) : usedCertificates;
  const dated = root === null || relevant.some(({ x509 }) => x509 === root.x509) ? relevant : [...relevant, root];
  const expired = dated.filter(({ notAfter }) => notAfter < now);
  const future = dated.filter(({ notBefore }) => notBefore > now);
  const soon = dated.filter(({ notAfter }) => notAfter >= now && daysUntil(notAfter, now) < SOON_DAYS);
  const [leaf] = path.certificates;
  const limit = validityLimits.find(({ from }) => leaf !== undefined && leaf.notBefore >= from);
  const days = leaf === undefined ? 0 : (leaf.notAfter - leaf.notBefore) / DAY_MS;
  return [
    ...when(
      expired.length > 0,
      'expired',
      list(expired, ({ report }) => `ended on ${report.not_after}`),
    ),
    ...when(
      future.length > 0,
      'not_yet_valid',
      list(future, ({ report }) => `begins on ${report.not_before}`),
    ),
    ...when(
      soon.length > 0,
      'expires_soon',
      list(soon, ({ notAfter }) => `ends in ${daysUntil(notAfter, now)} days`),
    ),
    ...when(
      limit !== undefined && days > limit.days,
      'validity_too_long',
      `it is valid for ${Math.floor(days)} days; the limit for its date of issue is ${limit?.days}`,
    ),
  ];
}

function judgeTrust({ path, chainError }: ValidityFacts): Complaint[] {
  if (chainError === null) return [];
  const isDateError = chainError === undefined || dateErrors.has(chainError);
  if (isDateError && path.root !== null) return [];
  if (path.certificates.length === 1 && path.endsInRoot) {
    return [{ code: 'self_signed', message: 'the certificate is signed by itself' }];
  }
  const message =
    isDateError || chainError === undefined ? 'it does not lead to a known root' : verdictOf(chainError).message;
  return [
    { code: 'untrusted', message },
    ...when(
      path.certificates.length === 1 && path.root === null,
      'incomplete_chain',
      'no issuer was sent: an intermediate is missing, or the authority is private',
    ),
  ];
}

function list(certificates: readonly SentCertificate[], what: (certificate: SentCertificate) => string): string {
  return certificates
    .map((certificate) => `${certificate.report.subject} ${what(certificate)}`)
    .join('; ')
    .slice(0, 500);
}
