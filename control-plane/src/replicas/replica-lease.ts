import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.js';
import type { ReplicaRow, ReplicaStore } from './store.js';

const HEARTBEAT_MS = 2_000;
/** Silence after which a replica counts as dead, in milliseconds. */
export const DEAD_AFTER_MS = 10_000;

interface ReplicaLeaseOptions {
  readonly store: ReplicaStore;
  readonly replicaId: string;
  /** Address where agents reach this replica; null if they reach it only by the public URL. */
  readonly url: string | null;
  /** Ranges that the operator has opened to probes. */
  readonly allowTargets: readonly string[];
  /** True if every other replica in the table is known to be dead: this process owns the database. */
  readonly isAlone: boolean;
  /** Time that the nodes of a dead replica get to come back, in milliseconds. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Nodes whose replica died. */
  onUnlinked(nodeIds: readonly string[]): Promise<void>;
}

/** Heartbeat of this replica, and its watch on the others. */
export class ReplicaLease {
  /** As of the last heartbeat. */
  #others: readonly ReplicaRow[] = [];
  /** True if a newcomer announced itself since the last heartbeat. */
  #hasNewcomers = false;
  #isDraining = false;
  #lastBeatMs: number | null = null;
  /** Time before which no replica is declared dead; monotonic. */
  #judgesFromMs = 0;
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: ReplicaLeaseOptions) {}

  /** True if other replicas would receive a broadcast. */
  get hasOthers(): boolean {
    return this.#hasNewcomers || this.#others.length > 0;
  }

  /** Addresses that an agent may connect to instead: replicas with an address of their own that are not leaving. */
  get urlsOfOthers(): string[] {
    return this.#others.flatMap(({ url, isDraining }) => (url === null || isDraining ? [] : [url]));
  }

  /** Asks the other replicas to send no more agents here, and reads their records. */
  async leave(): Promise<void> {
    this.#isDraining = true;
    await this.#beat();
  }

  /** Registers this replica. Call before the bus is started, then `announce` when it is. */
  async start(): Promise<void> {
    if (this.options.isAlone) await this.options.store.deleteAll();
    await this.#beat();
    this.#schedule();
  }

  /** Notifies the others at once that they are not alone. */
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
    const { store, replicaId, url, allowTargets, graceMs, clock, log } = this.options;
    const living = await store.upsert({ id: replicaId, url, isDraining: this.#isDraining, allowTargets });
    this.#others = living.filter(({ id }) => id !== replicaId);
    this.#hasNewcomers = false;
    this.#noteBeat(clock.monotonicMs());
    if (clock.monotonicMs() < this.#judgesFromMs) return;
    const unlinked = await store.removeDead(DEAD_AFTER_MS, graceMs);
    if (unlinked.length === 0) return;
    log.warn({ nodes: unlinked.length }, 'replica died, its nodes wait for their agents');
    await this.options.onUnlinked(unlinked);
  }

  /**
   * Notes a heartbeat. After an outage of the database the other replicas get time again: this one does not know
   * whether they could reach it.
   */
  #noteBeat(nowMs: number): void {
    const hasMissed = this.#lastBeatMs !== null && nowMs - this.#lastBeatMs >= DEAD_AFTER_MS / 2;
    if (hasMissed) this.#judgesFromMs = nowMs + DEAD_AFTER_MS;
    this.#lastBeatMs = nowMs;
  }
}
