import {
  type DecodedAgentFrame,
  type Lane,
  laneCode,
  laneName,
  MalformedFrameError,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import { MAX_BATCH_ROWS } from '@vantage/shared/protocol/limits.js';
import type { Ingest } from '../ingest/index.js';
import type { CatchUp, LaneNumbers } from './catch-up.js';
import { MOST_ROWS } from './credit-plan.js';
import type { StorageWatch } from './storage-watch.js';

// rows an agent may have unstored here before it counts as hostile
const MAX_UNSTORED_ROWS = 10 * MOST_ROWS;

interface ResultsInParts {
  readonly ingest: Pick<Ingest, 'store' | 'storeGap'>;
  readonly link: { readonly nodeId: string; readonly sessionId: string };
  /** Of the spool the node had when it connected. */
  readonly epoch: Buffer;
  readonly catchUp: CatchUp;
  /** What the database has of it. */
  readonly marks: LaneNumbers;
  readonly storage: Pick<StorageWatch, 'failed' | 'succeeded'>;
  /** Counts bytes that are kept until they are stored. */
  readonly hold: <T>(bytes: number, work: Promise<T>) => Promise<T>;
  /** Counts milliseconds for which it kept this process busy. */
  readonly spend: (ms: number) => void;
  readonly send: (frame: ServerFrame) => void;
  /** The result of a task is here. */
  readonly onAnswered: (taskId: string) => void;
  /** The database has another live link of the node. */
  readonly onReplaced: () => void;
  /** Everything the node held when it connected is stored now. */
  readonly onCaughtUp: () => void;
}

type Outcome = Awaited<ReturnType<Ingest['store']>>;

/** Stores what the node of one link delivers, and acknowledges what is stored. */
export class ResultsIn {
  readonly #parts: ResultsInParts;
  #unstoredRows = 0;
  /** What the database last said it has of the spool's epoch. */
  readonly #stored: Record<Lane, number>;
  /** Lanes whose agent will be asked to begin again. */
  readonly #stalled = new Set<Lane>();
  /** Settles when the last batch, and the last dropped range, are stored or have failed. */
  #batchStored: Promise<unknown> = Promise.resolve();
  #rangeStored: Promise<unknown> | null = null;

  constructor(parts: ResultsInParts) {
    this.#parts = parts;
    this.#stored = { ...parts.marks };
  }

  /** What the database last said it has, of which spool. */
  get stored(): { readonly epoch: Buffer; readonly marks: LaneNumbers } {
    return { epoch: this.#parts.epoch, marks: { ...this.#stored } };
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
    const { ingest, link, spend: onSpent } = this.#parts;
    const storedThrough = this.#parts.epoch.equals(batch.epoch) ? this.#stored[lane] : 0;
    const store = () =>
      ingest.store({ ...link, epoch: Buffer.from(batch.epoch), lane, first, results, storedThrough, onSpent });
    // a dropped range before this batch takes the numbers that the batch follows
    const storing = this.#rangeStored === null ? store() : this.#rangeStored.then(store);
    this.#batchStored = storing.catch(() => {});
    const bytes = results.reduce((sum, { resultJson, detailsJson }) => sum + resultJson.length + detailsJson.length, 0);
    const held = this.#parts.hold(bytes, storing);
    await this.#finish({ epoch: batch.epoch, lane, rows: results.length }, held);
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
    const forgotten = storing.finally(() => {
      if (this.#rangeStored === stored) this.#rangeStored = null;
    });
    await this.#finish({ epoch: dropped.epoch, lane, rows: 1 }, forgotten);
  }

  #countUnstored(rows: number): void {
    this.#unstoredRows += rows;
    if (this.#unstoredRows > MAX_UNSTORED_ROWS) throw new MalformedFrameError('more rows in flight than were granted');
  }

  /** What can't be stored is not kept here: the agent has it, and is asked for it when there is a database again. */
  async #finish({ epoch, lane, rows }: { epoch: Uint8Array; lane: Lane; rows: number }, storing: Promise<Outcome>) {
    let outcome: Outcome;
    try {
      outcome = await storing;
    } catch (error) {
      return await this.#askAgain(epoch, lane, error);
    } finally {
      this.#unstoredRows -= rows;
    }
    this.#parts.storage.succeeded();
    await this.#acknowledge(epoch, lane, outcome);
  }

  async #askAgain(epoch: Uint8Array, lane: Lane, error: unknown): Promise<void> {
    if (this.#stalled.has(lane)) return;
    this.#stalled.add(lane);
    await this.#parts.storage.failed(error);
    this.#stalled.delete(lane);
    this.#parts.send({ ack: { epoch, lane: laneCode(lane), mark: this.#stored[lane], rejects: [], rewind: true } });
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
    if (!this.#parts.epoch.equals(epoch)) return;
    this.#stored[lane] = outcome.mark;
    if (catchUp.reach(lane, outcome.mark)) onCaughtUp();
  }
}
