import t from 'tap';
import { hadIdleTime, untilProcessorsIdle } from './idle-processors.js';

t.test('processors had idle time if they were idle for a tenth of the time since the reading before', async (t) => {
  const before = { idleMs: 5_000, allMs: 80_000 };
  t.equal(hadIdleTime(before, { idleMs: 5_199, allMs: 82_000 }), false);
  t.equal(hadIdleTime(before, { idleMs: 5_200, allMs: 82_000 }), true);
});

t.test('the wait for idle processors ends when nothing is left to run', async (t) => {
  let looks = 0;
  await untilProcessorsIdle(() => {
    looks += 1;
    return true;
  });
  t.equal(looks, 1);
});
