import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import t from 'tap';
import { parseTld, previewOf } from './preview.js';

const token = fc.constantFrom('a', 'b1', 'dns', '-', 'x-', 'ü', '字', 'xn--', 'longer'.repeat(9), 'a.b', ' ');
const lists = fc.array(fc.array(token, { maxLength: 4 }), { minLength: 1, maxLength: 4 });
const tlds = fc.array(fc.constantFrom('com', 'co.uk', 'xn--fiqs8s'), { minLength: 1, maxLength: 3 });

/** Every combination, the last list changing fastest, the top-level domain fastest of all. */
function enumerate([first, ...rest]: readonly (readonly string[])[]): string[] {
  if (first === undefined) return [''];
  return first.flatMap((text) => enumerate(rest).map((tail) => text + tail));
}

const { signal } = new AbortController();

t.test('a preview counts and begins as a full enumeration does', async () => {
  await fc.assert(
    fc.asyncProperty(
      lists,
      tlds,
      fc.option(fc.integer({ min: -5, max: 300 }), { nil: undefined }),
      async (own, ends, cap) => {
        const every = enumerate(own).flatMap((label) => ends.map((end) => [label, end] as const));
        const most = cap === undefined || cap <= 0 ? 1_000 : cap;
        const valid = every.slice(0, most).flatMap(([label, end]) => {
          const ascii = label.includes('.') ? '' : domainToASCII(`${label}.${end}`);
          const isValid = ascii
            .split('.')
            .every((part) => part.length <= 63 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(part));
          return ascii !== '' && isValid ? [ascii] : [];
        });
        const preview = await previewOf({ lists: own, tlds: ends }, cap, signal);
        return (
          preview.total === BigInt(every.length) &&
          preview.effective === Math.min(every.length, most) &&
          preview.isCapped === every.length > most &&
          preview.sample.join() === valid.slice(0, 10).join()
        );
      },
    ),
  );
});

t.test('a product beyond every number is exact, and the cap at most 5000', async (t) => {
  const thousand = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
  const eight = { lists: Array.from({ length: 8 }, () => thousand), tlds: ['com', 'net'] };
  const preview = await previewOf(eight, 1_000_000, signal);
  t.equal(preview.total, 2n * 10n ** 24n);
  t.match(preview, { effective: 5_000, isCapped: true });
  t.equal(preview.sample[0], `${'n0'.repeat(8)}.com`);
});

t.test('an empty slot yields no domain', async (t) => {
  const preview = await previewOf({ lists: [['a'], []], tlds: ['com'] }, 10, signal);
  t.same(preview, { total: 0n, effective: 0, isCapped: false, sample: [] });
});

t.test('a top-level domain is read in Unicode and Punycode, and refused with a dot at its edges', async (t) => {
  for (const [text, tld] of [
    ['COM', 'com'],
    ['co.uk', 'co.uk'],
    ['中国', 'xn--fiqs8s'],
    ['.com', null],
    ['com.', null],
    ['a..b', null],
    ['-x', null],
    ['', null],
  ] as const) {
    t.equal(parseTld(text), tld, text);
  }
});
