import { textWidth } from './text-width.js';

/** Bytes in hexadecimal: not a word, may be broken between bytes. */
const BYTES = /^(?:[0-9a-f]{2}:){15,}[0-9a-f]{2}$/i;
/** Punctuation that starts no line in Chinese and Japanese text. */
const CLOSING = /^[、。，．：；？！）」』】》〉’”…ー々]/u;
/** Punctuation that ends no line. */
const OPENING = /[（「『【《〈‘“]$/u;
/** Space between words; the one between a figure and its unit is none. */
const SPACE = / (?!(?:ms|s|min|h|d|%|[kMG]?i?B|bytes|[MG]bit\/s)(?![\p{L}\d]))|(?<!\d) /u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

interface Piece {
  readonly text: string;
  /** Text before the piece in the same line: a space between words, nothing between ideographs. */
  readonly gap: '' | ' ';
}

/**
 * Lines of at most `width` columns: broken between words, and between East Asian wide characters, which need no space. A
 * longer word, such as a URL, stays whole.
 */
export function wrapText(text: string, width: number): string[] {
  if (textWidth(text) <= width) return [text];
  const lines: string[] = [];
  for (const { text: piece, gap } of piecesOf(text, width)) {
    const line = lines.at(-1);
    if (line === undefined || textWidth(line) + gap.length + textWidth(piece) > width) lines.push(piece);
    else lines[lines.length - 1] = `${line}${gap}${piece}`;
  }
  return lines;
}

function piecesOf(text: string, width: number): Piece[] {
  return text
    .split(SPACE)
    .flatMap((word) => breakable(word, width).map((piece, i) => ({ text: piece, gap: i === 0 ? ' ' : '' })));
}

function breakable(word: string, width: number): string[] {
  if (textWidth(word) > width && BYTES.test(word)) return word.split(/(?<=:)/);
  if (textWidth(word) === word.length) return [word];
  const pieces: string[] = [];
  let previous = '';
  for (const { segment } of graphemes.segment(word)) {
    const isBreak = (isWide(segment) || isWide(previous)) && !CLOSING.test(segment) && !OPENING.test(previous);
    if (pieces.length === 0 || isBreak) pieces.push(segment);
    else pieces[pieces.length - 1] += segment;
    previous = segment;
  }
  return pieces;
}

function isWide(segment: string): boolean {
  return segment !== '' && textWidth(segment) > 1;
}

/** Lines of an indented or aligned line: what is too long goes on below the last column that begins in its first half. */
export function wrapLine(line: string, width: number): string[] {
  if (textWidth(line) <= width) return [line];
  const starts = [...line.matchAll(/(?:^ *| {2,})(?=\S)/g)].map(({ 0: gap, index }) => index + gap.length);
  const start = starts.findLast((column) => textWidth(line.slice(0, column)) <= width / 2) ?? 0;
  const head = line.slice(0, start);
  const margin = ' '.repeat(textWidth(head));
  return wrapText(line.slice(start), width - margin.length).map((part, i) =>
    `${i === 0 ? head : margin}${part}`.trimEnd(),
  );
}
