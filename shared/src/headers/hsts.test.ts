import fc from 'fast-check';
import t from 'tap';
import { parseHsts } from './hsts.js';

t.test('a header of the grammar is read, any other is ignored', async (t) => {
  const year = { maxAge: 31536000, includesSubdomains: false, preload: false };
  const valid: [string, Partial<typeof year>][] = [
    ['max-age=31536000', {}],
    ['max-age="31536000"', {}],
    ['MAX-AGE = 31536000 ;', {}],
    [';;max-age=31536000; includeSubDomains; preload', { includesSubdomains: true, preload: true }],
    ['max-age=31536000; INCLUDESUBDOMAINS', { includesSubdomains: true }],
    ['max-age=31536000; unknown="a;b"; other=1', {}],
    ['max-age=0', { maxAge: 0 }],
  ];
  for (const [value, expected] of valid) t.same(parseHsts(value), { ...year, ...expected }, value);
  const invalid = [
    '',
    'includeSubDomains',
    'max-age',
    'max-age=',
    'max-age=-1',
    'max-age=1.5',
    'max-age=1y',
    'max-age=1; max-age=1',
    'max-age=1; includeSubDomains; includesubdomains',
    'max-age=1; includeSubDomains=true',
    'max-age=1, max-age=2',
    'max-age=31536000 includeSubDomains',
    'max-age="31536000',
    '=1; max-age=1',
  ];
  for (const value of invalid) t.equal(parseHsts(value), null, value);
});

t.test('the order, the case and unknown directives change nothing', async () => {
  const name = fc.stringMatching(/^x[a-z]{1,6}$/);
  fc.assert(
    fc.property(
      fc.nat(),
      fc.boolean(),
      fc.uniqueArray(name, { maxLength: 4 }),
      fc.boolean(),
      (age, subs, names, turned) => {
        const parts = [
          `max-age=${age}`,
          ...(subs ? ['includeSubDomains'] : []),
          ...names.map((name) => `${name}="q;"`),
        ];
        const text = (turned ? parts.toReversed() : parts).join(' ; ');
        const read = parseHsts(turned ? text.toUpperCase() : text);
        return read?.maxAge === age && read.includesSubdomains === subs;
      },
    ),
  );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseHsts(text) !== undefined));
});
