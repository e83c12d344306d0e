// A ClientHello by hand (RFC 5246 section 7.4.1.2, RFC 6101 for SSL 3.0), for what OpenSSL 3 can no longer offer:
//
//   record      22, 3, minor, length(2)
//   handshake    1, length(3)
//   hello       version(2) random(32) 0 suites<2> 1 0 extensions<2>
//
// Vectors are written with the length of their length: <1>, <2>, <3>.

/** Version numbers on the wire. */
export const wireVersions = { SSLv3: 0x0300, TLSv1: 0x0301, 'TLSv1.1': 0x0302, 'TLSv1.2': 0x0303 } as const;

/** Versions that are spoken by hand. */
export type HelloVersion = keyof typeof wireVersions;

export interface HelloOffer {
  readonly version: HelloVersion;
  readonly suiteIds: readonly number[];
  /** Sent as SNI (RFC 6066); null leaves it out, as SSL 3.0 does with all extensions. */
  readonly serverName: string | null;
  /** 32 bytes. */
  readonly random: Buffer;
}

/** Signals secure renegotiation where there are no extensions (RFC 5746); some servers refuse clients that omit it. */
const RENEGOTIATION_SCSV = 0x00ff;

const groups = [29, 23, 24, 25];
const signatureAlgorithms = [0x0403, 0x0503, 0x0603, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0203, 0x0201];

/** One record that offers these suites in this version and below. */
export function encodeClientHello({ version, suiteIds, serverName, random }: HelloOffer): Buffer {
  const hello = Buffer.concat([
    u16(wireVersions[version]),
    random,
    vector(1, Buffer.alloc(0)),
    vector(2, Buffer.concat([...suiteIds, RENEGOTIATION_SCSV].map(u16))),
    vector(1, Buffer.from([0])),
    version === 'SSLv3' ? Buffer.alloc(0) : vector(2, encodeExtensions(version, serverName)),
  ]);
  const handshake = Buffer.concat([Buffer.from([1]), vector(3, hello)]);
  // first flights are in records of TLS 1.0 (RFC 5246 appendix E.1), which old servers insist on
  return Buffer.concat([Buffer.from([22, 3, version === 'SSLv3' ? 0 : 1]), vector(2, handshake)]);
}

function encodeExtensions(version: HelloVersion, serverName: string | null): Buffer {
  const listed = (numbers: readonly number[]) => vector(2, Buffer.concat(numbers.map(u16)));
  return Buffer.concat([
    ...(serverName === null ? [] : [extension(0, vector(2, Buffer.from([0, ...vector(2, Buffer.from(serverName))])))]),
    extension(10, listed(groups)),
    extension(11, vector(1, Buffer.from([0]))),
    ...(version === 'TLSv1.2' ? [extension(13, listed(signatureAlgorithms))] : []),
  ]);
}

function extension(type: number, body: Buffer): Buffer {
  return Buffer.concat([u16(type), vector(2, body)]);
}

function u16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

function vector(lengthBytes: 1 | 2 | 3, body: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(body.length, 0, lengthBytes);
  return Buffer.concat([length, body]);
}
