import type { Clock } from '@vantage/shared/clock.js';

/** How many exchanges the best one is chosen from. */
const KEPT_EXCHANGES = 8;

/** One question and answer (RFC 5905 section 8): the agent's times are monotonic, the server's are wall clock. */
export interface ClockExchange {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** When the server got the question, milliseconds since the epoch. */
  readonly serverReceivedAt: number;
  /** When the server answered. */
  readonly serverSentAt: number;
}

/** What a result says of its times. */
export interface ClockEstimate {
  /** Server time minus this machine's wall clock, now. */
  readonly offsetMs: number;
  /** Half of the best exchange's round trip; -1: never exchanged, and the offset is 0. */
  readonly uncertaintyMs: number;
}

interface Sample {
  /** Server time minus monotonic time. */
  readonly lineMs: number;
  readonly roundTripMs: number;
}

/**
 * The control plane's time on this machine: a line along the monotonic clock, anchored at the exchange with the
 * shortest round trip of the last eight, so that a stepped wall clock changes nothing.
 */
export class ClockSync {
  readonly #clock: Clock;
  #samples: Sample[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Forgets all exchanges: a machine that slept stopped its monotonic clock. */
  restart(): void {
    this.#samples = [];
  }

  /** Takes an exchange in; one whose times run backwards is ignored. */
  add(exchange: ClockExchange): void {
    const { sentMs, receivedMs, serverReceivedAt, serverSentAt } = exchange;
    const roundTripMs = receivedMs - sentMs - (serverSentAt - serverReceivedAt);
    if (!(roundTripMs >= 0) || serverSentAt < serverReceivedAt) return;
    const lineMs = (serverReceivedAt + serverSentAt) / 2 - (sentMs + receivedMs) / 2;
    this.#samples = [...this.#samples.slice(1 - KEPT_EXCHANGES), { lineMs, roundTripMs }];
  }

  estimate(): ClockEstimate {
    const [first, ...rest] = this.#samples;
    if (first === undefined) return { offsetMs: 0, uncertaintyMs: -1 };
    const best = rest.reduce((a, b) => (b.roundTripMs < a.roundTripMs ? b : a), first);
    return {
      offsetMs: best.lineMs + this.#clock.monotonicMs() - this.#clock.now(),
      uncertaintyMs: best.roundTripMs / 2,
    };
  }
}
