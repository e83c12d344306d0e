import stringWidth from 'string-width';

const ASCII = /^[ -~]*$/;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const END = '…';

/** Columns that a text takes on a terminal: two for East Asian wide characters and emoji, none for colours. */
export function textWidth(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** Text with spaces after it, up to a width. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Text with spaces before it, up to a width. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

/** Text without colours, cut to a width with an ellipsis at its end; a text that fits stays as it is. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return '';
  let cut = '';
  let room = width - textWidth(END);
  for (const { segment } of graphemes.segment(text)) {
    room -= textWidth(segment);
    if (room < 0) break;
    cut += segment;
  }
  return cut + END;
}
