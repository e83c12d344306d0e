import { randomBytes } from 'node:crypto';
import { encodeName } from '@vantage/shared/record-values/domain-name.js';
import { recordTypeCode } from '@vantage/shared/record-values/record-types.js';
import { ProbeFailure } from '../../probes/failure.js';
import {
  type DnsMessage,
  type DnsQuestion,
  decodeMessage,
  flagBits,
  HEADER_BYTES,
  messageId,
  OPT,
  optionCodes,
} from './message.js';
import { isSameName } from './name.js';
import { MalformedMessage } from './wire-reader.js';

/** Largest datagram that comes through almost everywhere unfragmented (DNS flag day 2020). */
const UDP_BYTES = 1232;
/** Octets of a client cookie (RFC 7873 section 4). */
const COOKIE_BYTES = 8;

/** Options of a query in addition to its question. */
export interface QueryOptions {
  /** True if the server should recurse (RD). */
  readonly isRecursive: boolean;
  /** EDNS options; null for no OPT record. */
  readonly edns: QueryEdns | null;
  /** True if a resolver should respond without validation (CD); absent: false. */
  readonly isUnchecked?: boolean | undefined;
}

export interface QueryEdns {
  /** DO: send signatures along (RFC 3225). */
  readonly wantsSignatures: boolean;
  /** Ask for the server's identity (RFC 5001). */
  readonly wantsNsid: boolean;
  /** A cookie that the server gave us to show again, our own eight bytes first (RFC 7873); null if there is none yet. */
  readonly cookie: Buffer | null;
}

/** A query ready to be sent under any id, and what its answer has to repeat. */
export interface Query {
  readonly question: DnsQuestion;
  /** The question as it was given, and as it is sent: its letters in random case (draft-vixie-dnsext-dns0x20). */
  readonly plainQuestion: Buffer;
  readonly sentQuestion: Buffer;
  /** Eight bytes that are unknown off the path; null without EDNS. */
  readonly clientCookie: Buffer | null;
  /** The query with id 0; at most 350 bytes. */
  readonly bytes: Buffer;
}

/**
 * A fresh query. It sets AD, without which a resolver need not report validation (RFC 6840 section 5.7).
 * @throws ProbeFailure dns_error for a malformed name: the target of an alias may be any bytes
 */
