// DER (X.690): tag, length, content. Only what certificates and OCSP responses use: tag numbers below 31 and definite
// lengths. Nothing here is recursive, and no length is trusted before its bytes were checked.

export interface DerValue {
  /** Identifier octet: 0x30 is a SEQUENCE, 0xa0 the constructed context tag 0. */
  readonly tag: number;
  readonly content: Buffer;
  /** Identifier, length and content, as they were sent. */
  readonly raw: Buffer;
}

/** The bytes are not what they should be. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

export const derTags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const;

/** Values in a row at most; a certificate of 64 KiB could hold half as many empty ones. */
const MAX_VALUES = 4096;

/** Exactly one value. @throws DerError */
export function readDer(bytes: Buffer): DerValue {
  const [value, ...rest] = readAll(bytes);
  if (value === undefined || rest.length > 0) throw new DerError('not exactly one value');
  return value;
}

/** The values inside of a constructed one. @throws DerError */
export function childrenOf(value: DerValue): DerValue[] {
  return readAll(value.content);
}

/** The values inside of a SEQUENCE. @throws DerError */
export function sequenceOf(value: DerValue | undefined): DerValue[] {
  return childrenOf(expectTag(value, derTags.sequence));
}

/** The value, if it has this tag. @throws DerError */
export function expectTag(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag !== tag) throw new DerError(`no value of tag ${tag}`);
  return value;
}

/** An OBJECT IDENTIFIER in dots. @throws DerError */
export function readOid(value: DerValue | undefined): string {
  const { content } = expectTag(value, derTags.oid);
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    // no arc above 2^53 is compared
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...rest] = arcs;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join('.').slice(0, 128);
}

/** The bytes of a BIT STRING that fills whole bytes. @throws DerError */
export function readBitString(value: DerValue | undefined): Buffer {
  const { content } = expectTag(value, derTags.bitString);
  if (content[0] !== 0) throw new DerError('a bit string with partial bytes');
  return content.subarray(1);
}

/** GeneralizedTime as RFC 5280 section 4.1.2.5.2 writes it, in milliseconds since the epoch. @throws DerError */
export function readGeneralizedTime(value: DerValue | undefined): number {
  const text = expectTag(value, derTags.generalizedTime).content.toString('latin1');
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (match === null) throw new DerError('not a time');
  const [, year, month, day, hour, minute, second] = match;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(time)) throw new DerError('not a time');
  return time;
}

function readAll(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = readOne(bytes.subarray(at));
    if (values.length >= MAX_VALUES) throw new DerError('too many values');
    values.push(value);
    at += value.raw.length;
  }
  return values;
}

function readOne(bytes: Buffer): DerValue {
  const [tag = 0, first = 0] = bytes;
  if (bytes.length < 2 || (tag & 0x1f) === 0x1f || first === 0x80) throw new DerError('not a value');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4 || bytes.length < 2 + lengthBytes) throw new DerError('not a length');
  const start = 2 + lengthBytes;
  const end = start + (lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes));
  if (end > bytes.length) throw new DerError('longer than its bytes');
  return { tag, content: bytes.subarray(start, end), raw: bytes.subarray(0, end) };
}
