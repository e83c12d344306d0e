import { readdirSync, readFileSync } from 'node:fs';
import { compareGolden } from '@vantage/shared/_support/golden.js';
import t from 'tap';
import type { TaskView } from '../modules/probes/index.js';
import { taskText } from './result-text.js';

// results that agents measured, and next to each the text of it

const folder = new URL('../../../test/testdata/terminal/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -5));

for (const name of names) {
  const task: TaskView = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

  t.test(`the result "${name}" looks as recorded at each width, with and without colour`, async (t) => {
    compareGolden(t, new URL(`${name}.txt`, folder), (screen) => taskText(task, screen));
  });
}
