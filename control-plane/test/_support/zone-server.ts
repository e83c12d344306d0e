import { createSocket } from 'node:dgram';
import type { Test } from 'tap';

/** Types of records by name (RFC 1035 section 3.2.2, RFC 3596, RFC 8659). */
export const recordTypes = { A: 1, NS: 2, CNAME: 5, SOA: 6, MX: 15, TXT: 16, AAAA: 28, CAA: 257 } as const;
export type RecordType = keyof typeof recordTypes;

/** A record with its data as it travels. */
export interface ZoneRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly ttl?: number;
  readonly data: Buffer;
}

/** Records for a question; null if the name does not exist, undefined for no reply. A type that is null is not in the table. */
export type FindRecords = (name: string, type: RecordType | null) => readonly ZoneRecord[] | null | undefined;

const QUESTION_OFFSET = 12;
const NXDOMAIN = 3;
const NEGATIVE_TTL = 60;

/** Starts a resolver on loopback (UDP) with the records of `find`; returns its `address:port`. */
export async function startZoneServer(t: Test, find: FindRecords): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const response = responseTo(query, find);
    if (response !== null) socket.send(response, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return `127.0.0.1:${socket.address().port}`;
}

export const recordData = {
  address: (text: string) => Buffer.from(text.split('.').map(Number)),
  name: encodeName,
  mail: (preference: number, exchange: string) => Buffer.concat([uint16(preference), encodeName(exchange)]),
  text: (text: string) => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]),
  caa: (tag: string, value: string) =>
    Buffer.concat([Buffer.from([0, tag.length]), Buffer.from(tag), Buffer.from(value)]),
};

function responseTo(query: Buffer, find: FindRecords): Buffer | null {
  const { name, type, end } = readQuestion(query);
  const found = find(name, typeName(type));
  if (found === undefined) return null;
  const answers = found ?? [];
  // without records the zone says for how long (RFC 2308)
  const authority = answers.length > 0 ? [] : [soa()];
  const header = Buffer.alloc(QUESTION_OFFSET);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (found === null ? NXDOMAIN : 0), 2);
  for (const [i, count] of [1, answers.length, authority.length, 0].entries()) header.writeUInt16BE(count, 4 + 2 * i);
  return Buffer.concat([header, query.subarray(QUESTION_OFFSET, end), ...[...answers, ...authority].map(encodeRecord)]);
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = QUESTION_OFFSET;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function typeName(code: number): RecordType | null {
  const names = Object.keys(recordTypes) as RecordType[];
  return names.find((name) => recordTypes[name] === code) ?? null;
}

function soa(): ZoneRecord {
  const times = Buffer.concat([1, 3600, 600, 86_400, NEGATIVE_TTL].map(uint32));
  const data = Buffer.concat([encodeName('ns.example'), encodeName('admin.example'), times]);
  return { name: 'example', type: 'SOA', ttl: NEGATIVE_TTL, data };
}

function encodeRecord({ name, type, ttl = 300, data }: ZoneRecord): Buffer {
  return Buffer.concat([
    encodeName(name),
    uint16(recordTypes[type]),
    uint16(1),
    uint32(ttl),
    uint16(data.length),
    data,
  ]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
