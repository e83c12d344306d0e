import { textWidth } from '@vantage/shared/terminal/text-width.js';

const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
const BASELINE = 13;

/** Colours of a dark terminal, by the code of the attribute that a program sends. */
const colours: Readonly<Record<number, string>> = { 31: '#ff7b72', 32: '#56d364', 33: '#e3b341' };
const [GROUND, TEXT] = ['#0d1117', '#d6dde4'];

interface Style {
  readonly isBold: boolean;
  readonly isFaint: boolean;
  readonly colour: string;
}

interface Run extends Style {
  readonly text: string;
  /** Column at which it begins. */
  readonly column: number;
}

const plain: Style = { isBold: false, isFaint: false, colour: TEXT };

/** Picture of lines on a terminal with `columns` columns, as SVG: every text stands at its column, whatever font a reader has. */
export function terminalSvg(lines: readonly string[], columns: number): string {
  const [width, height] = [columns * CELL.width + 2 * MARGIN, lines.length * CELL.height + 2 * MARGIN].map(round);
  const texts = lines.flatMap((line, row) => runsOf(line).map((run) => textOf(run, row)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="14" fill="${TEXT}" xml:space="preserve">
${texts.join('\n')}
</g>
</svg>
`;
}

/** Pieces of a line between spaces of two and more, each with its style. */
function runsOf(line: string): Run[] {
  const runs: Run[] = [];
  let [style, column] = [plain, 0];
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const [, codes] = /^\u001b\[([\d;]*)m$/.exec(part) ?? [];
    if (codes !== undefined) {
      style = codes.split(';').map(Number).reduce(withCode, style);
      continue;
    }
    for (const text of part.split(/( {2,})/)) {
      const indent = text.length - text.trimStart().length;
      if (text.trim() !== '') runs.push({ ...style, text: text.trim(), column: column + indent });
      column += textWidth(text);
    }
  }
  return runs;
}

/** Style after an attribute of ECMA-48, 8.3.117. */
function withCode(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isFaint: true };
  if (code === 22) return { ...style, isBold: false, isFaint: false };
  if (code === 39) return { ...style, colour: TEXT };
  const colour = colours[code];
  if (colour === undefined) throw new Error(`no picture of the attribute ${code} of a terminal`);
  return { ...style, colour };
}

function textOf({ text, column, isBold, isFaint, colour }: Run, row: number): string {
  const attributes = {
    x: round(MARGIN + column * CELL.width),
    y: round(MARGIN + row * CELL.height + BASELINE),
    textLength: round(textWidth(text) * CELL.width),
    ...(colour === TEXT ? {} : { fill: colour }),
    ...(isBold ? { 'font-weight': 'bold' } : {}),
    ...(isFaint ? { opacity: 0.65 } : {}),
  };
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return `<text ${written.join(' ')}>${escaped(text)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
