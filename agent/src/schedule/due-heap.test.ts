import fc from 'fast-check';
import t from 'tap';
import { DueHeap } from './due-heap.js';

t.test('whatever is added and taken in whatever order, the first is always in front', async (t) => {
  const steps = fc.array(fc.option(fc.integer({ min: 0, max: 50 }), { nil: null }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (dues) => {
      const heap = new DueHeap<number>();
      const plain: number[] = [];
      for (const due of dues) {
        if (due === null) t.equal(heap.pop()?.dueMs ?? null, plain.sort((a, b) => a - b).shift() ?? null);
        else heap.add(due, plain.push(due));
        if (heap.size !== plain.length) return false;
      }
      return (heap.first?.dueMs ?? null) === (plain.length === 0 ? null : Math.min(...plain));
    }),
  );
});
