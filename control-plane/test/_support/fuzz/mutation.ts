import fc from 'fast-check';
import type { Part } from './operations.js';

/** One change to a JSON value; most changes make the schema refuse it. */
export interface Mutation {
  /** Selects one of the places in the value. */
  readonly at: number;
  readonly how: (typeof ways)[number];
  /** Selects one of the values for that kind of change. */
  readonly which: number;
}

const ways = ['other type', 'missing', 'extra', 'number', 'length', 'null', 'text', 'deep'] as const;

/** Bounds found in a schema. */
export interface Bounds {
  readonly numbers: readonly number[];
  readonly lengths: readonly number[];
}

export const mutationArbitrary: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 30 }),
  how: fc.constantFrom(...ways),
  which: fc.nat({ max: 30 }),
});

/** Edge values of every bound in a schema, and one beyond each. */
export function boundsOf(schema: Part): Bounds {
  const text = JSON.stringify(schema);
  const edges = (keywords: string) =>
    [...text.matchAll(new RegExp(`"(?:${keywords})":(-?\\d+)`, 'g'))].flatMap(([, bound]) => [
      Number(bound) - 1,
      Number(bound),
      Number(bound) + 1,
    ]);
  return {
    numbers: [...edges('minimum|maximum'), -1, 0, 0.5, 2 ** 53, 1e308],
    lengths: [...edges('minLength|maxLength|minItems|maxItems'), 0, 300].filter((length) => length >= 0),
  };
}

/** Texts that often break programs. */
const texts = [
  '',
  ' ',
  'null',
  '\u0000',
  '\ud800',
  '\u202eabc',
  '../../etc/passwd',
  "' or 1=1 --",
  '%00',
  '{{7*7}}',
  '𝕌𝕟𝕚\u0301',
  '<script>',
];

/** Returns the value with one change; the original is not modified. */
export function mutate(value: unknown, { at, how, which }: Mutation, bounds: Bounds): unknown {
  const places = placesOf(value);
  return changeAt(value, places[at % places.length] ?? [], (found) => changed(found, how, which, bounds));
}

const ABSENT = Symbol('absent');

function changed(found: unknown, how: Mutation['how'], which: number, { numbers, lengths }: Bounds): unknown {
  const pick = <T>(list: readonly T[]): T | undefined => list[which % list.length];
  switch (how) {
    case 'other type':
      return pick([7, 'text', true, [], {}, [[]], { a: 1 }].filter((other) => typeof other !== typeof found));
    case 'missing':
      return ABSENT;
    case 'extra':
      return typeof found === 'object' && found !== null
        ? { ...found, [pick(['extra', '__proto', 'constructor']) ?? '']: 1 }
        : {};
    case 'number':
      return pick(numbers);
    case 'length':
      return Array.isArray(found) ? Array(pick(lengths)).fill(found[0] ?? 'x') : 'x'.repeat(pick(lengths) ?? 0);
    case 'null':
      return null;
    case 'text':
      return pick(texts);
    case 'deep':
      return JSON.parse('['.repeat(40) + ']'.repeat(40));
  }
}

/** Paths to everything in a value, itself first. */
function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => placesOf(child, [...path, key]))];
}

function changeAt(value: unknown, [step, ...rest]: readonly string[], change: (found: unknown) => unknown): unknown {
  if (step === undefined) {
    const result = change(value);
    return result === ABSENT ? {} : result;
  }
  const entries = Object.entries(value as object).flatMap(([key, child]) => {
    if (key !== step) return [[key, child]];
    const result = rest.length === 0 ? change(child) : changeAt(child, rest, change);
    return result === ABSENT ? [] : [[key, result]];
  });
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}
