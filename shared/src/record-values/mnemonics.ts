/** Certificate types of CERT records that have names (RFC 4398 section 2.1). */
export const certificateTypes: Readonly<Record<number, string>> = {
  1: 'PKIX',
  2: 'SPKI',
  3: 'PGP',
  4: 'IPKIX',
  5: 'ISPKI',
  6: 'IPGP',
  7: 'ACPKIX',
  8: 'IACPKIX',
  253: 'URI',
  254: 'OID',
};

/** Algorithms of DNSSEC that have names (IANA "DNS Security Algorithm Numbers"; RFC 8624). */
export const algorithms: Readonly<Record<number, string>> = {
  1: 'RSAMD5',
  2: 'DH',
  3: 'DSA',
  5: 'RSASHA1',
  6: 'NSEC3DSA',
  7: 'NSEC3RSASHA1',
  8: 'RSASHA256',
  10: 'RSASHA512',
  12: 'ECCGOST',
  13: 'ECDSAP256SHA256',
  14: 'ECDSAP384SHA384',
  15: 'ED25519',
  16: 'ED448',
  252: 'INDIRECT',
  253: 'PRIVATEDNS',
  254: 'PRIVATEOID',
};

/** Keys of service parameters by number (RFC 9460 section 14.3.2), as far as dig writes them by name. */
export const serviceKeys: Readonly<Record<number, string>> = {
  0: 'mandatory',
  1: 'alpn',
  2: 'no-default-alpn',
  3: 'port',
  4: 'ipv4hint',
  5: 'ech',
  6: 'ipv6hint',
};
