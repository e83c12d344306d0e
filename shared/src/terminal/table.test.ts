import t from 'tap';
import { coloured, plain } from './colours.js';
import { tableLines } from './table.js';

const table = {
  columns: [
    { title: 'From' },
    { title: 'Result' },
    { title: 'Total' },
    { title: 'DNS', isElsewhere: true },
    { title: 'TCP', isElsewhere: true },
    { title: 'Note' },
  ],
  rows: [
    [
      { text: '東京, JP, AS2516', short: '東京, JP' },
      { text: 'ok', tone: 'good' as const },
      '9.5 ms',
      '-',
      '1 ms',
      'a',
    ],
    [{ text: 'Berlin, DE, AS3320', short: 'Berlin, DE' }, 'ok', '123 ms', '-', '12.5 ms', 'some words that are long'],
  ],
};
const at = (width: number) => tableLines(table, { width, paint: plain });

t.test('a table whose widest column is not the last wraps that column', async (t) => {
  const table = {
    columns: ['name', 'value', 'ttl'].map((title) => ({ title })),
    rows: [['example.com', 'ns.example.com. hostmaster.example.com. 1 7200 900 1209600 60', '300']],
  };
  t.strictSame(tableLines(table, { width: 64, paint: plain }), [
    'name         value                                           ttl',
    'example.com  ns.example.com. hostmaster.example.com. 1 7200  300',
    '             900 1209600 60',
  ]);
});

t.test('no table is wider than the terminal: a word without room makes blocks of the rows', async (t) => {
  const table = {
    columns: ['Name', 'Target'].map((title) => ({ title })),
    rows: [['a name of forty columns or so', 'https://example.com/a/long/address/of/a/shop']],
  };
  t.strictSame(tableLines(table, { width: 64, paint: plain }), [
    'a name of forty columns or so',
    '  Target  https://example.com/a/long/address/of/a/shop',
  ]);
});

t.test('figures stand at the right of their column, and wide characters take their columns', async (t) => {
  t.strictSame(at(200), [
    'From                Result   Total  DNS      TCP  Note',
    '東京, JP, AS2516    ok      9.5 ms  -       1 ms  a',
    'Berlin, DE, AS3320  ok      123 ms  -    12.5 ms  some words that are long',
  ]);
});

t.test(
  'without room columns go that stand elsewhere, from the right; then names are short, then words are wrapped',
  async (t) => {
    t.strictSame(at(72), [
      'From                Result   Total  DNS  Note',
      '東京, JP, AS2516    ok      9.5 ms  -    a',
      'Berlin, DE, AS3320  ok      123 ms  -    some words that are long',
    ]);
    t.strictSame(at(60), [
      'From                Result   Total  Note',
      '東京, JP, AS2516    ok      9.5 ms  a',
      'Berlin, DE, AS3320  ok      123 ms  some words that are long',
    ]);
    const longer = { ...table, rows: table.rows.map((row) => row.with(5, `${row[5]} and longer still`)) };
    t.strictSame(tableLines(longer, { width: 60, paint: plain }), [
      'From        Result   Total  Note',
      '東京, JP    ok      9.5 ms  a and longer still',
      'Berlin, DE  ok      123 ms  some words that are long and',
      '                            longer still',
    ]);
  },
);

t.test('a narrow terminal gets a block for each row, with every value', async (t) => {
  t.strictSame(at(40).slice(0, 7), [
    '東京, JP, AS2516',
    '  Result  ok',
    '  Total   9.5 ms',
    '  DNS     -',
    '  TCP     1 ms',
    '  Note    a',
    'Berlin, DE, AS3320',
  ]);
});

t.test('colours change no column, and no cell controls the terminal', async (t) => {
  const lines = tableLines(table, { width: 72, paint: coloured });
  const bare = lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, '').trimEnd());
  t.match(lines[1], '\u001b[32mok');
  t.strictSame(bare, at(72));
  const hostile = { columns: [{ title: 'A' }], rows: [['\u001b[2J\n']] };
  t.strictSame(tableLines(hostile, { width: 80, paint: plain }), ['A', '·[2J·']);
});
