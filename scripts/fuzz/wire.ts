// Protocol buffers on the wire, without a schema: https://protobuf.dev/programming-guides/encoding
//
//   message = field*        field = tag value        tag = varint(number << 3 | wire type)
//   value   = 0 varint | 1 eight bytes | 2 varint length, bytes | 3 fields … 4 (a group, long out of use) | 5 four bytes

/** Wire type of bytes that are written as they are, whatever they claim to be. */
export const RAW = -1;

/** A field of a message that was taken apart; `value` of a message within is its fields. */
export interface Field {
  number: number;
  wireType: number;
  value: bigint | Buffer | Field[];
}

/** The bytes of fields; what they claim need not be true. */
export function writeFields(fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.map(writeField));
}

function writeField({ number, wireType, value }: Field): Buffer {
  if (wireType === RAW && Buffer.isBuffer(value)) return value;
  const tag = varint((BigInt(number) << 3n) | BigInt(wireType));
  if (typeof value === 'bigint') return Buffer.concat([tag, varint(value)]);
  const content = Array.isArray(value) ? writeFields(value) : value;
  return Buffer.concat(wireType === 2 ? [tag, varint(BigInt(content.length)), content] : [tag, content]);
}

/** Base 128, of as many bytes as it takes. */
export function varint(value: bigint): Buffer {
  const out: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...out, Number(rest)]);
    out.push(Number(rest & 127n) | 128);
  }
}

/** Parses a message, and the parts of it that may be messages too; null when it is none. */
export function readFields(bytes: Buffer, depth = 0): Field[] | null {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = (): bigint | null => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) return null;
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    return null;
  };
  while (at < bytes.length) {
    const tag = readVarint();
    if (tag === null || tag < 8n) return null;
    const wireType = Number(tag & 7n);
    const number = Number(tag >> 3n);
    const length = wireType === 1 ? 8 : wireType === 5 ? 4 : null;
    const value = wireType === 0 || wireType === 2 ? readVarint() : 0n;
    if (value === null || (length === null && wireType !== 0 && wireType !== 2)) return null;
    if (wireType === 0) {
      fields.push({ number, wireType, value });
      continue;
    }
    const end = at + (length ?? Number(value));
    if (end > bytes.length) return null;
    const content = bytes.subarray(at, end);
    at = end;
    const within = wireType === 2 && content.length > 0 && depth < 4 ? readFields(content, depth + 1) : null;
    fields.push({ number, wireType, value: within ?? content });
  }
  return fields;
}
