import type { Clock } from '@vantage/shared/clock.js';
import { type Lane, laneCode, type ResultMessage } from '@vantage/shared/protocol/codec.js';
import type { Logger } from 'pino';
import { Batcher } from '../db/batcher.js';
import { Backlog, type IngestPressure } from './backlog.js';
import {
  type RowBatch,
  rowsOf,
  type StoreBatch,
  type StoredResult,
  type StoreOutcome,
  type StoreRow,
} from './batch.js';
import { type IngestStore, isDataError } from './ingest-store.js';
import { canJoin, joinBatches } from './joined-batches.js';
import type { Annotate, RejectCode } from './parse-result.js';
import { type ResultKind, ResultReader, resultKinds } from './result-kinds.js';
import { TimeSlices } from './time-slices.js';

export type { IngestPressure } from './backlog.js';
export type { OwnRow, RowBatch, StoreBatch, StoredResult, StoreOutcome, StoreRow, TaskResultRow } from './batch.js';
export { type IngestStore, ingestStore } from './ingest-store.js';
export { type KindRow, type OwnKind, ownKind, type ResultKind, taskResults } from './result-kinds.js';
export { deleteOldIngestRecords } from './retention-store.js';

// greatest number of batches in one transaction: a batch has up to 1 000 rows, most have a few. One of each node, or
// small ones that follow each other: a node that sends a thousand batches of one row delays no other node
const MAX_BATCHES = 64;

/** Delivery of one link: `results[i]` has sequence `first + i`. */
export interface Delivery {
  readonly nodeId: string;
  readonly sessionId: string;
  readonly epoch: Buffer;
  readonly lane: Lane;
  readonly first: number;
  readonly results: readonly ResultMessage[];
  /**
   * Mark that the database is believed to have for this lane: a batch that ends there is not read again, and only asks
   * whether that is true.
   */
  readonly storedThrough?: number;
  /** Called with the time that reading took beyond this call, in milliseconds. */
  readonly onSpent?: (ms: number) => void;
}

/** Range of numbers that the agent had to drop. */
export interface DroppedRange extends Omit<Delivery, 'results' | 'storedThrough' | 'onSpent'> {
  readonly last: number;
  readonly reason: string;
}

export interface Reject {
  readonly sequence: number;
  readonly code: RejectCode | 'unstorable';
}

/** Outcome that is reported to the agent. */
export type IngestOutcome =
  | { readonly kind: 'stored'; readonly mark: number; readonly rejects: readonly Reject[] }
  | { readonly kind: 'gap'; readonly mark: number }
  | { readonly kind: 'refused' };

/** Called after a commit with the results that ended their node tasks. */
export type FinishedListener = (results: readonly StoredResult[]) => void;

export interface IngestMetrics {
  observe(stored: { rows: number; seconds: number }): void;
  countRejects(rows: number): void;
  countResult(type: string, outcome: string): void;
}

interface IngestOptions {
  readonly store: IngestStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: IngestMetrics;
  /** Adds to each result before it is stored; absent: nothing. */
  readonly annotate?: Annotate;
  /** Kinds of results; default: all that this build knows. */
  readonly kinds?: readonly ResultKind[];
}

interface Pending {
  readonly batch: StoreBatch;
  readonly rejects: Reject[];
}

/** Batches of one node that are stored as one. */
interface Run {
  readonly batch: StoreBatch;
  readonly parts: readonly Pending[];
}

/** Writes result batches to PostgreSQL exactly once: marks move in the transaction that stores the rows. */
export class Ingest {
  /** One queue per lane: results of monitors must not delay those of one-shot probes, for which people wait. */
  readonly #writers: Readonly<Record<Lane, Batcher<Pending, IngestOutcome>>>;
  readonly #backlog: Backlog;
  readonly #reader: ResultReader;
  /** Time slices for reading rows: a thousand rows take 60 ms. */
  readonly #slices: TimeSlices;
  readonly #listeners: FinishedListener[] = [];

  constructor(private readonly options: IngestOptions) {
    this.#reader = new ResultReader(options.kinds ?? resultKinds);
    const writer = () =>
      new Batcher<Pending, IngestOutcome>({
        maxItems: MAX_BATCHES,
        clock: options.clock,
        turnOf: ({ batch }) => batch.nodeId,
        joins: (first, previous, next) => canJoin(first.batch, previous.batch, next.batch),
        flush: (_, turns) => this.#flush(turns),
      });
    this.#writers = { task: writer(), check: writer() };
    this.#backlog = new Backlog(options.clock);
    this.#slices = new TimeSlices(options.clock);
  }

  onFinished(listener: FinishedListener): void {
    this.#listeners.push(listener);
  }

  /** Delay of storing; delays since the last call are reported once. */
  pressure(): IngestPressure {
    return this.#backlog.take();
  }

