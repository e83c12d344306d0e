/** Greatest length of a text that only errors repeat; longer than any name. */
const SHOWN = 300;

/** Text for a report, cut to a readable length. */
export function shortened(text: string): string {
  // a cut may leave half of a surrogate pair
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1).replace(/\p{Surrogate}$/u, '')}…`;
}

/** Number of values in a plain value, including itself and the names of members, and number of their characters. */
export interface Size {
  readonly values: number;
  readonly texts: number;
}

/** Counts up to the first value beyond `most`. */
export function sizeOf(value: unknown, most: number): Size {
  let [values, texts] = [0, 0];
  const waiting = [value];
  while (waiting.length > 0 && values <= most) {
    const next = waiting.pop();
    values += 1;
    if (typeof next === 'string') texts += next.length;
    if (typeof next !== 'object' || next === null) continue;
    const names = Array.isArray(next) ? [] : Object.keys(next);
    for (const name of names) texts += name.length;
    values += names.length;
    // do not collect more members than are permitted
    if (values <= most) for (const part of Object.values(next)) waiting.push(part);
  }
  return { values: values + waiting.length, texts };
}
