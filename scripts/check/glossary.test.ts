import { readFileSync } from 'node:fs';
import t from 'tap';
import { splitCells } from './named-tests.js';

const glossary = readFileSync(new URL('../../../docs/glossary.md', import.meta.url), 'utf8');

t.test('the terms of the glossary are in alphabetical order, each once, with a meaning', async (t) => {
  const [head, ...terms] = glossary.split('\n').flatMap((line) => {
    const [term, meaning] = splitCells(line) ?? [];
    return term === undefined ? [] : [{ term, meaning }];
  });
  t.strictSame(head, { term: 'Term', meaning: 'Meaning' });
  t.ok(terms.length > 100);
  const names = terms.map(({ term }) => term.replaceAll('`', '').toLowerCase());
  t.strictSame(names, [...new Set(names)].sort());
  for (const { term, meaning } of terms) t.ok(meaning, term);
});
