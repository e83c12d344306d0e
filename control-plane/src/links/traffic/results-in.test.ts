import {
  type DecodedAgentFrame,
  LaneCode,
  MalformedFrameError,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { CatchUp } from '../records/catch-up.js';
import { ResultsIn } from './results-in.js';

type Batch = NonNullable<DecodedAgentFrame['results']>;
const epoch = Buffer.alloc(16, 7);

function batch(first: number, rows = 1): Batch {
  const results = Array.from({ length: rows }, (_, index) => ({
    taskId: `t${first + index}`,
    resultJson: Buffer.from('{}'),
    detailsJson: Buffer.alloc(0),
  }));
  return { epoch, lane: LaneCode.LANE_TASK, first, results } as unknown as Batch;
}

function dropped(first: number, last: number) {
  return { epoch, lane: LaneCode.LANE_TASK, first, last, reason: 'spool_full' };
}

/** Results whose storing ends when the test says so; `log` has what began, in order. */
function aLink({ held = 0, back = Promise.resolve(), error = null as Error | null } = {}) {
  const log: string[] = [];
  const sent: ServerFrame[] = [];
  const ends: (() => void)[] = [];
  let caughtUp = 0;
  const store = (what: string, mark: number) => {
    log.push(what);
    if (error !== null) return Promise.reject(error);
    return new Promise<{ kind: 'stored'; mark: number; rejects: [] }>((resolve) => {
      ends.push(() => resolve({ kind: 'stored', mark, rejects: [] }));
    });
  };
  const results = new ResultsIn({
    ingest: {
      store: ({ first, results }) => store(`batch ${first}`, first + results.length - 1),
      storeGap: ({ first, last }) => store(`range ${first}`, last),
    },
    link: { nodeId: 'n_1', sessionId: 's_1' },
    epoch,
    marks: { task: 0, check: 0 },
    storage: { succeeded: () => {}, failed: () => back },
    catchUp: new CatchUp({ task: 0, check: 0 }, { task: held, check: 0 }),
    hold: (_bytes, work) => work,
    spend: () => {},
    send: (frame) => void sent.push(frame),
    onAnswered: () => {},
    onRefused: () => {},
    onCaughtUp: () => void (caughtUp += 1),
  });
  const end = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { results, log, sent, end, caughtUp: () => caughtUp };
}

t.test('batches are stored side by side, a dropped range after all before it and before all behind it', async (t) => {
  const { results, log, end } = aLink();
  const work = [results.takeBatch(batch(1)), results.takeDropped(dropped(2, 5)), results.takeBatch(batch(6))];
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(log, ['batch 1']);
  await end();
  t.strictSame(log, ['batch 1', 'range 2']);
  await end();
  t.strictSame(log, ['batch 1', 'range 2', 'batch 6']);
  work.push(results.takeBatch(batch(7)));
  t.strictSame(log.slice(3), ['batch 7']);
  await end();
  await end();
  await Promise.all(work);
});

t.test('a node has caught up once, when what it held is stored', async (t) => {
  const { results, end, caughtUp, sent } = aLink({ held: 2 });
  t.equal(results.isCaughtUp, false);
  for (const first of [1, 2, 3]) {
    const work = results.takeBatch(batch(first));
    await end();
    await work;
    t.equal(caughtUp(), first === 1 ? 0 : 1);
  }
  t.equal(results.isCaughtUp, true);
  t.strictSame(
    sent.map(({ ack }) => ack?.mark),
    [1, 2, 3],
  );
});

t.test('results that cannot be stored are requested once, in order, when the database is back', async (t) => {
  let comeBack = () => {};
  const back = new Promise<void>((resolve) => {
    comeBack = resolve;
  });
  const { results, sent } = aLink({ back, error: new Error('connection refused') });
  const work = [results.takeBatch(batch(1)), results.takeBatch(batch(2)), results.takeDropped(dropped(3, 4))];
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(sent, [], 'no answer while there is no database');
  comeBack();
  await Promise.all(work);
  t.match(sent, [{ ack: { mark: 0, rewind: true } }]);
  t.equal(sent.length, 1);
});

t.test('more rows unstored than ten times what was granted are no honest agent’s', async (t) => {
  const { results } = aLink();
  for (let first = 1; first <= 19_501; first += 500) void results.takeBatch(batch(first, 500));
  await t.rejects(results.takeBatch(batch(20_001)), MalformedFrameError);
});
