import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { createLogger } from '../runtime/log.js';
import { firstOf } from './batch.js';
import { Ingest, type IngestStore, type StoreBatch, type StoreOutcome } from './index.js';

const epoch = Buffer.alloc(16, 1);

/** An ingest whose database answers when a test lets it, and has everything up to `mark`. */
function heldIngest(mark = 0) {
  const transactions: (readonly StoreBatch[])[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const state = { mark };
  const outcomeOf = (batch: StoreBatch): StoreOutcome => {
    const [first, last] = [firstOf(batch), batch.last];
    if (first > state.mark + 1) return { kind: 'gap', mark: state.mark };
    const previousMark = state.mark;
    state.mark = Math.max(previousMark, last);
    return { kind: 'stored', mark: state.mark, previousMark, finished: [] };
  };
  const store: IngestStore = {
    storeBatches: async (batches) => {
      transactions.push(batches);
      await held;
      return batches.map(outcomeOf);
    },
    storeRowByRow: async () => ({ kind: 'refused' }),
    storeGap: async () => ({ kind: 'refused' }),
  };
  const metrics = { observe: () => {}, countRejects: () => {}, countResult: () => {} };
  const ingest = new Ingest({ store, clock: new FakeClock(), log: createLogger('silent'), metrics });
  const ranges = () => transactions.map((batches) => batches.map((batch) => [firstOf(batch), batch.last]));
  return { ingest, release: () => release(), ranges, forget: (to: number) => (state.mark = to) };
}

function delivery(first: number, rows: number, parts: { sessionId?: string; storedThrough?: number } = {}) {
  const results = Array.from({ length: rows }, () => ({ taskId: 'nobody', probeType: 'tcp' }));
  return { nodeId: 'n_1', sessionId: 'ses_1', epoch, lane: 'task' as const, first, results, ...parts };
}

t.test('small batches of a node that wait and follow each other are one, each with its own rejects', async (t) => {
  const { ingest, release, ranges } = heldIngest();
  const answers = [1, 2, 3].map((first) => ingest.store(delivery(first, 1)));
  release();
  t.strictSame(
    await Promise.all(answers),
    [1, 2, 3].map((sequence) => ({ kind: 'stored', mark: 3, rejects: [{ sequence, code: 'unknown_task' }] })),
  );
  t.strictSame(ranges(), [[[1, 3]]]);
});

t.test('batches that do not follow, of another session or too large are not joined', async (t) => {
  const { ingest, release, ranges } = heldIngest();
  const waiting = [
    delivery(1, 1),
    delivery(2, 60),
    delivery(62, 60),
    delivery(130, 1),
    delivery(122, 1, { sessionId: 'ses_2' }),
  ].map((one) => ingest.store(one));
  release();
  const answers = await Promise.all(waiting);
  t.strictSame(ranges(), [[[1, 61]], [[62, 121]], [[130, 130]], [[122, 122]]]);
  t.match(answers[3], { kind: 'gap', mark: 121 });
});

t.test(
  'batches that are stored already are asked for at once, and come again when the database has lost them',
  async (t) => {
    const { ingest, release, ranges, forget } = heldIngest(3_000);
    const again = () =>
      [1, 1_001, 2_001].map((first) => ingest.store(delivery(first, 1_000, { storedThrough: 3_000 })));
    const waiting = again();
    release();
    t.strictSame(
      (await Promise.all(waiting)).map(({ kind }) => kind),
      ['stored', 'stored', 'stored'],
    );
    t.strictSame(ranges(), [[[3_001, 3_000]]]);
    forget(1_500);
    t.strictSame(
      (await Promise.all(again())).map(({ kind }) => kind),
      ['gap', 'gap', 'gap'],
    );
  },
);
