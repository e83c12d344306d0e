import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { createLogger } from '../runtime/log.js';
import { firstOf } from './batch.js';
import { Ingest, type IngestStore, type StoreBatch } from './index.js';

const epoch = Buffer.alloc(16, 1);

/** A batch of one row, as the result of a one-shot probe comes. */
function single(nodeId: string, first: number) {
  const results = [{ taskId: newId('pt_'), probeType: 'tcp', resultJson: Buffer.from('{}') }];
  return { nodeId, sessionId: `ses_${nodeId}`, epoch, lane: 'task' as const, first, results };
}

t.test('a node that delivers thousands of small batches delays no other node', async (t) => {
  const transactions: (readonly StoreBatch[])[] = [];
  const store: IngestStore = {
    storeBatches: async (batches) => {
      transactions.push(batches);
      return batches.map(({ last }) => ({ kind: 'stored', mark: last, previousMark: last, finished: [] }));
    },
    storeRowByRow: async () => ({ kind: 'refused' }),
    storeGap: async () => ({ kind: 'refused' }),
  };
  const metrics = { observe: () => {}, countRejects: () => {}, countResult: () => {} };
  const ingest = new Ingest({ store, clock: new FakeClock(), log: createLogger('silent'), metrics });
  const flood = Array.from({ length: 5_000 }, (_, index) => ingest.store(single('n_flood', index + 1)));
  await ingest.store(single('n_other', 1));
  t.ok(transactions.length <= 3, `the other waited for ${transactions.length - 1} transactions`);
  await Promise.all(flood);
  const ranges = transactions.flatMap((batches) => batches.filter(({ nodeId }) => nodeId === 'n_flood'));
  let stored = 0;
  for (const range of ranges) {
    const [first, last] = [firstOf(range), range.last];
    t.equal(first, stored + 1, 'in their order');
    t.ok(last - first < 100, 'small ones together, and never many');
    stored = last;
  }
  t.equal(stored, 5_000);
});
