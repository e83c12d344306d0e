import { byteLength, longestThatFits } from '../formats/cut.js';
import { quoteJson } from './filters.js';
import type { Part } from './parse-template.js';
import type { Values } from './variables.js';
import { asItIs, type WriteValue } from './written-values.js';

/** Greatest number of bytes of what a template yields. */
export const MAX_OUTPUT_BYTES = 16_384;

/** Values for a template. */
export interface Filling {
  readonly values: Values;
  /** IANA name, for the filter `date`. */
  readonly timezone: string;
  /** Rule by which values are written; default: as they are. */
  readonly write?: WriteValue;
}

/**
 * Text of a template with its values, at most `mostBytes` of it: values are cut, and the text of the template only if it is longer
 * by itself. Time is linear in the template and in the output.
 */
export function fillTemplate(parts: readonly Part[], filling: Filling, mostBytes = MAX_OUTPUT_BYTES): string {
  const bare = bareText(parts, filling.write);
  let left = mostBytes - byteLength(bare);
  if (left < 0) return longestThatFits(bare.slice(0, mostBytes), (cut) => byteLength(cut) <= mostBytes);
  const pieces = parts.map((part) => {
    if (part.kind === 'text') return part.text;
    const piece = fittingValue(part, filling, left);
    left = piece.isWhole ? left - piece.bytes : 0;
    return piece.text;
  });
  return pieces.join('');
}

/** Text of a template whose values are all empty. */
export function bareText(parts: readonly Part[], write: WriteValue = asItIs): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : write('', placeOf(part)))).join('');
}

type ValuePart = Extract<Part, { kind: 'value' }>;

/** A value as it is written, cut so that it adds at most `mostBytes` to what an empty one takes. It is cut before it is written. */
function fittingValue(part: ValuePart, filling: Filling, mostBytes: number) {
  const { write = asItIs } = filling;
  const place = placeOf(part);
  const bytesOf = (value: string) => byteLength(write(value, place)) - byteLength(write('', place));
  const value = mostBytes === 0 ? '' : valueOf(part, filling);
  const fitting = longestThatFits(value, (cut) => bytesOf(cut) <= mostBytes);
  return { text: write(fitting, place), bytes: bytesOf(fitting), isWhole: fitting === value && mostBytes > 0 };
}

function placeOf({ name, filters }: ValuePart) {
  return { name, isQuoted: filters.at(-1) === quoteJson };
}

function valueOf(part: ValuePart, { values, timezone }: Filling): string {
  const filters = placeOf(part).isQuoted ? part.filters.slice(0, -1) : part.filters;
  // a filter may double the length: what cannot be shown is cut before the next one
  return filters.reduce((text, filter) => filter(text, timezone).slice(0, MAX_OUTPUT_BYTES), values[part.name]);
}
