import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { withSourcePlaces } from './source-places.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = 'scripts/test/source-places.test.ts';
const compiled = 'scripts/dist/test/source-places.test.js';

/** Line, from 1, of the first that contains `text`. */
function lineOf(file: string, text: string): number {
  return (
    readFileSync(`${root}/${file}`, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

function mark(): string {
  return new Error('here').stack ?? '';
}

t.test('a place in a compiled file is shown as that of its source, with a column and without', async (t) => {
  const at = lineOf(source, "new Error('here')");
  const compiledAt = lineOf(compiled, "new Error('here')");
  t.ok(at > 0 && compiledAt > 0 && at !== compiledAt, 'the two differ, or this test could not fail');
  t.match(withSourcePlaces(mark(), root), `${source}:${at}:10`);
  t.equal(withSourcePlaces(`at ${compiled}:${compiledAt}`, root), `at ${source}:${at}`);
  t.equal(withSourcePlaces(`(file://${root}/${compiled}:${compiledAt}:12)`, root), `(${source}:${at}:10)`);
});

t.test('what has no source map, or no such line, stays as it is', async (t) => {
  for (const text of [
    'nothing of the kind',
    'node:internal/process:1:2',
    'node_modules/none/dist/esm/index.js:1:2',
    `${compiled}.map:1:2`,
  ]) {
    t.equal(withSourcePlaces(text, root), text);
  }
});
