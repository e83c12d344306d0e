import { type Clock, delay } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';

//   serving --SIGTERM--> draining --window over--> stopped
//                           |  /readyz returns 503 at once: balancers send no new callers, late requests are answered
//                           |  other replicas learn not to send agents here
//                           |  agents are sent away one after another
//
// A single replica ends at once: agents cannot go elsewhere, and a load balancer has no other choice.

/** Dependencies of draining. */
export interface DrainPorts {
  readonly lease: {
    readonly hasOthers: boolean;
    readonly urlsOfOthers: readonly string[];
    leave(): Promise<void>;
  };
  readonly linkServer: {
    drain(departure: { overMs: number; urls: readonly string[]; signal: AbortSignal }): Promise<void>;
  };
  /** Keeps no connection open between two requests from now on. */
  readonly http: { leave(): void };
  /** From the order to stop until nothing is served any more, milliseconds. */
  readonly windowMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Departure of a replica before it stops. */
export class Drain {
  readonly #ended = new AbortController();
  #running: Promise<void> | null = null;

  constructor(private readonly ports: DrainPorts) {}

  /** True once no more agents should be sent here. */
  get isDraining(): boolean {
    return this.#running !== null;
  }

  /** Resolves when the parts may be stopped. May be called twice. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Ends the drain early. */
  stop(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    const { lease, linkServer, http, windowMs, log } = this.ports;
    if (windowMs === 0 || !lease.hasOthers) return;
    log.info({ seconds: windowMs / 1_000 }, 'draining');
    http.leave();
    const over = this.#wait(windowMs);
    // without a database no replica can be notified, but the agents are still sent away
    await lease.leave().catch((error: unknown) => log.warn({ err: error }, 'cannot notify other replicas of the stop'));
    const urls = lease.urlsOfOthers;
    // agents that know only the load balancer must not be sent away before it has noticed: it would lead them back here
    const leadMs = urls.length === 0 ? windowMs / 2 : 0;
    if (leadMs > 0) await this.#wait(leadMs);
    await linkServer.drain({ overMs: (windowMs - leadMs) / 2, urls, signal: this.#ended.signal });
    await over;
  }

  /** Resolves after a delay, or early when the drain ends. */
  #wait(ms: number): Promise<void> {
    return delay(this.ports.clock, ms, this.#ended.signal).catch(() => {});
  }
}
