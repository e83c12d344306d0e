import type { SentPath } from '../certificate/path.js';
import type { SentCertificate } from '../certificate/sent-certificate.js';
import type { StapleVerdict } from '../staple/judge-staple.js';
import { type Complaint, when } from './finding.js';

/** Bits below which a key is weak, and below which it is broken. */
const keyLimits: Readonly<Record<string, { readonly weak: number; readonly insecure: number }>> = {
  RSA: { weak: 2048, insecure: 1024 },
  'RSA-PSS': { weak: 2048, insecure: 1024 },
  DSA: { weak: 2048, insecure: 1024 },
  EC: { weak: 256, insecure: 224 },
};

/** Findings about keys, signatures and the order of the certificates sent. */
export function judgeCertificates(path: SentPath): Complaint[] {
  // a root is trusted by itself: its own signature is not verified
  const certificates = path.usedCertificates;
  const signed = certificates.filter(({ x509 }, index) => index === 0 || x509 !== path.used.root);
  const isSigned = (digest: RegExp) => signed.filter(({ report }) => digest.test(report.signature_algorithm ?? ''));
  const [md5, sha1] = [isSigned(/md[245]/i), isSigned(/sha-?1(?!\d)/i)];
  const insecure = certificates.filter((certificate) => isBelow(certificate, 'insecure'));
  const weak = certificates.filter((certificate) => isBelow(certificate, 'weak') && !insecure.includes(certificate));
  return [
    ...when(insecure.length > 0, 'insecure_key', listKeys(insecure)),
    ...when(weak.length > 0, 'weak_key', listKeys(weak)),
    ...when(md5.length > 0, 'md5_signature', listSignatures(md5)),
    ...when(sha1.length > 0, 'sha1_signature', listSignatures(sha1)),
    ...judgeOrder(path),
  ];
}

/** Findings about the proofs around a certificate: OCSP and Certificate Transparency. */
export function judgeProofs(leaf: SentCertificate, staple: StapleVerdict): Complaint[] {
  const { mustStaple, sctCount } = leaf.fields;
  const isProven = staple.status === 'good' || staple.status === 'revoked';
  return [
    ...when(staple.status === 'revoked', 'revoked', `revoked on ${staple.details?.revoked_at ?? 'an unknown date'}`),
    ...when(mustStaple && !isProven, 'must_staple_missing', `it must be stapled, and the staple is: ${staple.status}`),
    ...when(staple.status === 'invalid', 'bad_staple', staple.details?.error ?? 'the staple is invalid'),
    ...when(
      sctCount + staple.sctCount === 0,
      'no_sct',
      'no timestamp in certificate or staple; one in the TLS extension would not be seen',
    ),
  ];
}

function judgeOrder({ isInOrder, unneeded, endsInRoot, certificates }: SentPath): Complaint[] {
  const root = certificates.at(-1)?.report.subject ?? '';
  return [
    ...when(!isInOrder, 'wrong_order', 'a certificate follows its issuer'),
    ...when(endsInRoot && certificates.length > 1, 'root_sent', `${root} need not be sent`),
    ...when(
      unneeded > 0,
      'unneeded_certificate',
      `${unneeded} of those sent ${unneeded === 1 ? 'is' : 'are'} not needed`,
    ),
  ];
}

function isBelow({ report }: SentCertificate, limit: 'weak' | 'insecure'): boolean {
  const limits = keyLimits[report.public_key_algorithm ?? ''];
  return limits !== undefined && report.public_key_bits !== null && report.public_key_bits < limits[limit];
}

function listKeys(certificates: readonly SentCertificate[]): string {
  return certificates
    .map(({ report }) => `${report.subject}: ${report.public_key_algorithm} ${report.public_key_bits}`)
    .join('; ')
    .slice(0, 500);
}

function listSignatures(certificates: readonly SentCertificate[]): string {
  return certificates
    .map(({ report }) => `${report.subject}: ${report.signature_algorithm}`)
    .join('; ')
    .slice(0, 500);
}
