import { collectDefaultMetrics, Histogram, type Histogram as HistogramType, Registry } from 'prom-client';

/** Request durations by operation and class of status. */
export class HttpMetrics {
  readonly #durations: HistogramType<'operation' | 'status'>;

  constructor(registry: Registry) {
    this.#durations = new Histogram({
      name: 'vantage_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its reply; long polls and streams included.',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    });
  }

  /** `status` becomes its class (`2xx`): operations times classes is all the series there can be. */
  observe(operationId: string, status: number, seconds: number): void {
    this.#durations.observe({ operation: operationId, status: `${Math.floor(status / 100)}xx` }, seconds);
  }
}

/** A registry with the process's own figures (memory, event loop, garbage collection); parts add theirs. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
