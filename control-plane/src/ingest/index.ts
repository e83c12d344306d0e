import type { Clock } from '@vantage/shared/clock.js';
import { type Lane, laneCode, type ResultMessage } from '@vantage/shared/protocol/codec.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Batcher } from '../db/batcher.js';
import { parseResult, type RejectCode } from './parse-result.js';
import {
  insertDeadLetter,
  insertSpoolGap,
  type StoreBatch,
  type StoredResult,
  type StoreOutcome,
  type StoreRow,
  storeBatches,
} from './store.js';

export type { StoredResult } from './store.js';

// batches in one transaction at most: a batch holds up to 1 000 rows, most hold a few
const MAX_BATCHES = 64;

/** A delivery of one link: `results[i]` has sequence `first + i`. */
export interface Delivery {
  readonly nodeId: string;
  readonly sessionId: string;
  readonly epoch: Buffer;
  readonly lane: Lane;
  readonly first: number;
  readonly results: readonly ResultMessage[];
}

/** Numbers the agent had to drop. */
export interface DroppedRange extends Omit<Delivery, 'results'> {
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

interface Pending {
  readonly batch: StoreBatch;
  readonly rejects: Reject[];
}

/** Result batches into PostgreSQL, exactly once: marks move in the transaction that stores the rows. */
export class Ingest {
  readonly #writer: Batcher<Pending, IngestOutcome>;
  readonly #listeners: FinishedListener[] = [];

  constructor(private readonly options: { db: Knex; clock: Clock; log: Logger; metrics: IngestMetrics }) {
    this.#writer = new Batcher({ maxItems: MAX_BATCHES, flush: (items) => this.#flush(items) });
  }

  onFinished(listener: FinishedListener): void {
    this.#listeners.push(listener);
  }

  /** Resolves after the commit. Rejects when PostgreSQL can't be reached: nothing is acknowledged then. */
  store(delivery: Delivery): Promise<IngestOutcome> {
    const rejects: Reject[] = [];
    const rows: StoreRow[] = [];
    delivery.results.forEach((message, index) => {
      const sequence = delivery.first + index;
      const parsed = parseResult(message);
      if ('row' in parsed) rows.push({ ...parsed.row, sequence });
      else rejects.push({ sequence, code: parsed.reject });
    });
    if (rejects.length > 0) {
      this.options.metrics.countRejects(rejects.length);
      this.options.log.warn({ nodeId: delivery.nodeId, rejects: rejects.slice(0, 10) }, 'results rejected');
    }
    const last = delivery.first + delivery.results.length - 1;
    return this.#writer.add({ batch: toBatch(delivery, last, rows), rejects });
  }

  /** Passes over numbers the agent dropped. */
  async storeGap(gap: DroppedRange): Promise<IngestOutcome> {
    const batch = toBatch(gap, gap.last, []);
    return this.options.db.transaction(async (trx) => {
      const [outcome] = await storeBatches(trx, [batch]);
      const isNew = outcome?.kind === 'stored' && outcome.previousMark < gap.last;
      if (isNew) await insertSpoolGap(trx, batch, gap.reason);
      return toReply(outcome ?? { kind: 'refused' }, []);
    });
  }

  /** Resolves when everything taken so far is committed or has failed. */
  async drain(): Promise<void> {
    await this.#writer.drain();
  }

  /** Batches of one lane depend on each other: they are stored one after another, everything else together. */
  async #flush(items: readonly Pending[]): Promise<IngestOutcome[]> {
    const outcomes = new Map<Pending, IngestOutcome>();
    for (const round of roundsByLane(items)) {
      const stored = await this.#storeRound(round);
      round.forEach((item, index) => outcomes.set(item, toReply(stored[index] ?? { kind: 'refused' }, item.rejects)));
    }
    return items.map((item) => outcomes.get(item) ?? { kind: 'refused' });
  }

  async #storeRound(round: readonly Pending[]): Promise<StoreOutcome[]> {
    const startedMs = this.options.clock.monotonicMs();
    const batches = round.map(({ batch }) => batch);
    let outcomes: StoreOutcome[];
    try {
      outcomes = await storeBatches(this.options.db, batches);
    } catch (error) {
      if (!isDataError(error)) throw error;
      outcomes = [];
      for (const item of round) outcomes.push(await this.#storeRowByRow(item));
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
      if (row.sequence > outcome.previousMark) this.options.metrics.countResult(row.probeType, row.outcome);
    }
  }

  /** Finds the row PostgreSQL refuses: each in its own savepoint, the culprits into dead_letters. */
  async #storeRowByRow({ batch, rejects }: Pending): Promise<StoreOutcome> {
    return this.options.db.transaction(async (trx) => {
      const finished: StoredResult[] = [];
      for (const row of batch.rows) {
        const single = { ...batch, first: Math.min(batch.first, row.sequence), last: row.sequence, rows: [row] };
        const outcome = await this.#storeOne(trx, single, row);
        if (outcome === null) rejects.push({ sequence: row.sequence, code: 'unstorable' });
        else if (outcome.kind !== 'stored') return outcome;
        else finished.push(...outcome.finished);
      }
      const [rest] = await storeBatches(trx, [{ ...batch, rows: [] }]);
      return rest?.kind === 'stored' ? { ...rest, finished } : (rest ?? { kind: 'refused' });
    });
  }

  async #storeOne(trx: Knex.Transaction, single: StoreBatch, row: StoreRow): Promise<StoreOutcome | null> {
    try {
      return await trx.transaction(
        async (savepoint) => (await storeBatches(savepoint, [single]))[0] ?? { kind: 'refused' },
      );
    } catch (error) {
      if (!isDataError(error)) throw error;
      this.options.log.error(
        { err: error, nodeId: single.nodeId, sequence: row.sequence },
        'result kept as a dead letter',
      );
      await insertDeadLetter(trx, single, row, error);
      return null;
    }
  }
}

/** Splits items so that no round holds two batches of one (node, epoch, lane), order kept. */
function roundsByLane(items: readonly Pending[]): Pending[][] {
  const rounds: Pending[][] = [];
  const roundOf = new Map<string, number>();
  for (const item of items) {
    const { nodeId, epoch, lane } = item.batch;
    const key = `${nodeId} ${epoch.toString('hex')} ${lane}`;
    const index = (roundOf.get(key) ?? -1) + 1;
    roundOf.set(key, index);
    (rounds[index] ??= []).push(item);
  }
  return rounds;
}

function toBatch(delivery: Omit<Delivery, 'results'>, last: number, rows: readonly StoreRow[]): StoreBatch {
  const { nodeId, sessionId, epoch, lane, first } = delivery;
  return { nodeId, sessionId, epoch, lane: laneCode(lane), first, last, rows };
}

function toReply(outcome: StoreOutcome, rejects: readonly Reject[]): IngestOutcome {
  return outcome.kind === 'stored' ? { kind: 'stored', mark: outcome.mark, rejects } : outcome;
}

/** SQLSTATE classes 22 (data) and 23 (integrity): this row's fault; everything else is not. */
function isDataError(error: unknown): error is Error & { code: string } {
  const code = (error as { code?: unknown })?.code;
  return typeof code === 'string' && /^2[23]/.test(code);
}
