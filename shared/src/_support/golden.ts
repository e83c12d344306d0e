import { readFileSync, writeFileSync } from 'node:fs';
import type { Test } from 'tap';
import { coloured, plain } from '../terminal/colours.js';
import type { Screen } from '../terminal/screen.js';
import { textWidth } from '../terminal/text-width.js';

/** Widths that texts are recorded at. */
const widths = [60, 80, 120];

type Render = (screen: Screen) => string;

/**
 * Compares a text with the recorded one, at three widths and then in colour at 80 columns, where ␛ is the escape character;
 * no line with several words may be wider than its terminal, and colours may move nothing. With UPDATE_GOLDEN=1 the texts
 * are written: look at them before they are committed.
 */
export function compareGolden(t: Test, file: URL, render: Render): void {
  const now = goldenOf(render);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, now);
  t.equal(now, readFileSync(file, 'utf8'));
  for (const width of widths) {
    const text = render({ width, paint: plain });
    const wide = text.split('\n').filter((line) => textWidth(line) > width && /\S {1,}\S/.test(line.trim()));
    t.strictSame(wide, [], `${width} columns`);
    const bare = render({ width, paint: coloured }).replaceAll(/\u001b\[\d+m/g, '');
    t.equal(bare.replaceAll(/ +$/gm, ''), text.replaceAll(/ +$/gm, ''), `${width} columns, without colours`);
  }
}

function goldenOf(render: Render): string {
  const sections = widths.map((width) => [`== ${width} columns`, render({ width, paint: plain })]);
  const inColour = render({ width: 80, paint: coloured }).replaceAll('\u001b', '␛');
  return `${[...sections, ['== 80 columns, in colour', inColour]].flat().join('\n')}\n`;
}
