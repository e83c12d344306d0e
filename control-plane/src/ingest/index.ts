import type { Clock } from '@vantage/shared/clock.js';
import { type Lane, laneCode, type ResultMessage } from '@vantage/shared/protocol/codec.js';
import type { Logger } from 'pino';
import { Batcher } from '../db/batcher.js';
import { Backlog, type IngestPressure } from './backlog.js';
import { type IngestStore, isDataError } from './ingest-store.js';
import { canJoin, joinBatches } from './joined-batches.js';
import type { Annotate, RejectCode } from './parse-result.js';
import { type ResultKind, ResultReader, resultKinds } from './result-kinds.js';
import type { StoreBatch, StoredResult, StoreOutcome, StoreRow } from './store.js';
import { TimeSlices } from './time-slices.js';

export type { IngestPressure } from './backlog.js';
export { type IngestStore, ingestStore } from './ingest-store.js';
export { type KindRow, type OwnKind, ownKind, type ResultKind, taskResults } from './result-kinds.js';
export { deleteOldIngestRecords } from './retention-store.js';
export type { OwnRow, StoreBatch, StoredResult, StoreOutcome, StoreRow, TaskRow } from './store.js';

// batches in one transaction at most: a batch holds up to 1 000 rows, most hold a few. One of each node, or small ones that
// follow each other: a node that sends a thousand of one row holds up nobody else
const MAX_BATCHES = 64;

/** A delivery of one link: `results[i]` has sequence `first + i`. */
export interface Delivery {
  readonly nodeId: string;
  readonly sessionId: string;
  readonly epoch: Buffer;
  readonly lane: Lane;
  readonly first: number;
  readonly results: readonly ResultMessage[];
  /** Up to where the database is thought to have this lane: a batch that ends there is not read again, it asks whether that is so. */
  readonly storedThrough?: number;
  /** Told how long reading it took beyond this call, milliseconds each time. */
  readonly onSpent?: (ms: number) => void;
}

/** Numbers the agent had to drop. */
export interface DroppedRange extends Omit<Delivery, 'results' | 'storedThrough' | 'onSpent'> {
  readonly last: number;
  readonly reason: string;
}

export interface Reject {
  readonly sequence: number;
  readonly code: RejectCode | 'unstorable';
}

/** What to tell the agent. */
export type IngestOutcome =
  | { readonly kind: 'stored'; readonly mark: number; readonly rejects: readonly Reject[] }
  | { readonly kind: 'gap'; readonly mark: number }
  | { readonly kind: 'refused' };

/** Called after a commit with the results that ended their node tasks. */
export type FinishedListener = (results: readonly StoredResult[]) => void;

/** What an ingest counts. */
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
  /** Writes into each result before it is stored; absent: nothing. */
  readonly annotate?: Annotate;
  /** What results there are; all that this build knows by default. */
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

/** Result batches into PostgreSQL, exactly once: marks move in the transaction that stores the rows. */
export class Ingest {
  /** One each: results of monitors that wait must not hold up the one-shot ones, for which people wait. */
  readonly #writers: Readonly<Record<Lane, Batcher<Pending, IngestOutcome>>>;
  readonly #backlog: Backlog;
  readonly #reader: ResultReader;
  /** For reading rows: a thousand take 60 ms. */
  readonly #slices: TimeSlices;
  readonly #listeners: FinishedListener[] = [];

  constructor(private readonly options: IngestOptions) {
    this.#reader = new ResultReader(options.kinds ?? resultKinds);
    const writer = () =>
      new Batcher<Pending, IngestOutcome>({
        maxItems: MAX_BATCHES,
        turnOf: ({ batch }) => batch.nodeId,
        joins: (first, previous, next) => canJoin(first.batch, previous.batch, next.batch),
        flush: (items) => this.#flush(items),
      });
    this.#writers = { task: writer(), check: writer() };
    this.#backlog = new Backlog(options.clock);
    this.#slices = new TimeSlices(options.clock);
  }

  onFinished(listener: FinishedListener): void {
    this.#listeners.push(listener);
  }

  /** How far storing lags behind; what was slow since the last call is told once. */
  pressure(): IngestPressure {
    return this.#backlog.take();
  }

