import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { differences, pairs, spellingsOf } from '../../../../test/_support/destinations.js';
import { bindingOf, changedParts } from './secret-binding.js';

const spelledPairs = pairs.chain(([a, b]) => fc.tuple(fc.constant([a, b] as const), spellingsOf(a), spellingsOf(b)));

t.test(
  'bindings are equal when scheme, host, port, resolver and verify_tls are, however they are written',
  async () => {
    fc.assert(
      fc.property(spelledPairs, ([[a, b], one, other]) => {
        const bindings = [one, other].map(({ target, config }) => bindingOf(target, config));
        if (bindings.includes(null)) throw new Error(`no binding of ${one.target} or ${other.target}`);
        const [first = null, second = null] = bindings;
        return JSON.stringify(changedParts(first, second)) === JSON.stringify(differences(a, b));
      }),
      { numRuns: rounds(2_000) },
    );
  },
);

t.test('no secret is bound to an invalid URL, or one that could be read in two ways', async (t) => {
  const own = bindingOf('https://shop.example/', {});
  const odd = [
    '',
    'shop.example',
    'ftp://shop.example/',
    'https://shop.example@evil.example/',
    'https://a b/',
    'https://0x7f.1/',
  ];
  for (const target of odd) {
    t.equal(bindingOf(target, {}), null, target);
    t.equal(changedParts(bindingOf(target, {}), own).length, 5, `${target} is not the same`);
  }
  t.equal(changedParts(null, null).length, 5, 'neither are two of them');
  t.equal(bindingOf('https://shop.example/', { resolver: 'a b' }), null, 'nor with such a resolver');
});
