import { parseAddress } from '@vantage/shared/target-policy/address.js';

// A MaxMind DB file (https://maxmind.github.io/MaxMind-DB/, version 2.0):
//
//   search tree      nodes of two records: a node, `node count` for nothing, or more for data
//   16 zero bytes
//   data section     fields, each one a control byte (type and size) and its payload; pointers to earlier fields
//   \xab\xcd\xefMaxMind.com
//   metadata         one map

/** Types of numbers by their code in the format. */
const numberTypes = { double: 3, uint16: 5, uint32: 6, int32: 8, uint64: 9, uint128: 10, float: 15 } as const;

/** A number of a type of the format. */
export class MmdbNumber {
  constructor(
    readonly type: keyof typeof numberTypes,
    readonly value: number,
  ) {}
}

/** Bytes of the data section as they are, for what no writer writes. */
export class MmdbRaw {
  constructor(readonly bytes: Buffer) {}
}

/** A value of the format; a plain number is a double. */
export type MmdbValue =
  | string
  | boolean
  | number
  | Buffer
  | MmdbNumber
  | MmdbRaw
  | readonly MmdbValue[]
  | { readonly [name: string]: MmdbValue };

/** Content of a file. */
export interface MmdbContent {
  readonly type: string;
  readonly ipVersion?: 4 | 6;
  readonly recordSize?: 24 | 28 | 32;
  readonly builtSec?: number;
  /** Members of the metadata, before all others and instead of them. */
  readonly metadata?: Readonly<Record<string, MmdbValue>>;
  /** Records by network: `81.2.69.0/24`. In a tree of IPv6, IPv4 networks are below ::/96. */
  readonly records: Readonly<Record<string, MmdbValue>>;
}

export const uint16 = (value: number) => new MmdbNumber('uint16', value);
export const uint32 = (value: number) => new MmdbNumber('uint32', value);
export const float = (value: number) => new MmdbNumber('float', value);

/** The value as a reader in JavaScript has it. */
export function plainValue(value: MmdbValue): unknown {
  if (value instanceof MmdbNumber) return value.type === 'float' ? Math.fround(value.value) : value.value;
  if (Buffer.isBuffer(value) || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plainValue);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainValue(member)]));
}

/** Bytes of a file with this content. */
export function encodeMmdb({
  type,
  ipVersion = 6,
  recordSize = 28,
  builtSec = 1_790_000_000,
  metadata: first = {},
  records,
}: MmdbContent): Buffer {
  const data = new DataSection();
  const tree = new SearchTree(ipVersion);
  for (const [network, record] of Object.entries(records)) tree.insert(network, data.add(record));
  const metadata = new DataSection();
  metadata.add({
    ...first,
    node_count: uint32(tree.nodeCount),
    record_size: uint16(recordSize),
    ip_version: uint16(ipVersion),
    database_type: type,
    languages: ['en'],
    binary_format_major_version: uint16(2),
    binary_format_minor_version: uint16(0),
    build_epoch: new MmdbNumber('uint64', builtSec),
    description: { en: 'for tests' },
    ...first,
  });
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree.encode(recordSize), Buffer.alloc(16), data.bytes, marker, metadata.bytes]);
}

/** A record of a node: another node, or an offset in the data section. */
type TreeRecord = TreeNode | number | null;
type TreeNode = [TreeRecord, TreeRecord];

class SearchTree {
  readonly #nodes: TreeNode[] = [[null, null]];

  constructor(private readonly ipVersion: 4 | 6) {}

  get nodeCount(): number {
    return this.#nodes.length;
  }

  insert(network: string, offset: number): void {
    const [text = '', length = ''] = network.split('/');
    const address = parseAddress(text);
    if (address === null) throw new RangeError(`"${text}" is not an address`);
    const width = this.ipVersion === 6 ? 128 : 32;
    const depth = Number(length) + (this.ipVersion === 6 && address.family === 4 ? 96 : 0);
    let [node] = this.#nodes as [TreeNode];
    for (let level = 0; level < depth; level += 1) {
      const bit = Number((address.value >> BigInt(width - 1 - level)) & 1n) as 0 | 1;
      if (level === depth - 1) node[bit] = offset;
      else node = this.#childOf(node, bit);
    }
  }

