import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { AgentSpool } from './agent-spool.js';
import type { NodeVitals } from './vitals-store.js';

const INTERVAL_MS = 60_000;

/** What a link last told. */
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
 * Notes once a minute what the heartbeats of this replica's nodes told, for whoever asks elsewhere: one statement for ten
 * thousand of them, away from their rows, which every replica follows.
 */
export class VitalsLog {
  #cancel: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;
  #notedAt = 0;
  /** Links that closed since it was last written: what they told last is not in `links` any more. */
  readonly #left = new Map<string, HeardLink>();

  constructor(private readonly options: VitalsLogOptions) {}

  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(INTERVAL_MS, () => {
      this.#writing = this.note().finally(() => this.start());
    });
  }

  /** A link is gone: what it told last is noted with the others. */
  takeLeft({ nodeId, heardAt, spool }: HeardLink): void {
    keepNewest(this.#left, { nodeId, heardAt, spool });
  }

  /** Notes what was heard last, and no more after that. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#writing;
    await this.note();
  }

  /** Writes what was heard since it was last written. What fails is written a minute later. */
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
      if (!this.#isStopped) log.warn({ err: error }, 'heartbeats of nodes not noted');
    }
  }
}

/** Keeps what was heard last of each node; nothing of one that was never heard. */
function keepNewest(newest: Map<string, HeardLink>, link: HeardLink): void {
  if (link.heardAt > (newest.get(link.nodeId)?.heardAt ?? 0)) newest.set(link.nodeId, link);
}
