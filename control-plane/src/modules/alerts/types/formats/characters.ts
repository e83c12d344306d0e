/** Characters that change the direction of text, and so how a line reads (Unicode Standard Annex 9). */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Characters without a shape: byte order marks and the blocks that no text needs. */
const INVISIBLE = /[\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]/gu;

/** Text without control and bidirectional characters; its lines stay. Surrogates without a partner become U+FFFD. */
export function manyLines(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/gu, '\n')
    .replace(/\t/gu, ' ')
    .replace(/(?!\n)\p{Cc}/gu, '')
    .replace(BIDI, '')
    .replace(INVISIBLE, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return manyLines(text).replace(/\s+/gu, ' ').trim();
}
