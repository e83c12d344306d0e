import { byteLength, longestThatFits } from '../formats/cut.js';
import type { Part } from './parse-template.js';
import type { Values } from './variables.js';

/** Greatest number of bytes of what a template yields. */
export const MAX_OUTPUT_BYTES = 16_384;

/** Values for a template. */
export interface Filling {
  readonly values: Values;
  /** IANA name, for the filter `date`. */
  readonly timezone: string;
}

/** Text of a template with its values, at most `mostBytes` of it. Time is linear in the template and in the output. */
export function fillTemplate(parts: readonly Part[], filling: Filling, mostBytes = MAX_OUTPUT_BYTES): string {
  const pieces: string[] = [];
  let left = mostBytes;
  for (const part of parts) {
    if (left <= 0) break;
    const text = part.kind === 'text' ? part.text : valueOf(part, filling);
    const bytes = byteLength(text);
    const fitting = bytes <= left ? text : longestThatFits(text.slice(0, left), (cut) => byteLength(cut) <= left);
    pieces.push(fitting);
    left = bytes <= left ? left - bytes : 0;
  }
  return pieces.join('');
}

function valueOf(part: Extract<Part, { kind: 'value' }>, { values, timezone }: Filling): string {
  // a filter may double the length: what cannot be shown is cut before the next one
  return part.filters.reduce((text, filter) => filter(text, timezone).slice(0, MAX_OUTPUT_BYTES), values[part.name]);
}
