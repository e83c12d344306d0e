import { AUTHENTIC_DATA, type DecodedPacket, decode, encode, RECURSION_DESIRED, type RecordType } from 'dns-packet';
import { ProbeFailure } from '../probes/failure.js';

/** Bytes of the header (RFC 1035 section 4.1.1), and where its counts of records after the question stand. */
const HEADER_BYTES = 12;
const RECORD_COUNTS_OFFSET = 6;

/** One question of class IN; `type` as dns-packet names it (`UNKNOWN_65` for types it does not know). */
export interface DnsQuestion {
  readonly name: string;
  readonly type: string;
}

/** A decoded answer. The library's types leave out the response code. */
export type DnsMessage = DecodedPacket & { readonly rcode: string };

/**
 * A query as it goes into one datagram; at most 271 bytes. It sets AD, without which a resolver need not say whether
 * it validated (RFC 6840 section 5.7).
 * @throws ProbeFailure dns_error for what is no name: the target of an alias may be any bytes
 */
export function encodeQuery(id: number, { name, type }: DnsQuestion): Buffer {
  checkName(name);
  const questions = [{ name, type: type as RecordType, class: 'IN' as const }];
  return encode({ type: 'query', id, flags: RECURSION_DESIRED | AUTHENTIC_DATA, questions });
}

/** The id of a message; null when there is not even a header. */
export function messageId(bytes: Buffer): number | null {
  return bytes.length < HEADER_BYTES ? null : bytes.readUInt16BE(0);
}

/**
 * The answer to `question` in `bytes`; null when it answers something else. Of a truncated answer only the header and
 * the question are read: the rest may end anywhere.
 * @throws ProbeFailure dns_error for what no decoder understands
 */
export function decodeReply(bytes: Buffer, question: DnsQuestion): DnsMessage | null {
  const message = decodeMessage(isTruncated(bytes) ? withoutRecords(bytes) : bytes);
  return message.flag_qr && answersQuestion(message, question) ? message : null;
}

/** Names compare without case (RFC 4343) and without the final dot. */
export function isSameName(a: string, b: string): boolean {
  return foldName(a) === foldName(b);
}

/** What a response code means to the person who asked; null for NOERROR (RFC 1035 section 4.1.1, RFC 6895). */
export function rcodeFailure(rcode: string, name: string): ProbeFailure | null {
  switch (rcode) {
    case 'NOERROR':
      return null;
    case 'NXDOMAIN':
      return new ProbeFailure('dns_nxdomain', `"${name}" does not exist (NXDOMAIN)`);
    case 'SERVFAIL':
      return new ProbeFailure('dns_servfail', `the resolver failed on "${name}" (SERVFAIL)`);
    case 'REFUSED':
      return new ProbeFailure('dns_refused', `the resolver refused to answer for "${name}" (REFUSED)`);
    default:
      return new ProbeFailure('dns_error', `the resolver answered ${rcode} for "${name}"`);
  }
}

/** Lengths of RFC 1035 section 2.3.4; the library writes longer ones as well. */
function checkName(name: string): void {
  const isTooLong = Buffer.byteLength(name) > 253 || name.split('.').some((label) => Buffer.byteLength(label) > 63);
  if (isTooLong) throw new ProbeFailure('dns_error', 'a name to ask for is longer than DNS allows');
}

function foldName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function decodeMessage(bytes: Buffer): DnsMessage {
  try {
    return decode(bytes) as DnsMessage;
  } catch (error) {
    throw new ProbeFailure('dns_error', `malformed DNS answer of ${bytes.length} bytes`, { cause: error });
  }
}

function isTruncated(bytes: Buffer): boolean {
  return ((bytes[2] ?? 0) & 0x02) !== 0;
}

function withoutRecords(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.fill(0, RECORD_COUNTS_OFFSET, HEADER_BYTES);
  return copy;
}

/** Servers that did not even parse the query may leave the question out; such an answer has no records to believe. */
function answersQuestion({ questions = [], answers = [], rcode }: DnsMessage, question: DnsQuestion): boolean {
  const [asked, ...more] = questions;
  if (asked === undefined) return rcode !== 'NOERROR' && rcode !== 'NXDOMAIN' && answers.length === 0;
  return (
    more.length === 0 && asked.type === question.type && asked.class === 'IN' && isSameName(asked.name, question.name)
  );
}
