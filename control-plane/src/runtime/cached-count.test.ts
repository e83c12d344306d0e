import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { cachedCount } from './cached-count.js';

t.test('a count is made once in its time, and is null while the database does not respond', async (t) => {
  const clock = new FakeClock();
  let counts = 0;
  let isDown = false;
  const read = cachedCount(
    clock,
    async () => {
      counts += 1;
      if (isDown) throw new Error('down');
      return counts;
    },
    10_000,
  );
  t.strictSame(await Promise.all([read(), read()]), [1, 1]);
  clock.advance(9_999);
  t.equal(await read(), 1);
  clock.advance(1);
  isDown = true;
  t.equal(await read(), null);
  isDown = false;
  t.equal(await read(), null, 'a failure is not repeated at once');
  clock.advance(10_000);
  t.equal(await read(), 3);
});
