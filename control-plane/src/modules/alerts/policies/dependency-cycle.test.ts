import t from 'tap';
import { findCycle } from './dependency-cycle.js';

const edges = (text: string) =>
  new Map(
    text
      .split(' ')
      .filter((part) => part !== '')
      .map((part) => {
        const [from = '', to = ''] = part.split('>');
        return [from, [...to]] as const;
      }),
  );

const cases: readonly [name: string, edges: string, cycle: string | null][] = [
  ['nothing depends on anything', '', null],
  ['a chain', 'a>b b>c c>d', null],
  ['two ways to one monitor', 'a>bc b>d c>d d>e', null],
  ['two that depend on each other', 'a>b b>a', 'ab'],
  ['one behind a chain', 'a>b b>c c>d d>b', 'bcd'],
  ['one in the second part', 'a>b x>y y>z z>x', 'xyz'],
  ['a branch that was already left', 'a>bc b>d c>de e>c', 'ce'],
];
for (const [name, given, cycle] of cases)
  t.test(`a cycle of dependencies is found where there is one: ${name}`, async (t) => {
    t.equal(findCycle(edges(given))?.join('') ?? null, cycle);
  });

t.test('a chain of two thousand monitors ends the search', async (t) => {
  const chain = new Map(Array.from({ length: 2_000 }, (_, index) => [`${index}`, [`${index + 1}`]]));
  t.equal(findCycle(chain), null);
  t.equal(findCycle(new Map([...chain, ['2000', ['0']]]))?.length, 2_001);
});
