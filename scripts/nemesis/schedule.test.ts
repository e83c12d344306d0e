import t from 'tap';
import { faultKinds } from './faults/index.js';
import { type PlannedFault, planFaults } from './schedule.js';

const shape = { agents: 3, replicas: 3, durationMs: 600_000 };
const textOf = (faults: readonly PlannedFault[]) =>
  faults.map(({ atMs, forMs, kind, strike }) => `${atMs} ${forMs} ${kind} ${strike.says}`);

t.test('the same seed is the same schedule of faults, another seed another one', (t) => {
  const planned = textOf(planFaults({ seed: 1, ...shape }));
  t.strictSame(textOf(planFaults({ seed: 1, ...shape })), planned);
  t.notSame(textOf(planFaults({ seed: 2, ...shape })), planned);
  t.end();
});

t.test(
  'a schedule breaks nothing twice at once, nothing after its end, and in ten minutes everything it knows',
  (t) => {
    const kinds = new Set<string>();
    for (let seed = 1; seed <= 30; seed++) {
      const planned = planFaults({ seed, ...shape });
      for (const { kind } of planned) kinds.add(kind);
      const isOutside = ({ atMs, forMs }: PlannedFault) => forMs <= 0 || atMs + forMs > shape.durationMs;
      t.strictSame(textOf(planned.filter(isOutside)), []);
      const isDouble = (fault: PlannedFault) => planned.some((other) => other !== fault && isOfOneThing(fault, other));
      t.strictSame(textOf(planned.filter(isDouble)), []);
    }
    t.strictSame([...kinds].sort(), Object.keys(faultKinds).sort());
    t.end();
  },
);

/** True if both faults break one thing at one time. */
function isOfOneThing(one: PlannedFault, other: PlannedFault): boolean {
  const isAtOnce = one.atMs < other.atMs + other.forMs && other.atMs < one.atMs + one.forMs;
  return isAtOnce && one.strike.claims.some((claim) => other.strike.claims.includes(claim));
}
