import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { SelfTestsIn } from './self-test.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const report = (finishedAtMs: number) => ({ finishedAtMs, checks: [] });

t.test('of a thousand simultaneous self-tests the first and the newest are stored, a second apart', async (t) => {
  const clock = new FakeClock();
  const stored: number[] = [];
  const failures: unknown[] = [];
  const selfTests = new SelfTestsIn({
    clock,
    store: async ({ finishedAt }) => {
      stored.push(finishedAt);
      if (stored.length === 1) throw new Error('no database');
    },
    onFailed: (error) => failures.push(error),
  });
  for (let number = 1; number <= 1_000; number += 1) selfTests.take(report(number));
  await settled();
  t.strictSame(stored, [1]);
  t.match(failures, [{ message: 'no database' }]);
  clock.advance(1_000);
  await settled();
  t.strictSame(stored, [1, 1_000]);
  clock.advance(1_000);
  await settled();
  selfTests.take(report(2 ** 53 - 1));
  await settled();
  t.strictSame(stored.slice(2), [Date.parse('9999-12-31T23:59:59.999Z')], 'at once after a rest, and never of no date');
  selfTests.take(report(7));
  selfTests.end();
  clock.advance(10_000);
  await settled();
  t.equal(stored.length, 3, 'nothing of a link that is over');
});
