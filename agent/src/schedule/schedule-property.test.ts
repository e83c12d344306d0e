import { rounds } from '@vantage/shared/_support/rounds.js';
import { CheckReportSchema, MissedReportSchema } from '@vantage/shared/monitor-state/check-report.js';
import { phaseOf, slotAt } from '@vantage/shared/monitor-state/slots.js';
import { compileTest } from '@vantage/shared/validation.js';
import fc from 'fast-check';
import t from 'tap';
import { anAssignment, everything, good, monitorId, NODE_ID, ScheduledNode } from './_support/a-schedule.js';

// Whatever happens to a node: the property that everything else is built on.

const INTERVAL_MS = 10_000;
const MONITORS = 3;
const none = { set: [], dropped: [], begins: false, ends: false };
const isValid = { check: compileTest(CheckReportSchema), missed: compileTest(MissedReportSchema) };

type Event =
  | { readonly kind: 'pass' | 'block' | 'restart' | 'kill' | 'keep'; readonly ms: number }
  | { readonly kind: 'step'; readonly byMs: number };

const events: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 45_000 }) }),
  fc.record({ kind: fc.constant('block' as const), ms: fc.integer({ min: 1, max: 35_000 }) }),
  fc.record({ kind: fc.constant('restart' as const), ms: fc.integer({ min: 0, max: 60_000 }) }),
  fc.record({ kind: fc.constant('kill' as const), ms: fc.integer({ min: 0, max: 60_000 }) }),
  fc.record({ kind: fc.constant('keep' as const), ms: fc.constant(0) }),
  fc.record({ kind: fc.constant('step' as const), byMs: fc.integer({ min: -60_000, max: 60_000 }) }),
);
const durations = fc.array(fc.constantFrom(5, 800, 3000, 9990, 10_000, 12_000, 31_000), { minLength: 1, maxLength: 5 });

t.test('whatever pauses, clock steps, restarts and kills come, every slot is reported exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(events, { minLength: 1, maxLength: 10 }), durations, async (sequence, lengthsMs) => {
      const node = new ScheduledNode();
      let checks = 0;
      node.answer = () => ({ afterMs: lengthsMs[checks++ % lengthsMs.length] ?? 5, judgment: good });
      const beganAt = node.serverNow;
      node.schedule.take(everything(...numbers().map((number) => anAssignment(number, { interval_s: 10 }))));
      node.keep();
      for (const event of sequence) await happen(node, event);
      node.answer = () => ({ afterMs: 5, judgment: good });
      // until server time is past all it ever was, and nothing runs
      await node.pass(11 * 60_000 + 40_000);
      await node.end();
      for (const { kind, body } of node.reports) if (!isValid[kind](body)) throw new Error(JSON.stringify(body));
      for (const number of numbers()) assertComplete(node, number, beganAt);
    }),
    { numRuns: rounds(200) },
  );
});

t.test('a report states through when everything is reported, and nothing earlier follows it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(events, { minLength: 1, maxLength: 8 }), durations, async (sequence, lengthsMs) => {
      const node = new ScheduledNode();
      let checks = 0;
      node.answer = () => ({ afterMs: lengthsMs[checks++ % lengthsMs.length] ?? 5, judgment: good });
      node.schedule.take(everything(...numbers().map((number) => anAssignment(number, { interval_s: 10 }))));
      node.keep();
      for (const event of sequence) if (event.kind !== 'step') await happen(node, event);
      let throughMs = 0;
      for (const { kind, body } of node.reports) {
        const firstMs = kind === 'check' ? body.slot_ms : body.first_slot_ms;
        if (firstMs < throughMs) throw new Error(`${firstMs} after all up to ${throughMs}`);
        throughMs = Math.max(throughMs, body.through_ms);
      }
      await node.end();
    }),
    { numRuns: rounds(200) },
  );
});

type Change =
  | Event
  | { readonly kind: 'generation' | 'again'; readonly number: number }
  | { readonly kind: 'lose'; readonly ms: number };

const number = fc.integer({ min: 0, max: MONITORS - 1 });
const changes: fc.Arbitrary<Change> = fc.oneof(
  events,
  fc.record({ kind: fc.constantFrom('generation' as const, 'again' as const), number }),
  fc.record({ kind: fc.constant('lose' as const), ms: fc.integer({ min: 0, max: 60_000 }) }),
);

t.test('no slot is reported twice, however assignments are changed, removed, returned or lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 10 }), durations, async (sequence, lengthsMs) => {
      const node = new ScheduledNode();
      let checks = 0;
      node.answer = () => ({ afterMs: lengthsMs[checks++ % lengthsMs.length] ?? 5, judgment: good });
      const generations = numbers().map(() => 1);
      const all = () =>
        everything(...numbers().map((number) => anAssignment(number, { interval_s: 10 }, generations[number])));
      node.schedule.take(all());
      for (const change of sequence) {
        if (change.kind === 'lose') await node.killBare(change.ms);
        else if (!('number' in change)) await happen(node, change);
        else if (change.kind === 'again') node.schedule.take({ ...none, dropped: [monitorId(change.number)] });
        else generations[change.number] = (generations[change.number] ?? 0) + 1;
        node.schedule.take(all());
        node.keep();
      }
      await node.pass(11 * 60_000);
      await node.end();
      for (const number of numbers()) requireNoneTwice(node.slotsOf(monitorId(number), INTERVAL_MS));
    }),
    { numRuns: rounds(100) },
  );
});

function numbers(): number[] {
  return Array.from({ length: MONITORS }, (_, number) => number);
}

async function happen(node: ScheduledNode, event: Event): Promise<void> {
  if (event.kind === 'step') return node.step(event.byMs);
  if (event.kind === 'restart') return node.restart(event.ms);
  if (event.kind === 'kill') return node.kill(event.ms);
  if (event.kind === 'keep') return node.keep();
  // blocked: whatever timer is set in a second is heard so late
  if (event.kind === 'block') node.clock.timersLateMs = event.ms;
  await node.pass(event.kind === 'block' ? 1000 : event.ms);
  node.clock.timersLateMs = 0;
}

function assertComplete(node: ScheduledNode, number: number, beganAt: number): void {
  const grid = { intervalMs: INTERVAL_MS, phaseMs: phaseOf(monitorId(number), NODE_ID, INTERVAL_MS) };
  const slots = node.slotsOf(monitorId(number), INTERVAL_MS).map((slotMs) => slotAt(slotMs, grid));
  const [first, last] = [Math.min(...slots), Math.max(...slots)];
  const [expectedFirst, expectedLast] = [slotAt(beganAt, grid), slotAt(node.serverNow, grid)];
  requireNoneTwice(slots);
  if (slots.length !== last - first + 1) throw new Error(`never: ${slots.join(' ')}`);
  if (first !== expectedFirst) throw new Error(`began at ${first} instead of ${expectedFirst}`);
  if (last < expectedLast - 1) throw new Error(`ended at ${last} instead of ${expectedLast}`);
}

function requireNoneTwice(slots: readonly number[]): void {
  if (new Set(slots).size !== slots.length) throw new Error(`twice: ${slots.join(' ')}`);
}
