import { X509Certificate } from 'node:crypto';
import { isIssuedBy } from './issuing.js';

/** The roots by their names, read when the first one is asked for: most chains need none from here. */
export class Roots {
  readonly #pems: readonly string[];
  #bySubject: Map<string, X509Certificate[]> | null = null;

  constructor(pems: readonly string[]) {
    this.#pems = pems;
  }

  /** The root that signed a certificate, of several the one that ends last; or null. */
  findIssuer(certificate: X509Certificate): X509Certificate | null {
    const candidates = this.#load().get(certificate.issuer) ?? [];
    const lastFirst = candidates.toSorted((a, b) => Date.parse(b.validTo) - Date.parse(a.validTo));
    return lastFirst.find((root) => isIssuedBy(certificate, root)) ?? null;
  }

  /** True if the certificate is one of the roots. */
  has(certificate: X509Certificate): boolean {
    const namesakes = this.#load().get(certificate.subject) ?? [];
    return namesakes.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256);
  }

  #load(): Map<string, X509Certificate[]> {
    if (this.#bySubject !== null) return this.#bySubject;
    const bySubject = new Map<string, X509Certificate[]>();
    for (const pem of this.#pems) {
      const root = new X509Certificate(pem);
      bySubject.set(root.subject, [...(bySubject.get(root.subject) ?? []), root]);
    }
    this.#bySubject = bySubject;
    return bySubject;
  }
}
