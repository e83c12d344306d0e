import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { HeartbeatSchedule } from './heartbeat-schedule.js';
import {
  alertAfterMs,
  catchUp,
  type HeartbeatEffect,
  type HeartbeatState,
  newHeartbeat,
  type Ping,
  passTime,
  type Rule,
  shownState,
  stopped,
  takePing,
  waitingFrom,
} from './heartbeat-state.js';

const MINUTE_MS = 60_000;

function ruleOf({ intervalSeconds = 600, graceSeconds = 60, maxDurationMs = null as number | null } = {}): Rule {
  const schedule = new HeartbeatSchedule({ mode: 'interval', intervalSeconds, graceSeconds });
  return { schedule, graceMs: graceSeconds * 1_000, maxDurationMs };
}

const aPing = (atMs: number, more: Partial<Ping> = {}): Ping => ({
  seq: 1,
  kind: 'success',
  atMs,
  exitCode: null,
  lacksText: false,
  rid: null,
  ...more,
});

const rules = fc
  .record({
    intervalSeconds: fc.integer({ min: 30, max: 3_600 }),
    graceSeconds: fc.integer({ min: 0, max: 600 }),
    maxDurationMs: fc.option(fc.integer({ min: 1, max: 900 }).map((seconds) => seconds * 1_000)),
  })
  .map(ruleOf);

const somePings = fc
  .array(
    fc.record({
      gapMs: fc.integer({ min: 0, max: 40 * MINUTE_MS }),
      kind: fc.constantFrom('success', 'success', 'start', 'fail', 'exit') as fc.Arbitrary<Ping['kind']>,
      code: fc.integer({ min: 0, max: 1 }),
      lacksText: fc.boolean(),
      rid: fc.constantFrom(null, 'a', 'b'),
    }),
    { maxLength: 30 },
  )
  .map((steps) => {
    let atMs = 1_000_000;
    return steps.map(({ gapMs, kind, code, lacksText, rid }, index): Ping => {
      atMs += gapMs;
      return { seq: index + 1, kind, atMs, exitCode: kind === 'exit' ? code : null, lacksText, rid };
    });
  });

const endOf = (pings: readonly Ping[]) => (pings.at(-1)?.atMs ?? 0) + 100 * MINUTE_MS;
const verdicts = (effects: readonly HeartbeatEffect[]) => effects.filter(({ kind }) => kind !== 'measured');

t.test('the time of an evaluation changes neither the state nor the episodes', async (t) => {
  fc.assert(
    fc.property(rules, somePings, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (rule, pings, looks) => {
      const nowMs = endOf(pings);
      const once = catchUp(newHeartbeat, rule, { pings, nowMs });
      let state: HeartbeatState = newHeartbeat;
      const effects: HeartbeatEffect[] = [];
      let fromMs = 0;
      for (const ping of [...pings, null]) {
        const untilMs = ping?.atMs ?? nowMs;
        for (const look of [...looks].sort()) {
          const step = passTime(state, rule, fromMs + look * (untilMs - fromMs));
          state = step.state;
          effects.push(...step.effects);
        }
        const step = ping === null ? passTime(state, rule, nowMs) : takePing(state, rule, ping);
        state = step.state;
        effects.push(...step.effects);
        fromMs = untilMs;
      }
      t.same([state, effects], [once.state, once.effects]);
    }),
    { numRuns: rounds(300) },
  );
});

t.test('episodes begin and end in turn, in the order of time, and never after the last look', async (t) => {
  fc.assert(
    fc.property(rules, somePings, (rule, pings) => {
      const nowMs = endOf(pings);
      const { state, effects } = catchUp(newHeartbeat, rule, { pings, nowMs });
      const happened = verdicts(effects) as Extract<HeartbeatEffect, { kind: 'up' | 'down' }>[];
      for (const [index, { kind, atMs }] of happened.entries()) {
        const before = happened[index - 1];
        if (kind === 'down' && before?.kind === 'down') throw new Error('down twice');
        if (before !== undefined && before.atMs > atMs) throw new Error('before what came before');
        if (atMs > nowMs) throw new Error('not yet');
      }
      if ((state.phase === 'down') !== (happened.at(-1)?.kind === 'down'))
        throw new Error('another state than the last effect');
      t.same(passTime(state, rule, nowMs), { state, effects: [] }, 'the same instant again changes nothing');
    }),
    { numRuns: rounds(300) },
  );
});

