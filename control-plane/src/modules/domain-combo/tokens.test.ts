import { pinyin } from 'pinyin-pro';
import t from 'tap';
import { type TokenKind, tokensOf, variantNames, withoutCharacters } from './tokens.js';
import { pinyinSyllables } from './words/pinyin.js';

const { signal } = new AbortController();
const all = Object.entries(variantNames).flatMap(([kind, names]) =>
  names.map((name) => [kind as TokenKind, name] as const),
);

t.test('every variant is a list in code-point order in which no token stands twice', async (t) => {
  const sizes: Record<string, number> = {};
  for (const [kind, variant] of all) {
    const tokens = (await tokensOf(kind, variant, signal)) ?? [];
    sizes[`${kind} ${variant}`] = tokens.length;
    t.ok(
      tokens.every((token, index) => index === 0 || token > (tokens[index - 1] ?? '')),
      `${kind} ${variant}`,
    );
  }
  t.match(sizes, {
    'number single': 10,
    'number double': 100,
    'number triple': 1_000,
    'letter single': 26,
    'letter double': 676,
    'letter vowel': 5,
    'letter consonant': 21,
    'word pinyin': 411,
  });
  t.ok((sizes['word english'] ?? 0) > 5_000);
});

t.test('two syllables are every distinct pair', async (t) => {
  const syllables = (await tokensOf('word', 'pinyin', signal)) ?? [];
  const pairs = await tokensOf('word', 'pinyin2', signal);
  const expected = new Set(syllables.flatMap((first) => syllables.map((second) => first + second)));
  t.equal(pairs?.length, expected.size);
  t.ok(pairs?.every((pair) => expected.has(pair)));
});

t.test('a variant of another kind is refused', async (t) => {
  for (const name of ['vowel', 'toString', '']) t.equal(await tokensOf('number', name, signal), null, name);
});

t.test('the syllables are those of the pronunciation of characters', async (t) => {
  const read = new Set<string>();
  for (let code = 0x4e00; code <= 0x9fff; code += 1) {
    const character = String.fromCodePoint(code);
    for (const one of pinyin(character, { toneType: 'none', type: 'array', multiple: true, v: true })) read.add(one);
  }
  const ours = pinyinSyllables.trim().split(/\s+/);
  t.strictSame(
    ours.filter((syllable) => !read.has(syllable)),
    [],
    'each of ours is read',
  );
  const isSyllable = (text: string) => /^[a-z]*[aeiouv][a-z]*$/.test(text);
  t.strictSame([...read].filter(isSyllable).toSorted(), ours, 'and each that is read is ours');
});

t.test('tokens with an excluded character are dropped, in any case', async (t) => {
  t.same(await withoutCharacters(['ab', 'Bc', 'cd', 'é1'], 'B', signal), ['cd', 'é1']);
  t.same(await withoutCharacters(['ab', 'cd'], '', signal), ['ab', 'cd']);
  t.same(await withoutCharacters(['ab'], 'aB', signal), []);
});
