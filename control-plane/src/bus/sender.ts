import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { BusMessage } from './bus.js';
import { type Addressed, Outbox } from './outbox.js';

//   idle --add--> sending --delivered--> idle, or sending again what was added meanwhile
//     ^              |
//     +--- not connected: what is added waits, and leaves with `flush` when the connection is back

/** A peer that has stopped reading does not keep a replica from stopping. */
const DRAIN_PATIENCE_MS = 2_000;

interface SenderOptions {
  /** Carries messages, which need not arrive. Resolves when more may follow. */
  readonly deliver: (messages: readonly Addressed[]) => Promise<void>;
  readonly isConnected: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends at once when idle; what arrives while it sends is joined into the next. */
export class Sender {
  readonly #outbox = new Outbox();
  #sending: Promise<void> | null = null;
  #isStopped = false;

  constructor(private readonly options: SenderOptions) {}

  add(channel: string, message: BusMessage): void {
    if (this.#isStopped || message.ids.length === 0) return;
    this.#outbox.add(channel, message);
    this.flush();
  }

  /** Sends what waits, if there is a connection. */
  flush(): void {
    if (this.#sending || this.#outbox.isEmpty || !this.options.isConnected()) return;
    this.#sending = this.#deliver(this.#outbox.take()).finally(() => {
      this.#sending = null;
      this.flush();
    });
  }

  /** Takes nothing more; resolves when everything queued has left, or can't. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.flush();
    if (this.#sending === null) return;
    await new Promise<void>((resolve) => {
      const cancel = this.options.clock.after(DRAIN_PATIENCE_MS, resolve);
      void this.#drained().then(cancel).then(resolve);
    });
  }

  async #drained(): Promise<void> {
    while (this.#sending !== null) await this.#sending;
  }

  async #deliver(messages: readonly Addressed[]): Promise<void> {
    try {
      await this.options.deliver(messages);
    } catch (error) {
      // lost hints are made up for by the receivers' sweeps
      this.options.log.warn({ err: error, messages: messages.length }, 'bus messages lost');
    }
  }
}
