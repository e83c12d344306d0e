import t from 'tap';
import { runSeed } from './run.js';

t.test('a partition of an hour costs no result', async (t) => {
  const { breaches } = await runSeed(1, { faults: ['partition of an hour'], troubleMs: 3_700_000 });
  t.strictSame(breaches, []);
});
