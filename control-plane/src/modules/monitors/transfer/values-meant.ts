// Others compare what they find as texts, here JSON is compared with JSON.

/** The text itself, and the number or word of JSON that is written like it. */
export function valuesMeant(text: string): unknown[] {
  const word = { true: true, false: false, null: null }[text];
  if (word !== undefined) return [text, word];
  const isNumber = /^-?(0|[1-9]\d{0,14})(\.\d{1,14})?$/.test(text);
  return isNumber ? [text, Number(text)] : [text];
}
