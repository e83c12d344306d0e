import type { Logger } from 'pino';
import type { CheckMeasurement } from '../measuring/child-messages.js';
import type { WatchedMonitor } from './watched-monitor.js';

/**
 * Greatest number of requested checks in flight on this node; further requests are ignored, because no caller waits for
 * them for long.
 */
const MAX_RUNNING = 10;

/** A request to check a monitor at once. */
export interface CheckRequest {
  readonly monitorId: string;
  /** Generation of the assignment that is meant. */
  readonly generation: number;
  /** Id of the request, for the report; 64 characters at most. */
  readonly request: string;
}

interface AskedChecksOptions {
  readonly measure: (watched: WatchedMonitor) => Promise<CheckMeasurement>;
  readonly onMeasured: (watched: WatchedMonitor, request: string, measurement: CheckMeasurement) => void;
  readonly log: Logger;
}

/** Requested checks: outside of the grid, one per monitor at a time. Requests do not queue. */
export class AskedChecks {
  readonly #options: AskedChecksOptions;
  /** Ids of monitors. */
  readonly #running = new Set<string>();

  constructor(options: AskedChecksOptions) {
    this.#options = options;
  }

  /** `watched`: the monitor as this node has it; null if it does not have it. */
  take(asked: CheckRequest, watched: WatchedMonitor | null): void {
    if (watched === null || watched.assignment.generation !== asked.generation)
      return this.#passOver(asked, 'this node does not have the monitor');
    if (this.#running.has(asked.monitorId)) return this.#passOver(asked, 'a check of the monitor is in flight');
    if (this.#running.size >= MAX_RUNNING) return this.#passOver(asked, 'too many are in flight');
    void this.#run(asked, watched);
  }

  #passOver(asked: CheckRequest, reason: string): void {
    this.#options.log.debug({ ...asked, reason }, 'requested check skipped');
  }

  async #run({ monitorId, request }: CheckRequest, watched: WatchedMonitor): Promise<void> {
    this.#running.add(monitorId);
    const measurement = await this.#options.measure(watched);
    this.#running.delete(monitorId);
    this.#options.onMeasured(watched, request, measurement);
  }
}
