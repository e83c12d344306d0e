import t from 'tap';
import { largeFiles } from './_support/large-files.js';
import { expectShortTurns } from './_support/plain-stack.js';

for (const what of Object.keys(largeFiles) as (keyof typeof largeFiles)[]) {
  t.test(`${what}: its import delays no other request by 50 ms`, (t) => expectShortTurns(t, what));
}
