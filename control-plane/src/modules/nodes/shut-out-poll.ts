import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { NodeReads } from './store.js';

// A ban closes a link within a second: the bus message normally does so at once; this poll does it if the message was lost.
// Reading only banned, quarantined and deleted nodes keeps it cheap while ten thousand others reconnect. A replica without links
// has none to close. What the interval leaves of the second is for two short statements.
const POLL_MS = 700;

interface ShutOutPollOptions {
  readonly nodes: Pick<NodeReads, 'listShutOutLately'>;
  /** True if this replica has a link; without one it does not look. */
  readonly hasLinks: () => boolean;
  /** Reads these nodes again, for the listeners of their changes. */
  readonly refresh: (ids: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Polls for nodes that were just banned, quarantined or deleted, in case a bus message was lost. */
export class ShutOutPoll {
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: ShutOutPollOptions) {}

  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(POLL_MS, () => void this.#look().finally(() => this.start()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  async #look(): Promise<void> {
    if (!this.options.hasLinks()) return;
    try {
      const ids = await this.options.nodes.listShutOutLately();
      if (ids.length > 0) await this.options.refresh(ids);
    } catch (error) {
      if (!this.#isStopped) this.options.log.warn({ err: error }, 'cannot look for bans, retrying');
    }
  }
}
