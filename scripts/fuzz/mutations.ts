import { MAX_FRAME_BYTES } from '@vantage/shared/protocol/limits.js';
import type { SeededRandom } from '../seeded-random.js';
import { type Field, RAW, readFields, varint, writeFields } from './wire.js';

// Mutations of a frame: first of its fields, then of its bytes; occasionally it is not a frame at all.

/** Numbers at which something changes: of seven bits, of 2^53 and of 64 bits. */
const NUMBERS = [
  0n,
  1n,
  9n,
  99n,
  127n,
  128n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
  2n ** 69n,
];
const DOUBLES = [
  0,
  -0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  2 ** 53,
  1e300,
  5e-324,
  253402300800000,
];
const TEXTS = [
  Buffer.alloc(0),
  Buffer.from([0xff, 0xfe, 0xc0, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from('\0'),
  Buffer.from('__proto__'),
  Buffer.from('x'.repeat(20_000)),
  Buffer.from('['.repeat(20_000)),
  Buffer.from(`${'{"a":'.repeat(4_000)}1${'}'.repeat(4_000)}`),
  Buffer.from('{"__proto__":{"success":true},"constructor":1}'),
  Buffer.from('{"started_at":"9999-12-31T23:59:59.999Z","success":1e999}'),
];

/** An input: what is sent as one message. */
export interface FuzzInput {
  readonly bytes: Buffer;
  /** True if the message is sent as text. */
  readonly isText: boolean;
}

type FieldChange = (fields: Field[], at: number, random: SeededRandom) => void;

const fieldChanges: readonly FieldChange[] = [
  (fields, at) => fields.splice(at, 1),
  (fields, at, random) => fields.splice(at, 0, repeated(fields[at], 1 + random.below(4))),
  (fields, at, random) =>
    fields.splice(at, 0, repeated(fields[at], random.below(random.pick([10, 10, 10, 10, 1_000, 20_000])))),
  (fields, at, random) => fields.push(...fields.splice(at, 1 + random.below(2))),
  change((field, random) => ({ ...field, number: random.pick([0, 1, 2, 3, 7, 15, 16, 100, 2 ** 29 - 1]) })),
  change((field, random) => ({ ...field, wireType: random.below(8) })),
  change((field, random) => ({ ...field, wireType: 0, value: random.pick(NUMBERS) })),
  change((field, random) => ({ ...field, wireType: 0, value: random.pick(NUMBERS) })),
  change((field, random) => ({ ...field, wireType: 1, value: double(random.pick(DOUBLES)) })),
  change((field, random) => ({ ...field, wireType: 2, value: random.pick(TEXTS) })),
  change((field, random) => ({ ...field, wireType: 2, value: random.bytes(random.below(80)) })),
  change((field) => ({ ...field, wireType: 2, value: [{ ...field, value: copy(field.value) }] })),
  (fields, at, random) =>
    fields.splice(at, 0, { number: 1 + random.below(40), wireType: 2, value: random.bytes(random.below(20)) }),
  (fields, at, random) => fields.splice(at, 0, groups(1 + random.below(200))),
];

type ByteChange = (bytes: Buffer, random: SeededRandom, other: Buffer) => Buffer;

const byteChanges: readonly ByteChange[] = [
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => flipped(bytes, random),
  (bytes, random) => inserted(bytes, random.below(bytes.length + 1), random.bytes(1 + random.below(8))),
  (bytes, random) => inserted(bytes, random.below(bytes.length + 1), varint(random.pick(NUMBERS))),
  (bytes, random) => Buffer.concat([bytes, Buffer.from([0x1a]), varint(random.pick(NUMBERS))]),
  (bytes, _random, other) => Buffer.concat([bytes, other]),
  (bytes, random, other) => Buffer.concat([bytes.subarray(0, random.below(bytes.length + 1)), other]),
];

const monsters: readonly ((random: SeededRandom) => FuzzInput)[] = [
  () => binary(Buffer.alloc(0)),
  (random) => binary(random.bytes(1 + random.below(300))),
  (random) => ({ bytes: random.pick([Buffer.from('hello'), Buffer.alloc(0), Buffer.from('{}')]), isText: true }),
  (random) => binary(Buffer.alloc(1 + random.below(5_000), random.pick([0x0b, 0x7b, 0xa3]))),
];
const giants: readonly ((random: SeededRandom) => FuzzInput)[] = [
  () => binary(Buffer.alloc(MAX_FRAME_BYTES)),
  () => binary(Buffer.alloc(MAX_FRAME_BYTES + 1)),
  (random) =>
    binary(
      Buffer.alloc(
        MAX_FRAME_BYTES,
        random.pick([
          Buffer.from([0x1a, 0]),
          Buffer.from([0x2a, 0]),
          Buffer.from([0x7a, 0]),
          Buffer.from([0x7b, 0x7c]),
          Buffer.from([0x0b]),
        ]),
      ),
    ),
  (random) =>
    binary(
      inMessage(
        1 + random.below(12),
        Buffer.alloc(
          MAX_FRAME_BYTES - 16,
          random.pick([
            Buffer.from([0x0a, 0]),
            Buffer.from([0x12, 0]),
            Buffer.from([0x1a, 0]),
            Buffer.from([0x22, 0]),
            Buffer.from([0x08, 1]),
          ]),
        ),
      ),
    ),
  (random) => binary(inMessage(1 + random.below(12), Buffer.alloc(64 * 1024, random.bytes(16)))),
];

/** One in this many inputs has about a megabyte. */
const GIANT_EVERY = 1_000;

/** An input made of one of the seeds. */
export function makeInput(random: SeededRandom, seeds: readonly Buffer[]): FuzzInput {
  if (random.below(GIANT_EVERY) === 0) return random.pick(giants)(random);
  if (random.below(20) === 0) return random.pick(monsters)(random);
  const seed = random.pick(seeds);
  const fields = readFields(seed);
  let bytes = fields === null || random.below(4) === 0 ? seed : writeFields(changeFields(fields, random));
  const changes = random.below(4) === 0 ? 1 + random.below(3) : 0;
  for (let i = 0; i < changes; i += 1) bytes = random.pick(byteChanges)(bytes, random, random.pick(seeds));
  return binary(bytes.subarray(0, MAX_FRAME_BYTES));
}

function changeFields(fields: Field[], random: SeededRandom): Field[] {
  for (let i = 1 + random.below(3); i > 0; i -= 1) {
    const lists = listsOf(fields).filter(({ length }) => length > 0 && length < 1_000);
    if (lists.length === 0) return fields;
    const list = random.pick(lists);
    random.pick(fieldChanges)(list, random.below(list.length), random);
  }
  return fields;
}

/** The message and every message in it. */
function listsOf(fields: Field[]): Field[][] {
  return [fields, ...fields.flatMap(({ value }) => (Array.isArray(value) ? listsOf(value) : []))];
}

function change(make: (field: Field, random: SeededRandom) => Field): FieldChange {
  return (fields, at, random) => {
    const field = fields[at];
    if (field !== undefined) fields[at] = make(field, random);
  };
}

/** Repeats one field `count` times, as bytes, up to half the size of a frame. */
function repeated(field: Field | undefined, count: number): Field {
  const bytes = field === undefined ? Buffer.alloc(0) : writeFields([field]);
  const fitting = Math.min(count, Math.floor(MAX_FRAME_BYTES / 2 / Math.max(1, bytes.length)));
  return { number: 0, wireType: RAW, value: Buffer.alloc(fitting * bytes.length, bytes) };
}

function copy(value: Field['value']): Field['value'] {
  return Array.isArray(value) ? value.map((field) => ({ ...field, value: copy(field.value) })) : value;
}

function groups(depth: number): Field {
  const open = Buffer.alloc(depth, (15 << 3) | 3);
  return { number: 15, wireType: 3, value: Buffer.concat([open, Buffer.alloc(depth + 1, (15 << 3) | 4)]) };
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

function flipped(bytes: Buffer, random: SeededRandom): Buffer {
  const changed = Buffer.from(bytes);
  for (let i = 1 + random.below(4); i > 0 && changed.length > 0; i -= 1) {
    const at = random.below(changed.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
  }
  return changed;
}

function inserted(bytes: Buffer, at: number, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
}

function inMessage(number: number, content: Buffer): Buffer {
  return writeFields([{ number, wireType: 2, value: content }]);
}

function binary(bytes: Buffer): FuzzInput {
  return { bytes, isText: false };
}
