import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { BusMessage } from './bus.js';
import type { Envelopes } from './envelopes.js';

/** Interval of log lines: a flood on the channel must not flood the log. */
const COMPLAIN_EVERY_MS = 60_000;
const SHOWN_CHARACTERS = 100;

interface ListenersOptions {
  readonly replicaId: string;
  readonly envelopes: Envelopes;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Listeners for messages that arrive on a bus. */
export class Listeners {
  readonly #messageListeners: ((message: BusMessage) => void)[] = [];
  readonly #resyncListeners: (() => void)[] = [];
  #complainedMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ListenersOptions) {}

  onMessage(listener: (message: BusMessage) => void): void {
    this.#messageListeners.push(listener);
  }

  onResync(listener: () => void): void {
    this.#resyncListeners.push(listener);
  }

  /**
   * Passes on messages of other replicas; skips those of this replica, of a newer version or without a valid signature.
   */
  receive(channel: string, payload: string): void {
    const { envelopes, replicaId } = this.options;
    const received = envelopes.open(channel, payload);
    if (received.kind === 'foreign') return this.#complain(payload);
    if (received.kind === 'unknown' || received.from === replicaId) return;
    for (const listener of this.#messageListeners) this.#run(() => listener(received.message));
  }

  /** Messages may have been missed. */
  resync(): void {
    for (const listener of this.#resyncListeners) this.#run(listener);
  }

  /** Calls a listener. One that fails must not stop the others, or the connection's reader. */
  #run(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.options.log.error({ err: error }, 'bus listener failed');
    }
  }

  #complain(payload: string): void {
    const { clock, log } = this.options;
    if (clock.monotonicMs() - this.#complainedMs < COMPLAIN_EVERY_MS) return;
    this.#complainedMs = clock.monotonicMs();
    log.warn({ payload: payload.slice(0, SHOWN_CHARACTERS) }, 'bus message with an invalid signature ignored');
  }
}
