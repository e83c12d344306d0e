import { isIssuedBy } from '../../../net/tls/issuing.js';
import type { Roots } from '../../../net/tls/roots.js';
import { type UsedPath, usedPath } from '../../../net/tls/used-path.js';
import { readSentCertificate, type SentCertificate } from './sent-certificate.js';

/** Order of the certificates that were sent. */
export interface SentPath {
  /** Certificates from the server's own to the last issuer that was sent. */
  readonly certificates: readonly SentCertificate[];
  /** Each stands before its issuer. */
  readonly isInOrder: boolean;
  /** Number of certificates that were sent and are not on the path. */
  readonly unneeded: number;
  /** The last one signed itself. */
  readonly endsInRoot: boolean;
  /** Issuer of the server's certificate: sent along, or known as a root. */
  readonly leafIssuer: SentCertificate['x509'] | null;
  /** Path on which clients trust the server's certificate. Says nothing of what the authorities may sign. */
  readonly used: UsedPath;
  /** The certificates of that path, without the root unless it is the server's own. */
  readonly usedCertificates: readonly SentCertificate[];
  /** Its root; null if the certificates lead to none. */
  readonly root: SentCertificate | null;
}

/** Follows the signatures from the first certificate that was sent. `now` is in milliseconds since the epoch. */
export function followPath(sent: readonly SentCertificate[], roots: Roots, now: number): SentPath {
  const [leaf] = sent;
  if (leaf === undefined) throw new RangeError('a path begins with a certificate');
  const indexes = [0];
  for (let next = issuerIndex(leaf, sent, indexes); next >= 0; ) {
    indexes.push(next);
    next = issuerIndex(sent[next], sent, indexes);
  }
  const certificates = indexes.flatMap((index) => sent[index] ?? []);
  const last = certificates.at(-1) ?? leaf;
  const endsInRoot = isSelfIssued(last);
  const used = usedPath(
    sent.map(({ x509 }) => x509),
    roots,
    now,
  );
  return {
    certificates,
    isInOrder: indexes.every((index, position) => position === 0 || index > (indexes[position - 1] ?? 0)),
    unneeded: sent.length - certificates.length,
    endsInRoot,
    leafIssuer: certificates[1]?.x509 ?? (endsInRoot ? leaf.x509 : roots.findIssuer(leaf.x509)),
    used,
    usedCertificates: used.certificates.flatMap((x509) => sent.find((one) => one.x509 === x509) ?? []),
    root: used.root === null ? null : readSentCertificate(used.root),
  };
}

/** -1 if no other sent certificate signed it. */
function issuerIndex(
  certificate: SentCertificate | undefined,
  sent: readonly SentCertificate[],
  taken: readonly number[],
): number {
  if (certificate === undefined || isSelfIssued(certificate)) return -1;
  return sent.findIndex((other, index) => !taken.includes(index) && isIssuedBy(certificate.x509, other.x509));
}

function isSelfIssued({ fields }: SentCertificate): boolean {
  return fields.subject.equals(fields.issuer);
}