t.test('pings in time alone never make it down, and silence after them always does', async (t) => {
  fc.assert(
    fc.property(
      rules,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }),
      (rule, gaps) => {
        let atMs = 1_000_000;
        let state: HeartbeatState = newHeartbeat;
        for (const gap of gaps) {
          const step = takePing(state, rule, aPing(atMs));
          t.same(step.effects, [{ kind: 'up', atMs }]);
          state = step.state;
          atMs += gap * ((alertAfterMs(state, rule) ?? 0) - atMs);
        }
        const dueMs = alertAfterMs(state, rule) ?? 0;
        t.same(passTime(state, rule, dueMs).effects, []);
        t.match(passTime(state, rule, dueMs + 1).effects, [{ kind: 'down', atMs: dueMs }]);
      },
    ),
    { numRuns: rounds(100) },
  );
});

t.test('before the first ping a heartbeat is new, however long that takes', async (t) => {
  const { state, effects } = catchUp(newHeartbeat, ruleOf(), { pings: [], nowMs: 1e12 });
  t.same([state, effects], [newHeartbeat, []]);
});

const rule = ruleOf({ maxDurationMs: 5 * MINUTE_MS });
const up = takePing(newHeartbeat, rule, aPing(0)).state;
const failures: readonly [string, Partial<Ping>, RegExp][] = [
  ['a failure', { kind: 'fail' }, /failure/],
  ['an exit code', { kind: 'exit', exitCode: 1 }, /exit code 1/],
  ['a text that is missing', { lacksText: true }, /lacks/],
];

for (const [name, fields, reason] of failures) {
  t.test(`${name} is down at once, and the next good ping ends it`, async (t) => {
    const { state, effects } = takePing(up, rule, aPing(1_000, fields));
    t.match(effects, [{ kind: 'down', atMs: 1_000, reason }]);
    t.equal(alertAfterMs(state, rule), null);
    t.same(takePing(state, rule, aPing(2_000, fields)).effects, [], 'a repetition has no effect');
    t.match(takePing(state, rule, aPing(2_000)), { state: { phase: 'up' }, effects: [{ kind: 'up', atMs: 2_000 }] });
  });
}

t.test('a run that takes too long is down when it does, and its end does not make it up', async (t) => {
  const { state } = takePing(up, rule, aPing(1_000, { kind: 'start', rid: 'a' }));
  t.equal(shownState(state, true, 1_001), 'started');
  t.match(passTime(state, rule, 1_000 + 5 * MINUTE_MS).effects, []);
  const late = passTime(state, rule, 1_001 + 5 * MINUTE_MS);
  t.match(late.effects, [{ kind: 'down', atMs: 1_000 + 5 * MINUTE_MS, reason: /longer than 300 s/ }]);
  const ended = takePing(late.state, rule, aPing(6 * MINUTE_MS, { rid: 'a', seq: 7 }));
  t.match(ended, { state: { phase: 'down', run: null }, effects: [{ kind: 'measured', seq: 7, durationMs: 359_000 }] });
});

t.test('a run is ended by its own name, or by an end without one', async (t) => {
  const { state } = takePing(up, rule, aPing(1_000, { kind: 'start', rid: 'a' }));
  t.not(takePing(state, rule, aPing(2_000, { rid: 'b' })).state.run, null);
  t.equal(takePing(state, rule, aPing(2_000, { rid: 'a' })).state.run, null);
  t.equal(takePing(state, rule, aPing(2_000)).state.run, null);
});

/** Takes pings at these seconds after the heartbeat was up; a rid after the kind names the run. */
function after(...times: readonly (readonly [seconds: number, what: 'start' | 'end', rid?: string])[]) {
  const pings = times.map(([seconds, what, rid = null], index): Ping => {
    return aPing(seconds * 1_000, { seq: index + 1, kind: what === 'start' ? 'start' : 'success', rid });
  });
  const nowMs = pings.at(-1)?.atMs ?? 0;
  const { state, effects } = catchUp(up, rule, { pings, nowMs });
  const durations = effects.flatMap((effect) => (effect.kind === 'measured' ? [[effect.seq, effect.durationMs]] : []));
  return { state, durations, downs: verdicts(effects).filter(({ kind }) => kind === 'down').length };
}

/** Instant at which a state without further pings is down because of a long run, in seconds; null if it is down for another reason. */
function overrunAt(state: HeartbeatState): number | null {
  const [effect] = passTime(state, rule, Number.MAX_SAFE_INTEGER).effects;
  return effect?.kind === 'down' && /a run took longer/.test(effect.reason) ? effect.atMs / 1_000 : null;
}