  /**
   * Stores a delivery; resolves after the commit. Rejects if PostgreSQL cannot be reached: nothing is acknowledged
   * then.
   */
  async store(delivery: Delivery): Promise<IngestOutcome> {
    const last = delivery.first + delivery.results.length - 1;
    // without its rows, the batch is a gap if the database has less than expected, and is sent again
    if (last <= (delivery.storedThrough ?? 0)) {
      return this.#write(delivery, { batch: { kind: 'question', ...laneOf(delivery), last }, rejects: [] });
    }
    const { rows, rejects } = await this.#slices.run(delivery.nodeId, this.#read(delivery), delivery.onSpent);
    if (rejects.length > 0) {
      this.options.metrics.countRejects(rejects.length);
      this.options.log.warn({ nodeId: delivery.nodeId, rejects: rejects.slice(0, 10) }, 'results rejected');
    }
    return this.#write(delivery, { batch: toBatch(delivery, last, rows), rejects });
  }

  /** Skips numbers that the agent dropped. */
  async storeGap(gap: DroppedRange): Promise<IngestOutcome> {
    return toReply(await this.options.store.storeGap(toBatch(gap, gap.last, []), gap.reason), []);
  }

  /** Resolves when everything taken so far is committed or has failed. */
  async drain(): Promise<void> {
    await this.#slices.idle();
    await Promise.all([this.#writers.task.drain(), this.#writers.check.drain()]);
  }

  *#read({ lane, first, results }: Delivery): Generator<void, { rows: StoreRow[]; rejects: Reject[] }> {
    const context = { nowMs: this.options.clock.now(), annotate: this.options.annotate };
    const [rows, rejects]: [StoreRow[], Reject[]] = [[], []];
    for (const [index, message] of results.entries()) {
      const read = this.#reader.read(message, lane, context);
      const sequence = first + index;
      if ('row' in read) rows.push({ ...read.row, sequence });
      else rejects.push({ sequence, code: read.reject });
      yield;
    }
    return { rows, rejects };
  }

  #write({ lane, results }: Delivery, item: Pending): Promise<IngestOutcome> {
    const bytes = results.reduce(
      (sum, { resultJson, detailsJson }) => sum + (resultJson?.length ?? 0) + (detailsJson?.length ?? 0),
      0,
    );
    return this.#backlog.hold(bytes, this.#writers[lane].add(item));
  }

  async #flush(turns: readonly (readonly [Pending, ...Pending[]])[]): Promise<IngestOutcome[]> {
    const runs = turns.map(runOf);
    const stored = await this.#storeAll(runs);
    return runs.flatMap(({ parts }, index) =>
      parts.map(({ rejects }) => toReply(stored[index] ?? { kind: 'refused' }, rejects)),
    );
  }

  async #storeAll(runs: readonly Run[]): Promise<StoreOutcome[]> {
    const startedMs = this.options.clock.monotonicMs();
    const batches = runs.map(({ batch }) => batch);
    let outcomes: StoreOutcome[];
    try {
      outcomes = await this.options.store.storeBatches(batches);
    } catch (error) {
      if (!isDataError(error)) throw error;
      outcomes = [];
      for (const run of runs) outcomes.push(await this.#storeRowByRow(run));
    }
    batches.forEach((batch, index) => this.#count(batch, outcomes[index]));
    const rows = batches.reduce((sum, batch) => sum + rowsOf(batch).length, 0);
    this.options.metrics.observe({ rows, seconds: (this.options.clock.monotonicMs() - startedMs) / 1_000 });
    const finished = outcomes.flatMap((outcome) => (outcome.kind === 'stored' ? outcome.finished : []));
    if (finished.length > 0) for (const listener of this.#listeners) listener(finished);
    return outcomes;
  }

  #count(batch: StoreBatch, outcome: StoreOutcome | undefined): void {
    if (outcome?.kind !== 'stored') return;
    for (const row of rowsOf(batch)) {
      // these kinds count the rows that they store themselves
      const isOfTask = row.writer === null;
      if (isOfTask && row.sequence > outcome.previousMark) this.options.metrics.countResult(row.probeType, row.outcome);
    }
  }

  /** Stores a batch row by row. Rows that the database refuses are skipped, and reported to the agent. */
  async #storeRowByRow({ batch, parts }: Run): Promise<StoreOutcome> {
    if (batch.kind === 'question') return (await this.options.store.storeBatches([batch]))[0] ?? { kind: 'refused' };
    return this.options.store.storeRowByRow(batch, ({ sequence }, error) => {
      const part = parts.find((own) => sequence <= own.batch.last);
      part?.rejects.push({ sequence, code: 'unstorable' });
      this.options.log.error({ err: error, nodeId: batch.nodeId, sequence }, 'result stored as a dead letter');
    });
  }
}

function runOf(parts: readonly [Pending, ...Pending[]]): Run {
  const [first, ...more] = parts;
  return { batch: joinBatches([first.batch, ...more.map(({ batch }) => batch)]), parts };
}

function toBatch(delivery: LanePart & { readonly first: number }, last: number, rows: readonly StoreRow[]): RowBatch {
  return { kind: 'rows', ...laneOf(delivery), first: delivery.first, last, rows };
}

type LanePart = Pick<Delivery, 'nodeId' | 'sessionId' | 'epoch' | 'lane'>;

function laneOf({ nodeId, sessionId, epoch, lane }: LanePart) {
  return { nodeId, sessionId, epoch, lane: laneCode(lane) };
}

function toReply(outcome: StoreOutcome, rejects: readonly Reject[]): IngestOutcome {
  return outcome.kind === 'stored' ? { kind: 'stored', mark: outcome.mark, rejects } : outcome;
}
