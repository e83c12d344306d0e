import { type Paint, paintFor } from './colours.js';

/** Place where texts for people are shown. */
export interface Screen {
  /** Columns of a line; Infinity: lines are as long as their text. */
  readonly width: number;
  readonly paint: Paint;
}

/**
 * Screen of an output: the width of its terminal, else that of `COLUMNS`; a pipe and a file have none, so that they get
 * every column and whole lines.
 */
export function screenOf(
  output: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): Screen {
  const stated = Number(env['COLUMNS']);
  const usual = Number.isInteger(stated) && stated > 0 ? stated : Number.POSITIVE_INFINITY;
  return { width: output.columns || usual, paint: paintFor(output, env) };
}
