import fc from 'fast-check';
import t from 'tap';
import { isReportedAt, type SlotRun, unreported } from './reported-slots.js';

const slotsOf = ({ firstMs, lastMs, count }: SlotRun): number[] =>
  Array.from({ length: count }, (_, index) => firstMs + index * (count > 1 ? (lastMs - firstMs) / (count - 1) : 0));

/** Runs of slots on grids that coincide now and then. */
const runs = fc
  .record({
    phase: fc.nat(3),
    step: fc.integer({ min: 1, max: 6 }),
    first: fc.nat(20),
    count: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ phase, step, first, count }): SlotRun => {
    const firstMs = phase + first * step;
    return { firstMs, lastMs: firstMs + (count - 1) * step, count };
  });

t.test(
  'the rest of a run is the slots that were not reported before, in order, as runs of the same grid',
  async (t) => {
    fc.assert(
      fc.property(runs, fc.array(runs, { maxLength: 4 }), (run, reported) => {
        const all = new Set(reported.flatMap(slotsOf));
        t.same(
          unreported(run, reported).flatMap(slotsOf),
          slotsOf(run).filter((slot) => !all.has(slot)),
        );
      }),
    );
  },
);

t.test('a slot counts as reported if it is part of a run, not if it lies between two', async (t) => {
  const reported = [{ firstMs: 100, lastMs: 130, count: 4 }];
  t.same(
    [90, 100, 105, 110, 130, 140].map((slotMs) => isReportedAt(reported, slotMs)),
    [false, true, false, true, true, false],
  );
});
