// Other services compare values as texts; this service compares JSON with JSON.

/** Values that a text may stand for: the text itself, and the number or literal of JSON that is written like it. */
export function valuesMeant(text: string): unknown[] {
  const word = { true: true, false: false, null: null }[text];
  if (word !== undefined) return [text, word];
  const isNumber = /^-?(0|[1-9]\d{0,14})(\.\d{1,14})?$/.test(text);
  return isNumber ? [text, Number(text)] : [text];
}
