import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { AgentSpool } from '../records/agent-spool.js';
import type { NodeVitals } from '../records/vitals-store.js';

const INTERVAL_MS = 60_000;

/** Values that a link last reported. */
interface HeardLink {
  readonly nodeId: string;
  /** Milliseconds since the epoch; 0: never. */
  readonly heardAt: number;
  readonly spool: AgentSpool;
}

interface VitalsLogOptions {
  /** Links of this replica. */
  readonly links: () => Iterable<HeardLink>;
  readonly store: (vitals: readonly NodeVitals[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Writes the heartbeats of this replica's nodes once a minute, for readers on other replicas: one statement for ten
 * thousand of them, in a table other than the nodes', which every replica follows.
 */
export class VitalsLog {
  #cancel: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;
  #notedAt = 0;
  /** Links closed since the last write: their last values are no longer in `links`. */
  readonly #left = new Map<string, HeardLink>();

  constructor(private readonly options: VitalsLogOptions) {}

  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(INTERVAL_MS, () => {
      this.#writing = this.note().finally(() => this.start());
    });
  }

  /** Keeps the last values of a closed link for the next write. */
  takeLeft({ nodeId, heardAt, spool }: HeardLink): void {
    keepNewest(this.#left, { nodeId, heardAt, spool });
  }

  /** Writes the last values, and stops. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#writing;
    await this.note();
  }

  /** Writes the values heard since the last write. A failed write is repeated a minute later. */
  async note(): Promise<void> {
    const { links, store, clock, log } = this.options;
    const at = clock.now();
    const newest = new Map(this.#left);
    for (const link of links()) keepNewest(newest, link);
    const heard = [...newest.values()].filter(({ heardAt }) => heardAt >= this.#notedAt);
    try {
      await store(heard.map(({ nodeId, heardAt, spool }) => ({ nodeId, seenAt: new Date(heardAt), spool })));
      this.#notedAt = at;
      for (const { nodeId, heardAt } of this.#left.values()) if (heardAt < at) this.#left.delete(nodeId);
    } catch (error) {
      if (!this.#isStopped) log.warn({ err: error }, 'cannot record the heartbeats of nodes');
    }
  }
}

/** Keeps the last values of a node; nothing if it was never heard. */
function keepNewest(newest: Map<string, HeardLink>, link: HeardLink): void {
  if (link.heardAt > (newest.get(link.nodeId)?.heardAt ?? 0)) newest.set(link.nodeId, link);
}
