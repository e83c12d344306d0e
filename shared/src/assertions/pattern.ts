import { RE2JS, RE2JSException } from 're2js';
import { MAX_VALUE_LENGTH } from './schema.js';

/**
 * Instructions that a pattern may compile to, and all patterns of a monitor together. A text of 64 KiB that its server
 * chose to be the worst takes 0.5 s with so many, one that is not hostile less than a millisecond (CPU, measured 2026-11).
 */
export const MAX_PATTERN_SIZE = 200;

/** A text that is no pattern, or one that costs too much. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** A pattern that is looked for in time linear in the text. */
export interface Pattern {
  /** Instructions. */
  readonly size: number;
  /** Whether it is anywhere in the text. */
  isIn(text: string): boolean;
}

/**
 * Compiles a pattern in the syntax of RE2: no lookaround, no references.
 * @throws PatternError
 */
export function compilePattern(text: string): Pattern {
  if (text.length > MAX_VALUE_LENGTH) throw new PatternError(`has more than ${MAX_VALUE_LENGTH} characters`);
  // 36 repetitions of a thousand fit into it, and compile to 60 000 instructions before anybody can count them
  if (repetitionsIn(text) > MAX_PATTERN_SIZE) throw new PatternError(`repeats more than ${MAX_PATTERN_SIZE} times`);
  const compiled = compile(text);
  const size = compiled.programSize();
  if (size > MAX_PATTERN_SIZE) {
    throw new PatternError(`is too large: it compiles to ${size} instructions, ${MAX_PATTERN_SIZE} are allowed`);
  }
  return { size, isIn: (searched) => compiled.test(searched) };
}

function repetitionsIn(text: string): number {
  return [...text.matchAll(/\{(\d+)(?:,(\d*))?\}/g)]
    .map(([, least, most]) => Number(most || least))
    .reduce((sum, count) => sum + count, 0);
}

function compile(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    throw new PatternError(`is not a pattern of RE2: ${reason}`, { cause: error });
  }
}