  /** Resolves after the commit. Rejects when PostgreSQL can't be reached: nothing is acknowledged then. */
  async store(delivery: Delivery): Promise<IngestOutcome> {
    const last = delivery.first + delivery.results.length - 1;
    // without its rows the batch is a gap wherever the database has less than was thought, and comes once more
    if (last <= (delivery.storedThrough ?? 0)) {
      return this.#write(delivery, { batch: toBatch({ ...delivery, first: last + 1 }, last, []), rejects: [] });
    }
    const { rows, rejects } = await this.#slices.run(delivery.nodeId, this.#read(delivery), delivery.onSpent);
    if (rejects.length > 0) {
      this.options.metrics.countRejects(rejects.length);
      this.options.log.warn({ nodeId: delivery.nodeId, rejects: rejects.slice(0, 10) }, 'results rejected');
    }
    return this.#write(delivery, { batch: toBatch(delivery, last, rows), rejects });
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

  /** Passes over numbers the agent dropped. */
  async storeGap(gap: DroppedRange): Promise<IngestOutcome> {
    return toReply(await this.options.store.storeGap(toBatch(gap, gap.last, []), gap.reason), []);
  }

  /** Resolves when everything taken so far is committed or has failed. */
  async drain(): Promise<void> {
    await this.#slices.idle();
    await Promise.all([this.#writers.task.drain(), this.#writers.check.drain()]);
  }

  #write({ lane, results }: Delivery, item: Pending): Promise<IngestOutcome> {
    const bytes = results.reduce(
      (sum, { resultJson, detailsJson }) => sum + (resultJson?.length ?? 0) + (detailsJson?.length ?? 0),
      0,
    );
    return this.#backlog.hold(bytes, this.#writers[lane].add(item));
  }

  async #flush(items: readonly Pending[]): Promise<IngestOutcome[]> {
    const runs = runsOf(items);
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
    const rows = batches.reduce((sum, { rows }) => sum + rows.length, 0);
    this.options.metrics.observe({ rows, seconds: (this.options.clock.monotonicMs() - startedMs) / 1_000 });
    const finished = outcomes.flatMap((outcome) => (outcome.kind === 'stored' ? outcome.finished : []));
    if (finished.length > 0) for (const listener of this.#listeners) listener(finished);
    return outcomes;
  }

  #count(batch: StoreBatch, outcome: StoreOutcome | undefined): void {
    if (outcome?.kind !== 'stored') return;
    for (const row of batch.rows) {
      // own kinds count what they store themselves
      const isOfTask = row.writer === null;
      if (isOfTask && row.sequence > outcome.previousMark) this.options.metrics.countResult(row.probeType, row.outcome);
    }
  }

  /** What the database refuses of a batch is passed over, and the agent is told. */
  #storeRowByRow({ batch, parts }: Run): Promise<StoreOutcome> {
    return this.options.store.storeRowByRow(batch, ({ sequence }, error) => {
      const part = parts.find((own) => sequence <= own.batch.last);
      part?.rejects.push({ sequence, code: 'unstorable' });
      this.options.log.error({ err: error, nodeId: batch.nodeId, sequence }, 'result kept as a dead letter');
    });
  }
}

function runsOf(items: readonly Pending[]): Run[] {
  const runs: [Pending, ...Pending[]][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    const previous = run?.at(-1);
    if (run && previous && canJoin(run[0].batch, previous.batch, item.batch)) run.push(item);
    else runs.push([item]);
  }
  return runs.map((parts) => {
    const [first, ...more] = parts;
    return { batch: joinBatches([first.batch, ...more.map(({ batch }) => batch)]), parts };
  });
}

function toBatch(
  delivery: Omit<Delivery, 'results' | 'storedThrough'>,
  last: number,
  rows: readonly StoreRow[],
): StoreBatch {
  const { nodeId, sessionId, epoch, lane, first } = delivery;
  return { nodeId, sessionId, epoch, lane: laneCode(lane), first, last, rows };
}

function toReply(outcome: StoreOutcome, rejects: readonly Reject[]): IngestOutcome {
  return outcome.kind === 'stored' ? { kind: 'stored', mark: outcome.mark, rejects } : outcome;
}
