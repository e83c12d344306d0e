import t from 'tap';
import { judgePhrases, judgeSource } from './english-rules.js';
import { readWordLists, type WordLists } from './word-lists.js';

const words: WordLists = {
  docstringOpenings: ['Wherefore'],
  logOpenings: ['alas'],
  titleWords: ['yonder'],
  nameWords: ['tidings'],
  storedNames: ['tidings_at'],
  phrases: ['forsooth it be'],
};
const judge = (text: string, path = 'agent/src/a.ts') => judgeSource({ path, text }, words);

t.test('a docstring that begins with a refused word is found, on one line and on several', async (t) => {
  t.match(judge('/** Wherefore it waits. */\nconst a = 1;'), [
    /^agent\/src\/a\.ts:1: docstring begins with "Wherefore"/,
  ]);
  t.match(judge('\n/**\n * Wherefore it waits.\n */\nconst a = 1;'), [/a\.ts:2: /]);
});

t.test('a docstring that only contains a refused word, or begins with a longer one, passes', async (t) => {
  t.strictSame(judge('/** Delay, Wherefore it waits. */\n/** Wherefores of a node. */\n/** Wherefore-clause. */'), []);
  t.strictSame(judge("// Wherefore it waits.\nconst a = '/** Wherefore */';"), []);
});

t.test('a log message that begins with a refused word or ends with a period is found', async (t) => {
  t.match(judge("log.warn('alas, the disk');"), [/"alas, the disk" begins with "alas"/]);
  t.match(judge("log.info({ a }, 'Alas');"), [/begins with "Alas"/]);
  t.match(judge("log.error({ a }, 'cannot write.');"), [/"cannot write\." ends with a period/]);
  t.strictSame(judge("log.warn('cannot write, alas');"), []);
  t.strictSame(judge("log.warn('alas');", 'agent/src/a.test.ts'), []);
});

t.test('a refused word in the title of a test is found, and elsewhere in a test passes', async (t) => {
  const path = 'agent/src/a.test.ts';
  t.match(judge("a();\nt.test('a node Yonder is found', async () => {});", path), [
    /a\.test\.ts:2: title has "Yonder"/,
  ]);
  t.match(judge('t.test(\n  `${name}: yonder`,\n  f);', path), [/a\.test\.ts:1: /]);
  t.strictSame(judge("t.test('beyonder', f); const a = 'yonder';\nt.equal(a, 'yonder');", path), []);
  t.strictSame(judge("t.test('yonder', f);"), [], 'a file that is not a test');
});

t.test('a name of code or of a file that has a refused word is found, and a stored name passes', async (t) => {
  t.match(judge('a();\nconst lastTidingsAt = TIDINGS_MS;'), [
    /^agent\/src\/a\.ts:2: name lastTidingsAt has "tidings"/,
    /:2: name TIDINGS_MS has/,
  ]);
  t.match(judge('', 'agent/src/tidings-store.ts'), [/^agent\/src\/tidings-store\.ts:1: name .* has "tidings"/]);
  t.strictSame(judge("const tidingsome = row.tidings_at; // tidings\nconst b = { 'tidings-at': 1 };"), []);
});

t.test('a refused phrase is found in comments, texts and documents, across line breaks and in any case', async (t) => {
  t.match(judge('a();\n// forsooth it be'), [/a\.ts:2: says "forsooth it be"/]);
  t.match(judge("const a = 'Forsooth it be late';"), [/says "Forsooth it be"/]);
  t.match(judge('/**\n * a forsooth\n * it be late\n */'), [/a\.ts:2: says "forsooth it be"/]);
  t.match(judgePhrases({ path: 'README.md', text: 'Say\nforsooth\nit be.' }, words), [/^README\.md:2: /]);
  t.strictSame(judge('// forsooth it bears, and forsooth it. Be'), []);
});

t.test('the lists of the style guide are read from the tables under their headings', async (t) => {
  const guide = [
    '# Style',
    '### Openings that docstrings must not have\n\n| opening | instead |\n|---|---|\n| `What`, `Of` | a noun |',
    '### Openings that log messages must not have\n\n| opening | instead |\n|---|---|\n| `not` | `cannot` |',
    '### Words that test titles must not have\n\n| word | instead |\n|---|---|\n| `yonder` | there |',
    '### Words that names must not have\n\n| word | instead |\n|---|---|\n| `tidings` | event |',
    '### Names that stay\n\n| name | stored in |\n|---|---|\n| `tidings_at` | a column |',
    '### Phrases that must not be used\n\n| phrase | instead |\n|---|---|\n| `over and over` | `repeatedly` |\n\n## More\n\n| `a` | b |',
  ];
  t.strictSame(readWordLists(guide.join('\n\n')), {
    docstringOpenings: ['What', 'Of'],
    logOpenings: ['not'],
    titleWords: ['yonder'],
    nameWords: ['tidings'],
    storedNames: ['tidings_at'],
    phrases: ['over and over'],
  });
});

t.test('a style guide without one of the lists is refused, not taken for an empty list', async (t) => {
  t.throws(() => readWordLists('# Style\n'), /no table under "Openings that docstrings must not have"/);
});
