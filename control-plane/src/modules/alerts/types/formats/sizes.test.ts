import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { byteLength, cut, firstCharacters, longestThatFits } from './cut.js';
import { smsSize } from './sms-segments.js';

t.test('a text is cut between characters, as people see them', async (t) => {
  const family = '👩‍👩‍👧‍👦';
  const cases = [
    ['abcdef', 4, 'abc…'],
    ['abcd', 4, 'abcd'],
    ['a𠮷b', 3, 'a…'],
    [`ab${family}cd`, 8, 'ab…'],
    [`${family}${family}`, 12, `${family}…`],
    ['e\u0301e\u0301e\u0301', 4, 'e\u0301…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ] as const;
  for (const [text, units, expected] of cases) t.equal(cut(text, units), expected, `${text} ${units}`);
});

t.test('an endless combined character is cut nevertheless', async (t) => {
  const endless = `a${'\u0301'.repeat(100_000)}`;
  t.equal(cut(endless, 1_000).length, 1_000);
});

t.test('a cut text fits, is a prefix and has no half characters', async (t) => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 80 });
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(texts, fc.nat(200), (text, most) => {
        const byUnits = cut(text, most);
        const byBytes = longestThatFits(text, (part) => byteLength(part) <= most);
        const begin = firstCharacters(text, most);
        return (
          byUnits.length <= most &&
          (byteLength(byBytes) <= most || byBytes === '') &&
          text.startsWith(begin) &&
          ![byUnits, byBytes, begin].some((part) => /\p{Surrogate}/u.test(part))
        );
      }),
      { numRuns: rounds(2_000) },
    ),
  );
});

t.test('segments of a text message are counted as networks do', async (t) => {
  const cases = [
    ['', 'gsm-7', 1],
    ['a'.repeat(160), 'gsm-7', 1],
    ['a'.repeat(161), 'gsm-7', 2],
    ['a'.repeat(306), 'gsm-7', 2],
    ['a'.repeat(307), 'gsm-7', 3],
    ['a'.repeat(459), 'gsm-7', 3],
    ['a'.repeat(460), 'gsm-7', 4],
    ['€'.repeat(80), 'gsm-7', 1],
    ['€'.repeat(81), 'gsm-7', 2],
    // an extended character is not divided: its two septets open the second part
    [`${'a'.repeat(152)}€${'a'.repeat(151)}`, 'gsm-7', 2],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 'gsm-7', 3],
    ['中'.repeat(70), 'ucs-2', 1],
    ['中'.repeat(71), 'ucs-2', 2],
    ['中'.repeat(134), 'ucs-2', 2],
    ['中'.repeat(135), 'ucs-2', 3],
    ['中'.repeat(201), 'ucs-2', 3],
    ['中'.repeat(202), 'ucs-2', 4],
    // nor is a pair of surrogates
    [`${'中'.repeat(66)}😀${'中'.repeat(65)}`, 'ucs-2', 2],
    [`${'中'.repeat(66)}😀${'中'.repeat(66)}`, 'ucs-2', 3],
    [`a’${'b'.repeat(69)}`, 'ucs-2', 2],
  ] as const;
  for (const [text, alphabet, segments] of cases)
    t.strictSame(smsSize(text), { alphabet, segments }, `${text.length} × ${text.slice(0, 2)}`);
});
