import { recordClassName, recordTypeName } from '@vantage/shared/record-values/record-types.js';
import { type ExtendedError, responseCodeName } from './response-codes.js';
import { MalformedMessage, WireReader } from './wire-reader.js';

//  0               2               4               6               8              10              12
//  | id            | flags         | questions     | answers       | authority     | additional    | …  (RFC 1035 4.1)

/** Length of the header of a message, in bytes. */
export const HEADER_BYTES = 12;

/** Bit of each flag in the second word. */
export const flagBits = { qr: 0x8000, aa: 0x0400, tc: 0x0200, rd: 0x0100, ra: 0x0080, ad: 0x0020, cd: 0x0010 } as const;
/** Type of the record that is none: it carries EDNS (RFC 6891 section 6.1.1). */
export const OPT = 41;
/** Options of EDNS. */
export const optionCodes = { nsid: 3, cookie: 10, extendedError: 15 } as const;

export type DnsFlag = keyof typeof flagBits;

export interface DnsQuestion {
  /** Text without the final dot, `.` for the root. */
  readonly name: string;
  /** A mnemonic, or TYPE and a number. */
  readonly type: string;
}

/** One record; its data are bytes of the message, in which names may point back. */
export interface DnsRecord {
  readonly name: string;
  readonly type: string;
  readonly class: string;
  /** Seconds; a negative one counts as 0 (RFC 2181 section 8). */
  readonly ttl: number;
  /** A fresh reader over the data, which it cannot leave but to follow pointers of names. */
  data(): WireReader;
}

/** Contents of the OPT record (RFC 6891), each option as far as it is known here. */
export interface Edns {
  readonly version: number;
  /** Largest datagram the server takes. */
  readonly udpBytes: number;
  /** RFC 5001; null when there is none. */
  readonly nsid: Buffer | null;
  /** RFC 7873: the client's eight bytes, then the server's 8 to 32; null when there is none. */
  readonly cookie: Buffer | null;
}

export interface DnsMessage {
  readonly id: number;
  readonly opcode: number;
  readonly flags: ReadonlySet<DnsFlag>;
  /** Extended by EDNS. */
  readonly rcode: string;
  readonly questions: readonly (DnsQuestion & { readonly class: string })[];
  readonly answers: readonly DnsRecord[];
  readonly authorities: readonly DnsRecord[];
  /** Additional records without OPT. */
  readonly additionals: readonly DnsRecord[];
  readonly edns: Edns | null;
  readonly extendedErrors: readonly ExtendedError[];
}

/** The id of a message; null when there is not even a header. */
export function messageId(bytes: Buffer): number | null {
  return bytes.length < HEADER_BYTES ? null : bytes.readUInt16BE(0);
}

/**
 * Reads a message. Of one that says it is cut (TC) only the records that are whole count: the rest may end anywhere.
 * @throws MalformedMessage
 */
export function decodeMessage(bytes: Buffer): DnsMessage {
  const reader = new WireReader(bytes);
  const id = reader.u16();
  const bits = reader.u16();
  const counts = [reader.u16(), reader.u16(), reader.u16(), reader.u16()];
  const flags = flagsOf(bits);
  const questions = readMany(counts[0] ?? 0, () => readQuestion(reader));
  const [answers = [], authorities = [], rest = []] = readSections(reader, counts.slice(1), flags.has('tc'));
  const opt = rest.find(isOpt);
  const options = opt === undefined ? [] : readOptions(opt);
  const upperRcode = opt === undefined ? 0 : opt.ttlBits >>> 24;
  return {
    id,
    opcode: (bits >>> 11) & 15,
    flags,
    rcode: responseCodeName((upperRcode << 4) | (bits & 15)),
    questions,
    answers: answers.filter((record) => !isOpt(record)),
    authorities: authorities.filter((record) => !isOpt(record)),
    additionals: rest.filter((record) => !isOpt(record)),
    edns: opt === undefined ? null : ednsOf(opt, options),
    extendedErrors: options.filter(({ code }) => code === optionCodes.extendedError).flatMap(readExtendedError),
  };
}

interface WireRecord extends DnsRecord {
  readonly typeCode: number;
  readonly classCode: number;
  readonly ttlBits: number;
}

interface EdnsOption {
  readonly code: number;
  readonly data: Buffer;
}

function flagsOf(bits: number): ReadonlySet<DnsFlag> {
  return new Set((Object.keys(flagBits) as DnsFlag[]).filter((name) => (bits & flagBits[name]) !== 0));
}

function readMany<T>(count: number, read: () => T): T[] {
  const items: T[] = [];
  // the counts of the header are bounded by the length of the message: each item takes some bytes, or reading throws
  while (items.length < count) items.push(read());
  return items;
}

function readQuestion(reader: WireReader): DnsQuestion & { readonly class: string } {
  return { name: reader.domainName(), type: recordTypeName(reader.u16()), class: recordClassName(reader.u16()) };
}

function readSections(reader: WireReader, counts: readonly number[], mayBeCut: boolean): WireRecord[][] {
  const sections: WireRecord[][] = [];
  try {
    for (const count of counts) {
      const section: WireRecord[] = [];
      sections.push(section);
      while (section.length < count) section.push(readRecord(reader));
    }
  } catch (error) {
    if (!mayBeCut || !(error instanceof MalformedMessage)) throw error;
  }
  return sections;
}

function readRecord(reader: WireReader): WireRecord {
  const name = reader.domainName();
  const typeCode = reader.u16();
  const classCode = reader.u16();
  const ttlBits = reader.u32();
  const length = reader.u16();
  const start = reader.offset;
  reader.bytes(length);
  return {
    name,
    typeCode,
    classCode,
    ttlBits,
    type: recordTypeName(typeCode),
    class: recordClassName(classCode),
    ttl: ttlBits > 0x7fffffff ? 0 : ttlBits,
    data: () => reader.stretch(start, start + length),
  };
}

function isOpt({ typeCode }: WireRecord): boolean {
  return typeCode === OPT;
}

/** Options that are cut end the list: what stands before them is still worth having. */
function readOptions(opt: WireRecord): EdnsOption[] {
  const reader = opt.data();
  const options: EdnsOption[] = [];
  while (reader.left >= 4) {
    const code = reader.u16();
    const length = reader.u16();
    if (length > reader.left) break;
    options.push({ code, data: reader.bytes(length) });
  }
  return options;
}

function ednsOf(opt: WireRecord, options: readonly EdnsOption[]): Edns {
  const find = (wanted: number) => options.find(({ code }) => code === wanted)?.data ?? null;
  return {
    version: (opt.ttlBits >>> 16) & 0xff,
    udpBytes: opt.classCode,
    nsid: find(optionCodes.nsid),
    cookie: find(optionCodes.cookie),
  };
}

function readExtendedError({ data }: EdnsOption): ExtendedError[] {
  if (data.length < 2) return [];
  const text = data.subarray(2).toString('utf8').replace(/\0+$/, '').slice(0, 200);
  return [{ code: data.readUInt16BE(0), text: text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '·') }];
}