t.test('a run that hangs is noticed although further runs start and end', async (t) => {
  const named = after([10, 'start', 'a'], [20, 'start', 'b'], [30, 'end', 'b']);
  t.equal(overrunAt(named.state), 310);
  t.strictSame(named.durations, [[3, 10_000]]);
  t.equal(overrunAt(after([10, 'start'], [20, 'start'], [30, 'end']).state), 310, 'without names the oldest is kept');
  const mixed = after([10, 'start'], [20, 'start', 'b'], [30, 'start', 'c'], [40, 'end', 'c'], [50, 'end', 'b']);
  t.equal(overrunAt(mixed.state), 310);
  const many = Array.from({ length: 200 }, (_, i) => [20 + i, 'start', `run ${i}`] as const);
  t.equal(overrunAt(after([10, 'start', 'a'], ...many).state), 310, 'also of many');
});

t.test('each of several runs ends by its own name, and one without a name by any end of the same', async (t) => {
  const crossed = after([10, 'start', 'a'], [20, 'start', 'b'], [30, 'end', 'a'], [50, 'end', 'b']);
  t.strictSame(crossed.durations, [
    [3, 20_000],
    [4, 30_000],
  ]);
  t.equal(overrunAt(crossed.state), null);
  const nameless = after([10, 'start'], [20, 'start'], [30, 'end'], [50, 'end']);
  t.strictSame(nameless.durations, [
    [3, 10_000],
    [4, 40_000],
  ]);
  t.equal(overrunAt(nameless.state), null);
  const repeated = after([10, 'start', 'a'], [20, 'start', 'a'], [50, 'end', 'a']);
  t.strictSame(repeated.durations, [[3, 30_000]], 'a start that is repeated is the start of the same run');
  t.equal(overrunAt(repeated.state), null);
});

t.test('the number of runs that are kept is bounded', async (t) => {
  const named = Array.from({ length: 1_000 }, (_, i) => [i / 10, 'start', `run ${i}`] as const);
  t.ok(JSON.stringify(after(...named).state).length < 2_000);
  const nameless = Array.from({ length: 1_000 }, (_, i) => [i / 10, 'start'] as const);
  t.ok(JSON.stringify(after(...nameless).state).length < 400);
});

t.test('a run without an end does not hide what its successors do', async (t) => {
  const unlimited = ruleOf();
  const pings = [
    aPing(1_000, { kind: 'start', rid: 'a' }),
    aPing(2_000, { kind: 'start', rid: 'b' }),
    aPing(3_000, { rid: 'b' }),
  ];
  const { state } = catchUp(up, unlimited, { pings, nowMs: 3_000 });
  t.equal(shownState(state, true, 3_000), 'up');
  t.equal(shownState(state, true, 11 * MINUTE_MS), 'late');
  const overrun = passTime(after([10, 'start', 'a'], [20, 'start', 'b']).state, rule, 311_000);
  t.match(overrun, { state: { phase: 'down' } });
  const ended = takePing(overrun.state, rule, aPing(315_000, { rid: 'b' })).state;
  t.match([ended.phase, overrunAt(ended)], ['up', null], 'what was notified is over with the outage');
});

t.test('a start neither moves a deadline nor ends an outage, but it is a first ping', async (t) => {
  const start = aPing(9 * MINUTE_MS, { kind: 'start' });
  const long = ruleOf();
  t.equal(alertAfterMs(takePing(up, long, start).state, long), alertAfterMs(up, long));
  const down = takePing(up, long, aPing(1_000, { kind: 'fail' })).state;
  t.match(takePing(down, long, start), { state: { phase: 'down' }, effects: [] });
  const first = takePing(newHeartbeat, long, start).state;
  t.equal(alertAfterMs(first, long), 9 * MINUTE_MS + 660_000);
});

t.test('after a pause a heartbeat waits from the resume on, and one without any ping is new again', async (t) => {
  const long = ruleOf();
  const down = takePing(up, long, aPing(1_000, { kind: 'fail' })).state;
  const resumed = waitingFrom(stopped(down), long, 1e9);
  t.equal(alertAfterMs(resumed, long), 1e9 + 660_000);
  t.same(waitingFrom(stopped(newHeartbeat), long, 1e9), newHeartbeat);
  t.equal(shownState(resumed, false, 1e9), 'paused');
});
