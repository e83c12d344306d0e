import { Gauge, type Registry } from 'prom-client';

/** Metrics of event streams. */
export class StreamMetrics {
  constructor(private readonly registry: Registry) {}

  /** Gauge over the open streams of this replica, read when scraped. */
  watchStreams(count: () => number): Gauge {
    return new Gauge({
      name: 'vantage_streams',
      help: 'Open event streams of this replica.',
      registers: [this.registry],
      collect() {
        this.set(count());
      },
    });
  }
}
