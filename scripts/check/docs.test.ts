import t from 'tap';
import { compareBlock, fillDocBlocks, findDocBlocks } from './docs.js';

const text = [
  'a mark in a sentence, `<!-- list:no -->`, is none',
  '<!-- list:codes -->',
  '| Code | Meaning |',
  '| `a_b` | like `c` |',
  '<!-- /list -->',
  '',
  '<!-- list:empty -->',
  '<!-- /list -->',
].join('\n');

t.test('a marked list stands between marks on lines of their own', async (t) => {
  t.strictSame(findDocBlocks(text), [
    { name: 'codes', line: 2, body: '| Code | Meaning |\n| `a_b` | like `c` |' },
    { name: 'empty', line: 7, body: '' },
  ]);
});

t.test('a list that lacks, adds or repeats a value is reported; its order is free', async (t) => {
  const compare = (body: string, values: string[]) => compareBlock(body, { values });
  t.equal(compare('| `b` | like `c` |\n- `a`: more\nand `d` in a sentence', ['a', 'b']), null);
  t.equal(compare('| `a` |', ['a', 'b']), 'lacks b');
  t.equal(compare('| `a` |\n| `c` |', ['a']), 'has entries that the code does not have: c');
  t.equal(compare('| `a` |\n| `a` |', ['a']), 'repeats a');
});

t.test('a table must be the table of the code, and is written into the document', async (t) => {
  const table = '| A |\n|---|\n| `x` |';
  const filled = fillDocBlocks(text, new Map([['empty', table]]));
  t.equal(fillDocBlocks(filled, new Map([['empty', table]])), filled, 'writing twice changes nothing');
  const [codes, empty] = findDocBlocks(filled);
  t.match(codes?.body, /a_b/, 'a list without a table stays as it is');
  t.equal(compareBlock(empty?.body ?? '', { table }), null);
  t.match(compareBlock('', { table }), /npm run format/);
  t.match(compareBlock(table.replace('x', 'y'), { table }), /npm run format/);
});
