import {
  type DecodedAgentFrame,
  type Lane,
  laneCode,
  laneName,
  MalformedFrameError,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import { MAX_BATCH_ROWS } from '@vantage/shared/protocol/limits.js';
import type { Ingest } from '../../ingest/index.js';
import type { CatchUp, LaneNumbers } from '../records/catch-up.js';
import { MOST_ROWS } from './credit-plan.js';
import type { StorageWatch } from './storage-watch.js';

// number of unstored rows from which an agent counts as hostile
const MAX_UNSTORED_ROWS = 10 * MOST_ROWS;

interface ResultsInParts {
  readonly ingest: Pick<Ingest, 'store' | 'storeGap'>;
  readonly link: { readonly nodeId: string; readonly sessionId: string };
  /** Epoch of the spool the node had when it connected. */
  readonly epoch: Buffer;
  readonly catchUp: CatchUp;
  /** Highest sequence number of the epoch that is stored, by lane. */
  readonly marks: LaneNumbers;
  readonly storage: Pick<StorageWatch, 'failed' | 'succeeded'>;
  /** Counts bytes that are kept until they are stored. */
  readonly hold: <T>(bytes: number, work: Promise<T>) => Promise<T>;
  /** Counts milliseconds for which it kept this process busy. */
  readonly spend: (ms: number) => void;
  readonly send: (frame: ServerFrame) => void;
  /** Called when the result of a task is stored. */
  readonly onAnswered: (taskId: string) => void;
  /** Called if the database accepts nothing over this link any more: the node is banned, or has another live link. */
  readonly onRefused: () => void;
  /** Called when everything that the node held when it connected is stored. */
  readonly onCaughtUp: () => void;
}

type Outcome = Awaited<ReturnType<Ingest['store']>>;

/** Stores the results of the node of one link, and acknowledges those that are stored. */
export class ResultsIn {
  readonly #parts: ResultsInParts;
  #unstoredRows = 0;
  /** Highest stored sequence number of the spool's epoch by lane, as the database last confirmed it. */
  readonly #stored: Record<Lane, number>;
  /** Lanes whose agent will be asked to send again. */
  readonly #stalled = new Set<Lane>();
  /** Settles when the last batch, and the last dropped range, are stored or have failed. */
  #batchStored: Promise<unknown> = Promise.resolve();
  #rangeStored: Promise<unknown> | null = null;

  constructor(parts: ResultsInParts) {
    this.#parts = parts;
    this.#stored = { ...parts.marks };
  }

  /** Epoch of the spool and its marks, as the database last confirmed them. */
  get stored(): { readonly epoch: Buffer; readonly marks: LaneNumbers } {
    return { epoch: this.#parts.epoch, marks: { ...this.#stored } };
  }

  /** True if everything the node held when it connected is stored. */
  get isCaughtUp(): boolean {
    return this.#parts.catchUp.isDone;
  }

  /** Resolves when everything received is stored or has failed. */
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

  /** Takes the report that a full spool has dropped results. @throws MalformedFrameError */
  async takeDropped(dropped: NonNullable<DecodedAgentFrame['dropped']>): Promise<void> {
    const lane = laneName(dropped.lane);
    const { first, last } = dropped;
    if (first < 1 || last < first) throw new MalformedFrameError('dropped range out of order');
    this.#countUnstored(1);
    const { ingest, link } = this.#parts;
    const reason = dropped.reason.slice(0, 64);
    const store = () => ingest.storeGap({ ...link, epoch: Buffer.from(dropped.epoch), lane, first, last, reason });
    // in the order they were sent, and one transaction of a link at a time: they share the pool with all others
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

  /**
   * Handles the outcome of a batch. Rows that cannot be stored are not kept here: the agent still has them, and is
   * asked for them when the database is available again.
   */
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
    const { send, onRefused, onCaughtUp, catchUp } = this.#parts;
    if (outcome.kind === 'refused') return onRefused();
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
