import fc from 'fast-check';
import t from 'tap';
import {
  type CheckOutcome,
  type NodeVerdict,
  reduceCheck,
  type StreakRule,
  streakOf,
  unchecked,
} from './node-reducer.js';

const outcomes = fc.array(fc.constantFrom<CheckOutcome>('ok', 'degraded', 'failed'), { maxLength: 40 });
const rules = fc.record({
  consecutiveFail: fc.integer({ min: 1, max: 5 }),
  consecutiveOk: fc.integer({ min: 1, max: 4 }),
});

/** As one would say it: after each check, the whole past is looked at again. */
function byReference(checks: readonly CheckOutcome[], { consecutiveFail, consecutiveOk }: StreakRule): NodeVerdict {
  const isOn = (isBad: (outcome: CheckOutcome) => boolean): boolean => {
    let on = false;
    checks.forEach((_, index) => {
      const past = checks.slice(0, index + 1);
      const lately = (count: number) => (past.length < count ? null : past.slice(-count));
      if (lately(consecutiveFail)?.every(isBad)) on = true;
      if (lately(consecutiveOk)?.every((outcome) => !isBad(outcome))) on = false;
    });
    return on;
  };
  if (isOn((outcome) => outcome === 'failed')) return 'failing';
  return isOn((outcome) => outcome !== 'ok') ? 'degraded' : 'ok';
}

const run = (checks: readonly CheckOutcome[], rule: StreakRule) =>
  checks.reduce((state, outcome, slot) => reduceCheck(state, { slot, outcome }, rule), unchecked);

t.test('a verdict is what the whole past of checks says, by the rule', async (t) => {
  fc.assert(
    fc.property(outcomes, rules, (checks, rule) => t.equal(run(checks, rule).verdict, byReference(checks, rule))),
    { numRuns: 500 },
  );
});

t.test('a check that comes late or again changes nothing', async (t) => {
  fc.assert(
    fc.property(
      outcomes,
      rules,
      fc.nat(40),
      fc.constantFrom<CheckOutcome>('ok', 'failed'),
      (checks, rule, slot, outcome) => {
        const state = run(checks, rule);
        if (state.slot !== null && slot <= state.slot) t.equal(reduceCheck(state, { slot, outcome }, rule), state);
      },
    ),
  );
});

t.test('one bad check of two changes nothing, two do, and one good check ends it', async (t) => {
  const rule = { consecutiveFail: 2, consecutiveOk: 1 };
  const verdicts = (...checks: CheckOutcome[]) =>
    checks.map((_, index) => run(checks.slice(0, index + 1), rule).verdict);
  t.same(verdicts('failed', 'ok', 'failed', 'failed', 'ok'), ['ok', 'ok', 'ok', 'failing', 'ok']);
  t.same(verdicts('degraded', 'failed', 'failed', 'degraded', 'ok'), ['ok', 'degraded', 'failing', 'degraded', 'ok']);
});

t.test('a streak is the run of checks that are as bad as the newest, or as good', async (t) => {
  const rule = { consecutiveFail: 2, consecutiveOk: 1 };
  const streak = (...checks: CheckOutcome[]) => streakOf(run(checks, rule));
  t.equal(streak(), 0);
  t.equal(streak('ok', 'ok'), 2);
  t.equal(streak('ok', 'failed', 'failed', 'failed'), 3);
  t.equal(streak('failed', 'degraded'), 2);
});

t.test('a verdict is since the check that made it', async (t) => {
  const rule = { consecutiveFail: 2, consecutiveOk: 2 };
  const since = (...checks: CheckOutcome[]) => run(checks, rule).since;
  t.equal(since(), null);
  t.equal(since('ok', 'failed', 'ok'), 0);
  t.equal(since('ok', 'failed', 'failed', 'failed'), 2);
  t.equal(since('failed', 'failed', 'ok', 'ok', 'ok'), 3);
});
