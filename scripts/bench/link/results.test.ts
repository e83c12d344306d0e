import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { parseResult } from 'vantage-control/ingest/parse-result.js';
import { pingResult } from './results.js';

t.test('what the benchmark delivers is a result that the control plane takes', async (t) => {
  t.hasProp(parseResult(pingResult(newId(idPrefixes.probeTask)), Date.now()), 'row');
});
