/** Grades from best to worst: T is for an untrusted certificate, M for one with another name. */
export const sslGrades = ['A+', 'A', 'A-', 'B', 'C', 'D', 'F', 'M', 'T'] as const;

export type SslGrade = (typeof sslGrades)[number];

interface FindingRule {
  /** The best grade a server with it can have; null where it costs nothing. */
  readonly cap: SslGrade | null;
  readonly meaning: string;
}

/**
 * Findings of an SSL audit, worst first: a closed list, part of the public API. A server's grade is the worst cap
 * among its findings, A+ without any (docs/ssl-grades.md).
 */
export const sslFindings = {
  expired: { cap: 'T', meaning: 'A certificate of the chain has expired.' },
  not_yet_valid: { cap: 'T', meaning: 'A certificate of the chain is not valid yet.' },
  self_signed: { cap: 'T', meaning: 'The certificate is self-signed.' },
  untrusted: { cap: 'T', meaning: 'The chain does not lead to a public root.' },
  name_mismatch: {
    cap: 'M',
    meaning: 'The certificate is for other names (RFC 9525; the common name does not count).',
  },
  revoked: { cap: 'F', meaning: 'The stapled OCSP response states that the certificate is revoked.' },
  ssl3_protocol: { cap: 'F', meaning: 'SSL 3.0 is offered (POODLE; RFC 7568).' },
  null_cipher: { cap: 'F', meaning: 'A cipher suite without encryption is offered.' },
  anonymous_cipher: { cap: 'F', meaning: 'A cipher suite without a certificate is offered.' },
  export_cipher: { cap: 'F', meaning: 'A cipher suite of the export grade is offered (FREAK).' },
  des_cipher: { cap: 'F', meaning: 'Single DES is offered.' },
  insecure_key: {
    cap: 'F',
    meaning: 'A key that can be broken: RSA or DSA below 1024 bits, elliptic curves below 224.',
  },
  insecure_key_exchange: { cap: 'F', meaning: 'Diffie-Hellman below 1024 bits (Logjam).' },
  md5_signature: { cap: 'F', meaning: 'A certificate is signed with MD5 or MD2.' },
  sha1_signature: { cap: 'F', meaning: 'A certificate is signed with SHA-1, which browsers refuse.' },
  weak_key: {
    cap: 'D',
    meaning: 'A key below today’s minimum: RSA or DSA below 2048 bits, elliptic curves below 256.',
  },
  only_old_protocols: { cap: 'C', meaning: 'Neither TLS 1.2 nor TLS 1.3 is offered.' },
  rc4_cipher: { cap: 'C', meaning: 'RC4 is offered (RFC 7465).' },
  old_protocol: { cap: 'B', meaning: 'TLS 1.0 or TLS 1.1 is offered (RFC 8996).' },
  triple_des_cipher: { cap: 'B', meaning: 'Triple DES is offered (Sweet32).' },
  no_forward_secrecy: { cap: 'B', meaning: 'A protocol version negotiates a key exchange without forward secrecy.' },
  weak_key_exchange: { cap: 'B', meaning: 'Diffie-Hellman from 1024 to 2047 bits.' },
  no_aead: { cap: 'B', meaning: 'The best protocol version negotiates a cipher without authenticated encryption.' },
  incomplete_chain: {
    cap: 'B',
    meaning: 'The server does not send the intermediate certificates that lead to a root.',
  },
  validity_too_long: {
    cap: 'B',
    meaning: 'The certificate is valid for longer than the CA/Browser Forum permits for its date of issue.',
  },
  must_staple_missing: {
    cap: 'B',
    meaning: 'The certificate requires a stapled OCSP response, and the server sends no valid one.',
  },
  no_tls13: { cap: 'A-', meaning: 'TLS 1.3 is not offered.' },
  bad_staple: { cap: 'A-', meaning: 'The stapled OCSP response is outdated, forged, or of another certificate.' },
  wrong_order: { cap: 'A', meaning: 'The chain is not sent in order, each certificate before its issuer.' },
  no_sct: {
    cap: 'A',
    meaning: 'Neither certificate nor staple proves Certificate Transparency; the TLS extension is not seen.',
  },
  incomplete_audit: { cap: 'A', meaning: 'Part of the audit could not be completed.' },
  expires_soon: { cap: null, meaning: 'A certificate on the path that clients use ends within 14 days.' },
  root_sent: { cap: null, meaning: 'The root is sent; clients have it or do not trust it.' },
  unneeded_certificate: { cap: null, meaning: 'A certificate is sent that the chain does not need, or sent twice.' },
} as const satisfies Record<string, FindingRule>;

export type SslFindingCode = keyof typeof sslFindings;

/** Every code, worst first. */
export const sslFindingCodes = Object.keys(sslFindings) as SslFindingCode[];

/** Grade by the codes of the findings alone; protocol versions, ciphers and keys appear only in their messages. */
export function gradeOf(codes: readonly SslFindingCode[]): SslGrade {
  const ranks = codes.flatMap((code) => rankOf(sslFindings[code].cap));
  return sslGrades[Math.max(0, ...ranks)] ?? 'A+';
}

/** The grade the server would have if its certificate were trusted, current and for the name. */
export function gradeIgnoringTrust(codes: readonly SslFindingCode[]): SslGrade {
  return gradeOf(codes.filter((code) => !isForTrust(code)));
}

/** True if a client that makes every check would refuse the certificate. */
export function isInvalidating(code: SslFindingCode): boolean {
  return isForTrust(code) || code === 'revoked';
}

function isForTrust(code: SslFindingCode): boolean {
  const { cap } = sslFindings[code];
  return cap === 'T' || cap === 'M';
}

/** The worst of several; null of nothing. */
export function worstGrade(grades: readonly SslGrade[]): SslGrade | null {
  return sslGrades[Math.max(...grades.flatMap(rankOf))] ?? null;
}

function rankOf(grade: SslGrade | null): number[] {
  return grade === null ? [] : [sslGrades.indexOf(grade)];
}
