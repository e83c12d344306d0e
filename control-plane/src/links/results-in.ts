import {
  type DecodedAgentFrame,
  type Lane,
  laneCode,
  laneName,
  lanes,
  MalformedFrameError,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import { MAX_BATCH_ROWS } from '@vantage/shared/protocol/limits.js';
import type { Ingest } from '../ingest/index.js';
import type { CatchUp } from './catch-up.js';

// rows an agent may have in flight per lane, and may have unstored here before it counts as hostile
const CREDIT_ROWS = 2_000;
const MAX_UNSTORED_ROWS = 10 * CREDIT_ROWS;

/** How many rows an agent may have in flight, as the welcome tells it. */
export const credits: NonNullable<NonNullable<ServerFrame['welcome']>['credits']> = lanes.map((lane) => ({
  lane: laneCode(lane),
  rows: CREDIT_ROWS,
}));

interface ResultsInParts {
  readonly ingest: Pick<Ingest, 'store' | 'storeGap'>;
  readonly link: { readonly nodeId: string; readonly sessionId: string };
  /** Of the spool the node had when it connected. */
  readonly epoch: Buffer;
  readonly catchUp: CatchUp;
  /** Counts bytes that are kept until they are stored. */
  readonly hold: <T>(bytes: number, work: Promise<T>) => Promise<T>;
  readonly send: (frame: ServerFrame) => void;
  /** The result of a task is here. */
  readonly onAnswered: (taskId: string) => void;
  /** The database has another live link of the node. */
  readonly onReplaced: () => void;
  /** Everything the node held when it connected is stored now. */
  readonly onCaughtUp: () => Promise<void>;
}

type Outcome = Awaited<ReturnType<Ingest['store']>>;

/** Stores what the node of one link delivers, and acknowledges what is stored. */
export class ResultsIn {
  readonly #parts: ResultsInParts;
  #unstoredRows = 0;
  /** Settles when the last batch, and the last dropped range, are stored or have failed. */
  #batchStored: Promise<unknown> = Promise.resolve();
  #rangeStored: Promise<unknown> | null = null;

  constructor(parts: ResultsInParts) {
    this.#parts = parts;
  }

  /** Whether nothing the node held when it connected is missing any more. */
  get isCaughtUp(): boolean {
    return this.#parts.catchUp.isDone;
  }

  /** Resolves when all that came is stored or has failed. */
  async settled(): Promise<void> {
    await Promise.all([this.#batchStored, this.#rangeStored]);
  }

  /** @throws MalformedFrameError */
  async takeBatch(batch: NonNullable<DecodedAgentFrame['results']>): Promise<void> {
    const lane = laneName(batch.lane);
    const { results, first } = batch;
    if (results.length === 0 || results.length > MAX_BATCH_ROWS) throw new MalformedFrameError('batch of wrong size');
    if (first < 1 || first > Number.MAX_SAFE_INTEGER - results.length)
      throw new MalformedFrameError('sequence out of range');
    this.#countUnstored(results.length);
    for (const { taskId } of results) this.#parts.onAnswered(taskId);
    const { ingest, link } = this.#parts;
    const store = () => ingest.store({ ...link, epoch: Buffer.from(batch.epoch), lane, first, results });
    // a dropped range before this batch takes the numbers that the batch follows
    const storing = this.#rangeStored === null ? store() : this.#rangeStored.then(store);
    this.#batchStored = storing.catch(() => {});
    const bytes = results.reduce((sum, { resultJson }) => sum + resultJson.length, 0);
    const outcome = await this.#parts.hold(bytes, storing);
    this.#unstoredRows -= results.length;
    await this.#acknowledge(batch.epoch, lane, outcome);
  }

  /** Takes the news that a full spool has dropped results. @throws MalformedFrameError */
  async takeDropped(dropped: NonNullable<DecodedAgentFrame['dropped']>): Promise<void> {
    const lane = laneName(dropped.lane);
    const { first, last } = dropped;
    if (first < 1 || last < first) throw new MalformedFrameError('dropped range out of order');
    this.#countUnstored(1);
    const { ingest, link } = this.#parts;
    const reason = dropped.reason.slice(0, 64);
    const store = () => ingest.storeGap({ ...link, epoch: Buffer.from(dropped.epoch), lane, first, last, reason });
    // in the order they were sent, and one transaction of a link at a time: they share the pool with everybody
    const storing = Promise.all([this.#batchStored, this.#rangeStored]).then(store);
    const stored = storing.catch(() => {});
    this.#rangeStored = stored;
    const outcome = await storing;
    if (this.#rangeStored === stored) this.#rangeStored = null;
    this.#unstoredRows -= 1;
    await this.#acknowledge(dropped.epoch, lane, outcome);
  }

  #countUnstored(rows: number): void {
    this.#unstoredRows += rows;
    if (this.#unstoredRows > MAX_UNSTORED_ROWS) throw new MalformedFrameError('more rows in flight than were granted');
  }

  async #acknowledge(epoch: Uint8Array, lane: Lane, outcome: Outcome): Promise<void> {
    const { send, onReplaced, onCaughtUp, catchUp } = this.#parts;
    if (outcome.kind === 'refused') return onReplaced();
    send({
      ack: {
        epoch,
        lane: laneCode(lane),
        mark: outcome.mark,
        rejects: outcome.kind === 'stored' ? [...outcome.rejects] : [],
        rewind: outcome.kind === 'gap',
      },
    });
    if (this.#parts.epoch.equals(epoch) && catchUp.reach(lane, outcome.mark)) await onCaughtUp();
  }
}
