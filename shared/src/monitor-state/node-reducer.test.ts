import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import {
  type CheckOutcome,
  type NodeWord,
  passCheck,
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

/** Reference implementation, which examines the whole past after each check. */
function byReference(checks: readonly CheckOutcome[], { consecutiveFail, consecutiveOk }: StreakRule): NodeWord {
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
  if (isOn((outcome) => outcome !== 'ok')) return 'degraded';
  const runs = (isOne: (outcome: CheckOutcome) => boolean, length: number) =>
    checks.some((_, index) => index + 1 >= length && checks.slice(index + 1 - length, index + 1).every(isOne));
  const isDecided =
    runs((outcome) => outcome === 'ok', consecutiveOk) || runs((outcome) => outcome !== 'ok', consecutiveFail);
  return isDecided ? 'ok' : 'undecided';
}

const run = (checks: readonly CheckOutcome[], rule: StreakRule) =>
  checks.reduce((state, outcome, slot) => reduceCheck(state, { slot, outcome }, rule), unchecked);

t.test('a verdict follows from all past checks by the rule', async (t) => {
  fc.assert(
    fc.property(outcomes, rules, (checks, rule) => t.equal(run(checks, rule).verdict, byReference(checks, rule))),
    { numRuns: rounds(500) },
  );
});

t.test('a late or repeated check changes nothing', async (t) => {
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
  t.same(verdicts('ok', 'failed', 'failed', 'ok'), ['ok', 'ok', 'failing', 'ok']);
  t.same(verdicts('ok', 'degraded', 'failed', 'failed', 'degraded', 'ok'), [
    'ok',
    'ok',
    'degraded',
    'failing',
    'degraded',
    'ok',
  ]);
});

t.test('before the first decision a target has no verdict', async (t) => {
  const verdicts = (rule: StreakRule, ...checks: CheckOutcome[]) =>
    checks.map((_, index) => run(checks.slice(0, index + 1), rule).verdict);
  const usual = { consecutiveFail: 2, consecutiveOk: 1 };
  t.same(verdicts(usual, 'failed', 'failed', 'ok'), ['undecided', 'failing', 'ok']);
  t.same(verdicts(usual, 'degraded', 'failed'), ['undecided', 'degraded']);
  t.same(verdicts(usual, 'failed', 'ok', 'failed'), ['undecided', 'ok', 'ok']);
  const slow = { consecutiveFail: 3, consecutiveOk: 2 };
  t.same(verdicts(slow, 'ok', 'failed', 'ok', 'ok'), ['undecided', 'undecided', 'undecided', 'ok']);
});

t.test('a check that could not be made decides nothing, and is not looked at again', async (t) => {
  const rule = { consecutiveFail: 1, consecutiveOk: 1 };
  const first = passCheck(unchecked, 5);
  t.match(first, { verdict: 'undecided', since: 5, slot: 5 });
  t.equal(reduceCheck(first, { slot: 5, outcome: 'failed' }, rule), first);
  const failing = reduceCheck(first, { slot: 6, outcome: 'failed' }, rule);
  t.same(passCheck(failing, 7), { ...failing, slot: 7 });
  t.equal(passCheck(failing, 6), failing);
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
  t.equal(since('ok', 'ok', 'failed', 'ok'), 1);
  t.equal(since('ok', 'failed', 'failed', 'failed'), 2);
  t.equal(since('failed', 'ok'), 0, 'undecided');
  t.equal(since('failed', 'failed', 'ok', 'ok', 'ok'), 3);
});
