import t from 'tap';
import { addDroppedRange, type DroppedRange, droppedAbove, droppedCount } from './dropped-ranges.js';

const full = (first: number, last: number): DroppedRange => ({ first, last, reason: 'spool_full' });
const corrupt = (first: number, last: number): DroppedRange => ({ first, last, reason: 'corrupt' });

t.test('dropped numbers fold into as few ranges as there are gaps between them', async (t) => {
  const cases = [
    { name: 'the first', ranges: [], added: full(3, 3), expected: [full(3, 3)] },
    { name: 'touching after', ranges: [full(1, 3)], added: full(4, 6), expected: [full(1, 6)] },
    { name: 'touching before', ranges: [full(4, 6)], added: full(1, 3), expected: [full(1, 6)] },
    { name: 'apart', ranges: [full(1, 3)], added: full(5, 6), expected: [full(1, 3), full(5, 6)] },
    { name: 'closing a gap', ranges: [full(1, 3), full(5, 6)], added: full(4, 4), expected: [full(1, 6)] },
    { name: 'known already', ranges: [full(1, 6)], added: corrupt(2, 2), expected: [full(1, 6)] },
    { name: 'the larger names it', ranges: [corrupt(1, 1)], added: full(2, 9), expected: [full(1, 9)] },
  ];
  for (const { name, ranges, added, expected } of cases) t.same(addDroppedRange(ranges, added), expected, name);
});

t.test('an acknowledgement ends the ranges below it and cuts the one it falls into', async (t) => {
  t.same(droppedAbove([full(1, 3), full(5, 9), corrupt(12, 12)], 6), [full(7, 9), corrupt(12, 12)]);
  t.equal(droppedCount([full(7, 9), corrupt(12, 12)]), 4);
});
