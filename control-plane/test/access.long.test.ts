import t from 'tap';
import { accessOf } from './_support/access.js';
import { startStack } from './_support/stack.js';

t.test('every operation admits every caller it declares, and refuses every other with the right code', async (t) => {
  await accessOf(await startStack(t, { VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32' })).checkAll(t, () => true);
});
