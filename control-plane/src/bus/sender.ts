import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { BusMessage } from './bus.js';
import { type Addressed, UnsentMessages } from './unsent-messages.js';

//   idle --add--> sending --delivered--> idle, or sending again what was added meanwhile
//     ^              |
//     +--- not connected: what is added waits, and leaves with `flush` when the connection is back

/** Longest wait for a peer that has stopped reading, so that it does not keep a replica from stopping. */
const DRAIN_PATIENCE_MS = 2_000;

interface SenderOptions {
  /** Sends messages, which need not arrive. Resolves when more may follow. */
  readonly deliver: (messages: readonly Addressed[]) => Promise<void>;
  readonly isConnected: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends at once when idle; what arrives while it sends is joined into the next. */
export class Sender {
  readonly #unsent = new UnsentMessages();
  #sending: Promise<void> | null = null;
  #isStopped = false;

  constructor(private readonly options: SenderOptions) {}

  add(channel: string, message: BusMessage): void {
    if (this.#isStopped || message.ids.length === 0) return;
    this.#unsent.add(channel, message);
    this.flush();
  }

  /** Sends what waits, if there is a connection. */
  flush(): void {
    if (this.#sending || this.#unsent.isEmpty || !this.options.isConnected()) return;
    this.#sending = this.#deliver(this.#unsent.take()).finally(() => {
      this.#sending = null;
      this.flush();
    });
  }

  /** Accepts no more messages; resolves when everything queued is sent or has failed. */
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
      // sweeps of the receivers compensate for lost messages
      this.options.log.warn({ err: error, messages: messages.length }, 'bus messages lost');
    }
  }
}