  encode(recordSize: 24 | 28 | 32): Buffer {
    const numbers = new Map(this.#nodes.map((node, number) => [node, number]));
    const pointerOf = (record: TreeRecord): number => {
      if (record === null) return this.nodeCount;
      return typeof record === 'number' ? this.nodeCount + 16 + record : (numbers.get(record) ?? 0);
    };
    return Buffer.concat(this.#nodes.map(([left, right]) => encodeNode(recordSize, pointerOf(left), pointerOf(right))));
  }

  #childOf(node: TreeNode, bit: 0 | 1): TreeNode {
    const child = node[bit];
    if (Array.isArray(child)) return child;
    // a narrower network inside of a wider one: the rest keeps the record of the wider one
    const made: TreeNode = [child, child];
    node[bit] = made;
    this.#nodes.push(made);
    return made;
  }
}

function encodeNode(recordSize: 24 | 28 | 32, left: number, right: number): Buffer {
  const node = Buffer.alloc(recordSize / 4);
  if (recordSize === 28) {
    node.writeUIntBE(left & 0xff_ffff, 0, 3);
    // the upper four bits of both share a byte
    node.writeUInt8(((left >>> 24) << 4) | (right >>> 24), 3);
    node.writeUIntBE(right & 0xff_ffff, 4, 3);
    return node;
  }
  node.writeUIntBE(left, 0, recordSize / 8);
  node.writeUIntBE(right, recordSize / 8, recordSize / 8);
  return node;
}

/** Fields one after another; texts that occur again are pointers, as vendors write them. */
class DataSection {
  readonly #parts: Buffer[] = [];
  readonly #texts = new Map<string, number>();
  #length = 0;

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /** Returns the offset of the value. */
  add(value: MmdbValue): number {
    const offset = this.#length;
    if (typeof value === 'string') this.#addText(value);
    else if (typeof value === 'boolean') this.#push(controlBytes(14, value ? 1 : 0));
    else if (typeof value === 'number') this.#addNumber(new MmdbNumber('double', value));
    else if (value instanceof MmdbNumber) this.#addNumber(value);
    else if (value instanceof MmdbRaw) this.#push(value.bytes);
    else if (Buffer.isBuffer(value)) this.#push(controlBytes(4, value.length), value);
    else if (Array.isArray(value)) {
      this.#push(controlBytes(11, value.length));
      for (const member of value as readonly MmdbValue[]) this.add(member);
    } else {
      const members = Object.entries(value as { readonly [name: string]: MmdbValue });
      this.#push(controlBytes(7, members.length));
      for (const [name, member] of members) {
        this.#addText(name);
        this.add(member);
      }
    }
    return offset;
  }

  #addText(text: string): void {
    const known = this.#texts.get(text);
    if (known !== undefined) return this.#push(pointerBytes(known));
    this.#texts.set(text, this.#length);
    const bytes = Buffer.from(text);
    this.#push(controlBytes(2, bytes.length), bytes);
  }

  #addNumber({ type, value }: MmdbNumber): void {
    const bytes = numberBytes(type, value);
    this.#push(controlBytes(numberTypes[type], bytes.length), bytes);
  }

  #push(...parts: readonly Buffer[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#length += part.length;
    }
  }
}

/** Type in the upper three bits, 0 for one of the second byte; size in the lower five, 29 and 30 for one that follows. */
function controlBytes(type: number, size: number): Buffer {
  const sizes = size < 29 ? [size] : size < 285 ? [29, size - 29] : [30, (size - 285) >> 8, (size - 285) & 0xff];
  const [low = 0, ...more] = sizes;
  return Buffer.from(type > 7 ? [low, type - 7, ...more] : [(type << 5) | low, ...more]);
}

/** 001SSVVV: eleven bits of an offset, or nineteen for one above 2047. */
function pointerBytes(offset: number): Buffer {
  if (offset < 2048) return Buffer.from([0x20 | (offset >> 8), offset & 0xff]);
  const value = offset - 2048;
  return Buffer.from([0x28 | (value >> 16), (value >> 8) & 0xff, value & 0xff]);
}

/** Whole numbers without their leading zero bytes. */
function numberBytes(type: keyof typeof numberTypes, value: number): Buffer {
  if (type === 'double' || type === 'float') {
    const bytes = Buffer.alloc(type === 'double' ? 8 : 4);
    if (type === 'double') bytes.writeDoubleBE(value);
    else bytes.writeFloatBE(value);
    return bytes;
  }
  const digits = BigInt.asUintN(type === 'int32' ? 32 : 64, BigInt(value)).toString(16);
  return value === 0 ? Buffer.alloc(0) : Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
}
