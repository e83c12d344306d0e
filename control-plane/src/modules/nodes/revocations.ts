import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { NodeReads } from './store.js';

// A ban closes a link within a second: by the bus at once, and where its message was lost by this. Asking only for nodes
// that were shut out keeps it cheap while ten thousand others reconnect.
const POLL_MS = 400;

interface RevocationsOptions {
  readonly nodes: Pick<NodeReads, 'listShutOutLately'>;
  /** Reads these nodes again, for whoever follows their changes. */
  readonly refresh: (ids: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Looks for nodes that were banned, quarantined or deleted a moment ago, whoever did it and whatever was lost on the way. */
export class Revocations {
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: RevocationsOptions) {}

  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(POLL_MS, () => void this.#look().finally(() => this.start()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  async #look(): Promise<void> {
    try {
      const ids = await this.options.nodes.listShutOutLately();
      if (ids.length > 0) await this.options.refresh(ids);
    } catch (error) {
      if (!this.#isStopped) this.options.log.warn({ err: error }, 'bans may be noticed late');
    }
  }
}
