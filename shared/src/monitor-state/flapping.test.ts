import t from 'tap';
import { changeShare, FLAP_RESULTS, isFlapping } from './flapping.js';
import type { CheckOutcome } from './node-reducer.js';

/** "+" ok, "~" degraded, "-" failed. */
const results = (text: string): CheckOutcome[] =>
  [...text].map((sign) => (sign === '+' ? 'ok' : sign === '~' ? 'degraded' : 'failed'));
const steady = '+'.repeat(FLAP_RESULTS);

t.test('the share of changes is 0 for what never changes and 1 for what always does', async (t) => {
  t.equal(changeShare([]), 0);
  t.equal(changeShare(results(steady)), 0);
  t.ok(Math.abs(changeShare(results('+-'.repeat(11).slice(0, FLAP_RESULTS))) - 1) < 1e-9);
  t.ok(Math.abs(changeShare(results('+~-'.repeat(7))) - 1) < 1e-9, 'from bad to worse is a change');
});

t.test('newer changes weigh more, and results beyond the last 21 nothing', async (t) => {
  const old = changeShare(results(`-${steady.slice(1)}`));
  const fresh = changeShare(results(`${steady.slice(1)}-`));
  t.ok(Math.abs(old - 0.0375) < 1e-9 && Math.abs(fresh - 0.0625) < 1e-9, `${old} and ${fresh}`);
  t.equal(changeShare(results(`+-+-+-${steady}`)), 0);
});

t.test('a monitor begins to flap at half of the changes and has settled below a quarter', async (t) => {
  t.equal(isFlapping(false, results('+-+-')), false, 'a few results are no flapping');
  t.equal(isFlapping(false, results('++--+-++-+-+--+-+-+-+')), true);
  const fewer = results('+++++++++++-+-+-+-+++');
  t.equal(isFlapping(false, fewer), false);
  t.equal(isFlapping(true, fewer), true, 'what flaps goes on longer');
  t.equal(isFlapping(true, results('+-+-+-+-+++++++++++++')), true);
  t.equal(isFlapping(true, results('+-+-++++++++++++++++++'.slice(0, 21))), false);
});
