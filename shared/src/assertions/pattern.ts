import { RE2JS, RE2JSException } from 're2js';
import { MAX_VALUE_LENGTH } from './schema.js';

/**
 * Instructions that a pattern may compile to, and all patterns of a monitor together. A text of 64 KiB that its server
 * chose to be the worst takes 0.5 s with so many, one that is not hostile less than a millisecond (CPU, measured 2026-11).
 */
export const MAX_PATTERN_SIZE = 200;

/** Weight of a Unicode class (`\\pL`): it takes as long to compile as so many other instructions, and more. */
const CLASS_SIZE = 5;

/** A text that is no pattern, or one that costs too much. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** Patterns that are kept compiled: those of a monitor are looked at several times over. */
const MOST_KEPT = 32;
const kept = new Map<string, Pattern | PatternError>();

/** A pattern that is looked for in time linear in the text. */
export interface Pattern {
  /** Instructions. */
  readonly size: number;
  /** True if the pattern matches anywhere in the text. */
  isIn(text: string): boolean;
}

/**
 * Compiles a pattern in the syntax of RE2: no lookaround, no references.
 * @throws PatternError
 */
export function compilePattern(text: string): Pattern {
  const compiled = kept.get(text) ?? compiledOrError(text);
  if (!kept.has(text) && kept.size >= MOST_KEPT) kept.clear();
  kept.set(text, compiled);
  if (compiled instanceof PatternError) throw compiled;
  return compiled;
}

/** Counts what a pattern costs to compile, in instructions, whether it may be used or not. */
export function costOfPattern(text: string): number {
  try {
    return compilePattern(text).size;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return MAX_PATTERN_SIZE / 4;
  }
}

function compiledOrError(text: string): Pattern | PatternError {
  try {
    return compileWithin(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error;
  }
}

function compileWithin(text: string): Pattern {
  if (text.length > MAX_VALUE_LENGTH) throw new PatternError(`has more than ${MAX_VALUE_LENGTH} characters`);
  // 36 repetitions of a thousand fit into it, and compile to 60 000 instructions before they can be counted
  if (repetitionsIn(text) > MAX_PATTERN_SIZE) throw new PatternError(`repeats more than ${MAX_PATTERN_SIZE} times`);
  const classes = text.match(/\\[pP]/g)?.length ?? 0;
  if (classes * CLASS_SIZE > MAX_PATTERN_SIZE)
    throw new PatternError(`has more than ${MAX_PATTERN_SIZE / CLASS_SIZE} Unicode classes`);
  const compiled = compile(text);
  const size = compiled.programSize() + classes * (CLASS_SIZE - 1);
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