export function makeQuery(question: DnsQuestion, { isRecursive, edns, isUnchecked }: QueryOptions): Query {
  const plainQuestion = encodeQuestion(question);
  const sentQuestion = randomiseCase(plainQuestion);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE((isRecursive ? flagBits.rd : 0) | (isUnchecked ? flagBits.cd : 0) | flagBits.ad, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(edns === null ? 0 : 1, 10);
  const cookie = edns?.cookie ?? randomBytes(COOKIE_BYTES);
  const clientCookie = edns === null ? null : cookie.subarray(0, COOKIE_BYTES);
  const opt = edns === null ? Buffer.alloc(0) : encodeOpt(edns, cookie);
  const bytes = Buffer.concat([header, sentQuestion, opt]);
  return { question, plainQuestion, sentQuestion, clientCookie, bytes };
}

export function queryBytes(query: Query, id: number): Buffer {
  const bytes = Buffer.from(query.bytes);
  bytes.writeUInt16BE(id);
  return bytes;
}

/** Relation of a message to the query; `folded` is a reply to the same question in another letter case. */
export type Judgement =
  | { readonly kind: 'answer' | 'folded'; readonly message: DnsMessage }
  /** Another query's reply, or a forgery. */
  | { readonly kind: 'foreign' };

/**
 * Judges whether `bytes` are the reply to the query that was sent under `id`.
 * @throws ProbeFailure dns_error for a message that carries the id but cannot be decoded
 */
export function judgeReply(bytes: Buffer, query: Query, id: number): Judgement {
  if (messageId(bytes) !== id) return { kind: 'foreign' };
  const isExact = bytes.subarray(HEADER_BYTES, HEADER_BYTES + query.sentQuestion.length).equals(query.sentQuestion);
  const message = decodeReply(isExact ? withPlainQuestion(bytes, query) : bytes);
  if (!message.flags.has('qr') || message.opcode !== 0 || !repeatsCookie(message, query)) return { kind: 'foreign' };
  const [asked, ...more] = message.questions;
  if (asked === undefined) return isBareRefusal(message) ? { kind: 'answer', message } : { kind: 'foreign' };
  const { name, type } = query.question;
  const isSame = more.length === 0 && asked.type === type && asked.class === 'IN' && isSameName(asked.name, name);
  if (!isSame) return { kind: 'foreign' };
  return { kind: isExact ? 'answer' : 'folded', message };
}

/** A cookie that has a server's part, of a length it may have (RFC 7873 section 4.2); null otherwise. */
export function fullCookieOf({ edns }: DnsMessage): Buffer | null {
  const cookie = edns?.cookie ?? null;
  return cookie !== null && cookie.length >= 16 && cookie.length <= 40 ? cookie : null;
}

/** Servers that did not even parse the query may leave the question out; such an answer has no records to believe. */
function isBareRefusal({ rcode, answers }: DnsMessage): boolean {
  return rcode !== 'NOERROR' && rcode !== 'NXDOMAIN' && answers.length === 0;
}

/** A server that knows no cookies sends none; one that sends another's did not answer us. */
function repeatsCookie({ edns }: DnsMessage, { clientCookie }: Query): boolean {
  const cookie = edns?.cookie ?? null;
  return cookie === null || clientCookie === null || cookie.subarray(0, COOKIE_BYTES).equals(clientCookie);
}

function decodeReply(bytes: Buffer): DnsMessage {
  try {
    return decodeMessage(bytes);
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    throw new ProbeFailure('dns_error', `malformed DNS response of ${bytes.length} bytes: ${error.message}`, {
      cause: error,
    });
  }
}

/** Names of the answer point into the question: people shall not see the case that was only ours. */
function withPlainQuestion(bytes: Buffer, { plainQuestion }: Query): Buffer {
  const copy = Buffer.from(bytes);
  plainQuestion.copy(copy, HEADER_BYTES);
  return copy;
}

function encodeQuestion({ name, type }: DnsQuestion): Buffer {
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(recordTypeCode(type), 0);
  tail.writeUInt16BE(1, 2);
  try {
    return Buffer.concat([encodeName(name), tail]);
  } catch (cause) {
    throw new ProbeFailure('dns_error', 'the name is longer than DNS allows', { cause });
  }
}

/** All but type and class, which are the last four bytes. Octets of length are below every letter. */
function randomiseCase(question: Buffer): Buffer {
  const coins = randomBytes(question.length);
  const isFlipped = (byte: number, i: number) =>
    i < question.length - 4 && isLetter(byte) && ((coins[i] ?? 0) & 1) === 1;
  return Buffer.from(question.map((byte, i) => (isFlipped(byte, i) ? byte ^ 0x20 : byte)));
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function encodeOpt({ wantsSignatures, wantsNsid }: QueryEdns, cookie: Buffer): Buffer {
  const options = Buffer.concat([
    ...(wantsNsid ? [encodeOption(optionCodes.nsid, Buffer.alloc(0))] : []),
    encodeOption(optionCodes.cookie, cookie),
  ]);
  // root name, type, payload size, extended rcode and version 0, flags, length
  const fixed = Buffer.alloc(11);
  fixed.writeUInt16BE(OPT, 1);
  fixed.writeUInt16BE(UDP_BYTES, 3);
  fixed.writeUInt16BE(wantsSignatures ? 0x8000 : 0, 7);
  fixed.writeUInt16BE(options.length, 9);
  return Buffer.concat([fixed, options]);
}

function encodeOption(code: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(code, 0);
  head.writeUInt16BE(data.length, 2);
  return Buffer.concat([head, data]);
}
