import type { Logger } from 'pino';
import type { CheckMeasurement } from '../measuring/child-messages.js';
import type { WatchedMonitor } from './watched-monitor.js';

/** In flight on this node; what is asked beyond that is passed over, for whoever asked does not wait for long. */
const MAX_RUNNING = 10;

/** That somebody wants a monitor checked at once. */
export interface CheckRequest {
  readonly monitorId: string;
  /** Of the assignment that is meant. */
  readonly generation: number;
  /** Its name, for the report; 64 characters at most. */
  readonly request: string;
}

interface AskedChecksOptions {
  readonly measure: (watched: WatchedMonitor) => Promise<CheckMeasurement>;
  readonly onMeasured: (watched: WatchedMonitor, request: string, measurement: CheckMeasurement) => void;
  readonly log: Logger;
}

/** Checks that somebody asked for: beside the grid, one of a monitor at a time. Nothing waits for its turn here. */
export class AskedChecks {
  readonly #options: AskedChecksOptions;
  /** Ids of monitors. */
  readonly #running = new Set<string>();

  constructor(options: AskedChecksOptions) {
    this.#options = options;
  }

  /** `watched`: the monitor as this node has it; null: it does not. */
  take(asked: CheckRequest, watched: WatchedMonitor | null): void {
    if (watched === null || watched.assignment.generation !== asked.generation)
      return this.#passOver(asked, 'this node does not watch it');
    if (this.#running.has(asked.monitorId)) return this.#passOver(asked, 'one of it is in flight');
    if (this.#running.size >= MAX_RUNNING) return this.#passOver(asked, 'too many are in flight');
    void this.#run(asked, watched);
  }

  #passOver(asked: CheckRequest, reason: string): void {
    this.#options.log.debug({ ...asked, reason }, 'a check that was asked for is passed over');
  }

  async #run({ monitorId, request }: CheckRequest, watched: WatchedMonitor): Promise<void> {
    this.#running.add(monitorId);
    const measurement = await this.#options.measure(watched);
    this.#running.delete(monitorId);
    this.#options.onMeasured(watched, request, measurement);
  }
}
