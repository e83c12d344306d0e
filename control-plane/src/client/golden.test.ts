import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { coloured, plain } from '@vantage/shared/terminal/colours.js';
import { textWidth } from '@vantage/shared/terminal/text-width.js';
import t from 'tap';
import type { TaskView } from '../modules/probes/index.js';
import { taskText } from './result-text.js';

// Results that agents measured, and beside each the text of it at three widths, then in colour at 80 columns, where ␛ is
// the escape character. UPDATE_GOLDEN=1 writes the texts: look at them before they are committed.

const folder = new URL('../../../test/testdata/terminal/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -5));
const widths = [60, 80, 120];

function goldenOf(task: TaskView): string {
  const sections = widths.map((width) => [`== ${width} columns`, taskText(task, { width, paint: plain })]);
  const inColour = taskText(task, { width: 80, paint: coloured }).replaceAll('\u001b', '␛');
  return `${[...sections, ['== 80 columns, in colour', inColour]].flat().join('\n')}\n`;
}

for (const name of names) {
  const task: TaskView = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

  t.test(`the result "${name}" looks as recorded at each width, with and without colour`, async (t) => {
    const file = new URL(`${name}.txt`, folder);
    const now = goldenOf(task);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, now);
    t.equal(now, readFileSync(file, 'utf8'));
  });

  t.test(`no line of the result "${name}" is wider than the terminal, and colours move nothing`, async (t) => {
    for (const width of widths) {
      const text = taskText(task, { width, paint: plain });
      const wide = text.split('\n').filter((line) => textWidth(line) > width && /\S {1,}\S/.test(line.trim()));
      t.strictSame(wide, [], `${width} columns`);
      const bare = taskText(task, { width, paint: coloured }).replaceAll(/\u001b\[\d+m/g, '');
      t.equal(bare.replaceAll(/ +$/gm, ''), text.replaceAll(/ +$/gm, ''), `${width} columns`);
    }
  });
}
