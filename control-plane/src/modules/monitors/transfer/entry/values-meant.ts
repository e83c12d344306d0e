import { isRounded } from '@vantage/shared/exact-number.js';

// Other services compare values as texts; this service compares JSON with JSON.

/** Values that a text may stand for: the text itself, and the number or literal of JSON that is written like it. */
export function valuesMeant(text: string): unknown[] {
  const word = { true: true, false: false, null: null }[text];
  if (word !== undefined) return [text, word];
  // as a text, a number that would be rounded stands for itself
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && !isRounded(text);
  return isNumber ? [text, Number(text)] : [text];
}
