import t from 'tap';
import { FuzzedApi } from './_support/fuzz/fuzz-api.js';
import { expectSuccesses, tryEveryOperation } from './_support/fuzz/fuzz-suite.js';

t.setTimeout(600_000);
const api = await FuzzedApi.start(t);

t.test('two hundred requests of each operation: none fails or is answered as the document does not say', async (t) => {
  await tryEveryOperation(t, api, 200);
  expectSuccesses(t, api);
});
