const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Greatest length of a character that is kept whole: longer ones are made to exhaust readers. */
const LONGEST_CHARACTER = 64;

/** Sign in place of the rest of a text. */
export const ELLIPSIS = '…';

/** The first characters of a text, at most `units` UTF-16 code units of them; no visible character is split. */
export function firstCharacters(text: string, units: number): string {
  if (text.length <= units) return text;
  if (units <= 0) return '';
  // the neighbourhood is enough, and keeps the time independent of the length of the text
  const from = Math.max(0, units - LONGEST_CHARACTER);
  const start = codePointStart(text, from);
  const near = text.slice(start, units + LONGEST_CHARACTER);
  const inside = segmenter.segment(near).containing(units - start)?.index ?? 0;
  return text.slice(0, inside === 0 && start > 0 ? codePointStart(text, units) : start + inside);
}

/** A text of at most `units` UTF-16 code units; what was cut ends with an ellipsis. */
export function cut(text: string, units: number): string {
  if (text.length <= units) return text;
  return units < 1 ? '' : `${firstCharacters(text, units - ELLIPSIS.length)}${ELLIPSIS}`;
}

/** The longest beginning of a text for which `fits`, with an ellipsis unless it is all of it. */
export function longestThatFits(text: string, fits: (candidate: string) => boolean): string {
  if (fits(text)) return text;
  const units = greatest(text.length, (count) => fits(cut(text, count)));
  return cut(text, units);
}

/** The greatest of 0 to `most` for which `holds`, which does so up to some number and not beyond; 0 if for none. */
export function greatest(most: number, holds: (count: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Position of the code point that holds the code unit at `index`. */
function codePointStart(text: string, index: number): number {
  const isMiddle =
    index > 0 && /^[\udc00-\udfff]/.test(text.charAt(index)) && /[\ud800-\udbff]/.test(text.charAt(index - 1));
  return isMiddle ? index - 1 : index;
}
