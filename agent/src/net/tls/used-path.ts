import type { X509Certificate } from 'node:crypto';
import { isIssuedBy } from './issuing.js';
import type { Roots } from './roots.js';

/** Path on which clients trust a server's certificate. */
export interface UsedPath {
  /** Certificates that were sent, the server's own first. */
  readonly certificates: readonly X509Certificate[];
  /** Known root at the end; null if the certificates lead to none. */
  readonly root: X509Certificate | null;
}

/** Way from one certificate to a root. */
interface Way {
  /** End of the certificate that ends first, the root included, in milliseconds since the epoch. */
  readonly endMs: number;
  /** Index of the issuer; null if the root issued it, or is it. */
  readonly issuer: number | null;
  readonly root: X509Certificate;
}

/**
 * Path from the first of the certificates that a server sent to a known root, of several the one that is valid longest:
 * clients need one path that is valid (RFC 5280 section 6.1), and what else was sent does not count. A certificate that is
 * valid from `nowMs` on at the earliest is used last. At most one signature is verified for each two certificates.
 */
export function usedPath(sent: readonly X509Certificate[], roots: Roots, nowMs = Number.POSITIVE_INFINITY): UsedPath {
  const ways = waysToRoots(sent, roots, nowMs);
  const way = ways.get(0);
  if (way === undefined) return { certificates: pathWithoutRoot(sent), root: null };
  const certificates: X509Certificate[] = [];
  for (let index: number | null = 0; index !== null; index = ways.get(index)?.issuer ?? null)
    certificates.push(...sent.slice(index, index + 1));
  return { certificates, root: way.root };
}

/** Certificate on a path that ends before the server's own; null if the server's own ends first. */
export function earlierEnd({ certificates, root }: UsedPath): X509Certificate | null {
  const [first] = [...certificates, ...(root === null ? [] : [root])].toSorted(byEnd);
  return first === undefined || first === certificates[0] ? null : first;
}

/** True if a certificate that was sent ends before the server's own. */
export function mayEndEarlier([leaf, ...others]: readonly X509Certificate[]): boolean {
  return leaf !== undefined && others.some((other) => byEnd(other, leaf) < 0);
}

function byEnd(a: X509Certificate, b: X509Certificate): number {
  return Date.parse(a.validTo) - Date.parse(b.validTo);
}

/** Best way of each certificate that has one. Certificates are settled from the last end to the first (Dijkstra). */
function waysToRoots(sent: readonly X509Certificate[], roots: Roots, nowMs: number): ReadonlyMap<number, Way> {
  const ends = sent.map((certificate) => endOf(certificate, nowMs));
  const open = new Map<number, Way>();
  for (const [index, certificate] of sent.entries()) {
    const root = roots.has(certificate) ? certificate : roots.findIssuer(certificate);
    if (root !== null) open.set(index, { endMs: Math.min(ends[index] ?? 0, endOf(root, nowMs)), issuer: null, root });
  }
  const settled = new Map<number, Way>();
  for (let next = best(open); next !== null && !settled.has(0); next = best(open)) {
    const [issuer, way] = next;
    open.delete(issuer);
    settled.set(issuer, way);
    for (const [index, certificate] of sent.entries()) {
      const endMs = Math.min(ends[index] ?? 0, way.endMs);
      const isBetter = !settled.has(index) && endMs > (open.get(index)?.endMs ?? Number.NEGATIVE_INFINITY);
      if (isBetter && isIssuedBySent(certificate, sent[issuer])) open.set(index, { endMs, issuer, root: way.root });
    }
  }
  return settled;
}

function best(ways: ReadonlyMap<number, Way>): [number, Way] | null {
  return [...ways].toSorted(([, a], [, b]) => b.endMs - a.endMs)[0] ?? null;
}

function endOf(certificate: X509Certificate, nowMs: number): number {
  const endMs = Date.parse(certificate.validTo) || 0;
  return Date.parse(certificate.validFrom) > nowMs ? endMs - Number.MAX_SAFE_INTEGER : endMs;
}

/** Signatures from the first certificate on; a root that was sent is not needed, and ends the path. */
function pathWithoutRoot(sent: readonly X509Certificate[]): X509Certificate[] {
  const path = sent.slice(0, 1);
  const rootsFirst = sent.toSorted((a, b) => Number(isSelfIssued(b)) - Number(isSelfIssued(a)) || byEnd(b, a));
  for (let last = path[0]; last !== undefined && !isSelfIssued(last); last = path.at(-1)) {
    const certificate = last;
    const issuer = rootsFirst.find((other) => isIssuedBySent(certificate, other));
    if (issuer === undefined || isSelfIssued(issuer) || path.includes(issuer)) break;
    path.push(issuer);
  }
  return path;
}

/** A certificate that was sent twice did not issue itself. */
function isIssuedBySent(certificate: X509Certificate, issuer: X509Certificate | undefined): boolean {
  if (issuer === undefined || issuer.fingerprint256 === certificate.fingerprint256) return false;
  return isIssuedBy(certificate, issuer);
}

function isSelfIssued({ subject, issuer }: X509Certificate): boolean {
  return subject === issuer;
}
