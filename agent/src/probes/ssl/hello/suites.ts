/** Reason why a cipher suite should no longer be offered. */
export type WeakKind = 'null' | 'anonymous' | 'export' | 'des' | 'rc4' | 'triple_des';

/** A cipher suite by its number in the TLS registry, named as OpenSSL names it. */
export interface Suite {
  readonly id: number;
  readonly name: string;
  /** Weakness of the suite; null for one that is only used to find out which versions a server speaks. */
  readonly kind: WeakKind | null;
}

const of = (kind: WeakKind | null, suites: Readonly<Record<string, number>>): Suite[] =>
  Object.entries(suites).map(([name, id]) => ({ id, name, kind }));

/** Suites no server should take, worst kind first. OpenSSL 3 offers few of them, so they are asked for by hand. */
export const weakSuites: readonly Suite[] = [
  ...of('null', {
    'NULL-MD5': 0x0001,
    'NULL-SHA': 0x0002,
    'NULL-SHA256': 0x003b,
    'ECDH-ECDSA-NULL-SHA': 0xc001,
    'ECDHE-ECDSA-NULL-SHA': 0xc006,
    'ECDH-RSA-NULL-SHA': 0xc00b,
    'ECDHE-RSA-NULL-SHA': 0xc010,
    'AECDH-NULL-SHA': 0xc015,
  }),
  ...of('anonymous', {
    'ADH-RC4-MD5': 0x0018,
    'ADH-DES-CBC-SHA': 0x001a,
    'ADH-DES-CBC3-SHA': 0x001b,
    'ADH-AES128-SHA': 0x0034,
    'ADH-AES256-SHA': 0x003a,
    'ADH-CAMELLIA128-SHA': 0x0046,
    'ADH-AES128-SHA256': 0x006c,
    'ADH-AES256-SHA256': 0x006d,
    'ADH-CAMELLIA256-SHA': 0x0089,
    'ADH-AES128-GCM-SHA256': 0x00a6,
    'ADH-AES256-GCM-SHA384': 0x00a7,
    'AECDH-RC4-SHA': 0xc016,
    'AECDH-DES-CBC3-SHA': 0xc017,
    'AECDH-AES128-SHA': 0xc018,
    'AECDH-AES256-SHA': 0xc019,
  }),
  ...of('export', {
    'EXP-RC4-MD5': 0x0003,
    'EXP-RC2-CBC-MD5': 0x0006,
    'EXP-DES-CBC-SHA': 0x0008,
    'EXP-DH-DSS-DES-CBC-SHA': 0x000b,
    'EXP-DH-RSA-DES-CBC-SHA': 0x000e,
    'EXP-EDH-DSS-DES-CBC-SHA': 0x0011,
    'EXP-EDH-RSA-DES-CBC-SHA': 0x0014,
    'EXP-ADH-RC4-MD5': 0x0017,
    'EXP-ADH-DES-CBC-SHA': 0x0019,
    'EXP1024-DES-CBC-SHA': 0x0062,
    'EXP1024-RC4-SHA': 0x0064,
  }),
  ...of('des', {
    'DES-CBC-SHA': 0x0009,
    'DH-DSS-DES-CBC-SHA': 0x000c,
    'DH-RSA-DES-CBC-SHA': 0x000f,
    'EDH-DSS-DES-CBC-SHA': 0x0012,
    'EDH-RSA-DES-CBC-SHA': 0x0015,
  }),
  ...of('rc4', {
    'RC4-MD5': 0x0004,
    'RC4-SHA': 0x0005,
    'ECDH-ECDSA-RC4-SHA': 0xc002,
    'ECDHE-ECDSA-RC4-SHA': 0xc007,
    'ECDH-RSA-RC4-SHA': 0xc00c,
    'ECDHE-RSA-RC4-SHA': 0xc011,
  }),
  ...of('triple_des', {
    'DES-CBC3-SHA': 0x000a,
    'DH-DSS-DES-CBC3-SHA': 0x000d,
    'DH-RSA-DES-CBC3-SHA': 0x0010,
    'EDH-DSS-DES-CBC3-SHA': 0x0013,
    'EDH-RSA-DES-CBC3-SHA': 0x0016,
    'ECDH-ECDSA-DES-CBC3-SHA': 0xc003,
    'ECDHE-ECDSA-DES-CBC3-SHA': 0xc008,
    'ECDH-RSA-DES-CBC3-SHA': 0xc00d,
    'ECDHE-RSA-DES-CBC3-SHA': 0xc012,
  }),
];

const plainSuites = of(null, {
  'ECDHE-RSA-AES128-GCM-SHA256': 0xc02f,
  'ECDHE-RSA-AES256-GCM-SHA384': 0xc030,
  'ECDHE-ECDSA-AES128-GCM-SHA256': 0xc02b,
  'ECDHE-ECDSA-AES256-GCM-SHA384': 0xc02c,
  'ECDHE-RSA-AES128-SHA': 0xc013,
  'ECDHE-RSA-AES256-SHA': 0xc014,
  'ECDHE-ECDSA-AES128-SHA': 0xc009,
  'ECDHE-ECDSA-AES256-SHA': 0xc00a,
  'DHE-RSA-AES128-SHA': 0x0033,
  'DHE-RSA-AES256-SHA': 0x0039,
  'AES128-SHA': 0x002f,
  'AES256-SHA': 0x0035,
  'AES128-SHA256': 0x003c,
  'AES256-SHA256': 0x003d,
  'AES128-GCM-SHA256': 0x009c,
  'AES256-GCM-SHA384': 0x009d,
});

/** All suites that a server of any age may accept; used to find out if it speaks a version at all. */
export const allSuites: readonly Suite[] = [...plainSuites, ...weakSuites];
