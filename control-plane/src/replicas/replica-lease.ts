import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.js';
import type { ReplicaRow, ReplicaStore } from './store.js';

const HEARTBEAT_MS = 2_000;
/** A replica not heard of for this long is dead. */
const DEAD_AFTER_MS = 10_000;

interface ReplicaLeaseOptions {
  readonly store: ReplicaStore;
  readonly replicaId: string;
  /** Where agents reach this very replica; null: only by the public URL. */
  readonly url: string | null;
  /** Every other replica in the table is known to be dead: this process owns the database. */
  readonly isAlone: boolean;
  /** Milliseconds the nodes of a dead replica get to come back. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Nodes whose replica died. */
  onUnlinked(nodeIds: readonly string[]): Promise<void>;
}

/** This replica's sign of life, and the eye it keeps on the others. */
export class ReplicaLease {
  /** As of the last heartbeat. */
  #others: readonly ReplicaRow[] = [];
  /** Somebody said so since the last heartbeat. */
  #hasNewcomers = false;
  #isDraining = false;
  #lastBeatMs: number | null = null;
  /** Monotonic; nobody is called dead before. */
  #judgesFromMs = 0;
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: ReplicaLeaseOptions) {}

  /** Whether anybody else would hear a broadcast. */
  get hasOthers(): boolean {
    return this.#hasNewcomers || this.#others.length > 0;
  }

  /** Where an agent may go instead: replicas that have said where they are, and stay. */
  get urlsOfOthers(): string[] {
    return this.#others.flatMap(({ url, isDraining }) => (url === null || isDraining ? [] : [url]));
  }

  /** Tells the others not to send anybody here any more, and looks who they are. */
  async leave(): Promise<void> {
    this.#isDraining = true;
    await this.#beat();
  }

  /** Signs on. Call before the bus is started, then `announce` when it is. */
  async start(): Promise<void> {
    if (this.options.isAlone) await this.options.store.deleteAll();
    await this.#beat();
    this.#schedule();
  }

  /** Lets the others know at once that they are not alone. */
  announce(bus: Pick<Bus, 'onMessage' | 'broadcast'>): void {
    bus.onMessage((message) => {
      if (message.type === 'replicas') this.#hasNewcomers = true;
    });
    bus.broadcast({ type: 'replicas', ids: [this.options.replicaId] });
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancel?.();
    await this.options.store.delete(this.options.replicaId).catch(() => {});
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(HEARTBEAT_MS, () => {
      this.#beat()
        .catch((error: unknown) => this.options.log.warn({ err: error }, 'replica heartbeat failed'))
        .finally(() => this.#schedule());
    });
  }

  async #beat(): Promise<void> {
    const { store, replicaId, url, graceMs, clock, log } = this.options;
    const living = await store.upsert({ id: replicaId, url, isDraining: this.#isDraining });
    this.#others = living.filter(({ id }) => id !== replicaId);
    this.#hasNewcomers = false;
    this.#noteBeat(clock.monotonicMs());
    if (clock.monotonicMs() < this.#judgesFromMs) return;
    const unlinked = await store.removeDead(DEAD_AFTER_MS, graceMs);
    if (unlinked.length === 0) return;
    log.warn({ nodes: unlinked.length }, 'nodes of a dead replica wait for their agents');
    await this.options.onUnlinked(unlinked);
  }

  /** A replica that could not reach the database itself does not know whether the others could: they get their time. */
  #noteBeat(nowMs: number): void {
    const hasMissed = this.#lastBeatMs !== null && nowMs - this.#lastBeatMs >= DEAD_AFTER_MS / 2;
    if (hasMissed) this.#judgesFromMs = nowMs + DEAD_AFTER_MS;
    this.#lastBeatMs = nowMs;
  }
}
