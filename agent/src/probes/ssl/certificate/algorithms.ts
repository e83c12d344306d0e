/** A signature algorithm of certificates and OCSP responses. */
export interface SignatureAlgorithm {
  /** Name as OpenSSL prints it. */
  readonly name: string;
  /** Hash for `crypto.verify`; null where the algorithm includes its own. */
  readonly hash: string | null;
  /**
   * True if we verify such signatures ourselves (OCSP). RSASSA-PSS has parameters of its own, and staples do not use
   * it.
   */
  readonly isVerifiable: boolean;
}

const signed = (name: string, hash: string | null, isVerifiable = true): SignatureAlgorithm => ({
  name,
  hash,
  isVerifiable,
});

const signatureAlgorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.2': signed('md2WithRSAEncryption', 'md2', false),
  '1.2.840.113549.1.1.4': signed('md5WithRSAEncryption', 'md5', false),
  '1.2.840.113549.1.1.5': signed('sha1WithRSAEncryption', 'sha1'),
  '1.2.840.113549.1.1.10': signed('rsassaPss', null, false),
  '1.2.840.113549.1.1.11': signed('sha256WithRSAEncryption', 'sha256'),
  '1.2.840.113549.1.1.12': signed('sha384WithRSAEncryption', 'sha384'),
  '1.2.840.113549.1.1.13': signed('sha512WithRSAEncryption', 'sha512'),
  '1.2.840.113549.1.1.14': signed('sha224WithRSAEncryption', 'sha224'),
  '1.2.840.10040.4.3': signed('dsaWithSHA1', 'sha1', false),
  '2.16.840.1.101.3.4.3.2': signed('dsa_with_SHA256', 'sha256', false),
  '1.2.840.10045.4.1': signed('ecdsa-with-SHA1', 'sha1'),
  '1.2.840.10045.4.3.1': signed('ecdsa-with-SHA224', 'sha224'),
  '1.2.840.10045.4.3.2': signed('ecdsa-with-SHA256', 'sha256'),
  '1.2.840.10045.4.3.3': signed('ecdsa-with-SHA384', 'sha384'),
  '1.2.840.10045.4.3.4': signed('ecdsa-with-SHA512', 'sha512'),
  '1.3.101.112': signed('ED25519', null),
  '1.3.101.113': signed('ED448', null),
};

/** The algorithm of an OID; one we have no name for goes by its number. */
export function signatureAlgorithmOf(oid: string): SignatureAlgorithm {
  return (Object.hasOwn(signatureAlgorithms, oid) ? signatureAlgorithms[oid] : null) ?? signed(oid, null, false);
}

/** Digests that an OCSP response may name certificates by (RFC 6960 section 4.3), by OID, for `crypto.createHash`. */
export const certIdHashes: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Bits of the curves that certificates use, by OpenSSL's names. */
export const curveBits: Readonly<Record<string, number>> = {
  prime192v1: 192,
  secp192k1: 192,
  secp224r1: 224,
  secp224k1: 224,
  prime256v1: 256,
  secp256k1: 256,
  brainpoolP256r1: 256,
  secp384r1: 384,
  brainpoolP384r1: 384,
  brainpoolP512r1: 512,
  secp521r1: 521,
};
