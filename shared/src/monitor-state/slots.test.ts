import fc from 'fast-check';
import t from 'tap';
import { dueSlot, phaseOf, type SlotGrid, slotAt, slotStart } from './slots.js';

const grids: fc.Arbitrary<SlotGrid> = fc
  .constantFrom(10_000, 30_000, 60_000, 300_000, 900_000, 1_800_000)
  .chain((intervalMs) => fc.record({ intervalMs: fc.constant(intervalMs), phaseMs: fc.nat(intervalMs - 1) }));
const instants = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });

t.test('every instant is in one slot, which begins at or before it', async () => {
  fc.assert(
    fc.property(grids, instants, (grid, instantMs) => {
      const slot = slotAt(instantMs, grid);
      return slotStart(slot, grid) <= instantMs && instantMs < slotStart(slot + 1, grid);
    }),
  );
});

t.test('each slot is run or missed once, however late it is examined', async (t) => {
  const looks = fc.array(fc.integer({ min: 1, max: 5_000_000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(grids, instants, looks, (grid, startMs, pauses) => {
      const begin = slotAt(startMs, grid);
      const seen: number[] = [];
      let [done, nowMs] = [begin, startMs];
      for (const pauseMs of pauses) {
        nowMs += pauseMs;
        const due = dueSlot(done, nowMs, grid);
        if (due === null) continue;
        if (due.missed !== null) seen.push(...range(due.missed.first, due.missed.last));
        seen.push(due.slot);
        done = due.slot;
      }
      t.same(seen, range(begin + 1, slotAt(nowMs, grid)));
    }),
  );
});

t.test('phases are the same wherever they are asked for, and spread over the interval', async (t) => {
  t.equal(phaseOf('m_1', 'n_1', 60_000), phaseOf('m_1', 'n_1', 60_000));
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let node = 0; node < 10_000; node += 1) {
    const phaseMs = phaseOf('m_1', `n_${node}`, 60_000);
    const tenth = Math.floor(phaseMs / 6_000);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  t.equal(tenths.length, 10, 'all within the interval');
  for (const count of tenths) t.ok(count > 850 && count < 1_150, `${count} of 10 000`);
});

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
