import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const statuses = ['active', 'paused', 'disabled'] as const;
/** Outcomes of deliveries that metrics count. */
export const deliveryOutcomes = ['delivered', 'retrying', 'failed', 'skipped'] as const;

/** Metrics of webhooks; label values are closed lists, never ids. */
export class WebhookMetrics {
  readonly #deliveries: Counter<'outcome'>;
  readonly #seconds: Histogram;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.#deliveries = new Counter({
      name: 'vantage_webhook_deliveries_total',
      help: 'Attempts at webhook deliveries, by outcome: delivered, retrying (another attempt follows) or failed; and deliveries that were skipped.',
      labelNames: ['outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'vantage_webhook_delivery_seconds',
      help: 'Time from a webhook delivery being stored until its success.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 86_400],
      registers,
    });
    for (const outcome of deliveryOutcomes) this.#deliveries.inc({ outcome }, 0);
  }

  /** Counts an attempt; `seconds`: since its delivery was stored. */
  countAttempt(outcome: 'delivered' | 'retrying' | 'failed', seconds: number): void {
    this.#deliveries.inc({ outcome });
    if (outcome === 'delivered') this.#seconds.observe(seconds);
  }

  countSkipped(count: number): void {
    this.#deliveries.inc({ outcome: 'skipped' }, count);
  }

  /** Gauge over the deliveries to be sent, read when scraped; none while `count` answers null. */
  watchPending(count: () => Promise<number | null>): Gauge {
    return new Gauge({
      name: 'vantage_webhook_pending',
      help: 'Webhook deliveries that are still to be sent; every replica reports the same value.',
      registers: [this.registry],
      async collect() {
        const pending = await count();
        if (pending === null) this.remove();
        else this.set(pending);
      },
    });
  }

  /** Gauge over endpoints by status, read when scraped; none while `count` answers null. */
  watchEndpoints(count: () => Promise<Readonly<Record<string, number>> | null>): Gauge<'status'> {
    return new Gauge({
      name: 'vantage_webhook_endpoints',
      help: 'Webhook endpoints, by status: active, paused or disabled; every replica reports the same value.',
      labelNames: ['status'],
      registers: [this.registry],
      async collect() {
        const counts = await count();
        this.reset();
        if (counts !== null) for (const status of statuses) this.set({ status }, counts[status] ?? 0);
      },
    });
  }
}
