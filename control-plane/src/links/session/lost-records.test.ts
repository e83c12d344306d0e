import t from 'tap';
import type { FoundLink } from '../records/known-link.js';
import { hasForgotten } from './lost-records.js';

const known = { nodeId: 'n_1', generation: 5, epoch: Buffer.alloc(16), marks: { task: 10, check: 0 } };
const as = (change: Partial<FoundLink>): FoundLink => ({ ...known, ...change });

for (const [name, found, expected] of [
  ['says the same', as({}), false],
  ['has stored more meanwhile', as({ marks: { task: 11, check: 3 } }), false],
  ['has a newer link of the node, which is not its loss', as({ generation: 6 }), false],
  ['has lost results', as({ marks: { task: 9, check: 0 } }), true],
  ['has lost the marks of the spool', as({ marks: {} }), true],
  ['has lost the link', as({ generation: 4 }), true],
  ['has lost the node', undefined, true],
] as const) {
  t.test(`records of a link that a database lost, when it ${name}`, (t) => {
    t.equal(hasForgotten(known, found), expected);
    t.end();
  });
}
