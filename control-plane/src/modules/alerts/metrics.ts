import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { DeliveryCounts } from './deliveries/counts.js';
import type { AlertCounts } from './relay/alert-counts.js';

/** Metrics of alerts; label values are closed lists, never ids. */
export class AlertMetrics implements DeliveryCounts, AlertCounts {
  readonly #alerts: Counter<'type' | 'change'>;
  readonly #digests: Counter<'cause'>;
  readonly #deliveries: Counter<'type' | 'outcome'>;
  readonly #latency: Histogram<'type'>;
  readonly #fallbacks: Counter;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.#alerts = new Counter({
      name: 'vantage_alert_events_total',
      help: 'Changes of alerts, by type of the alert and change: firing, acknowledged or resolved.',
      labelNames: ['type', 'change'],
      registers,
    });
    this.#digests = new Counter({
      name: 'vantage_alert_digests_total',
      help: 'Messages about several alerts, by cause: group, storm, rate (the limits of the channel) or quiet_hours.',
      labelNames: ['cause'],
      registers,
    });
    this.#deliveries = new Counter({
      name: 'vantage_alert_deliveries_total',
      help: 'Attempts to send messages of alerts, by type of channel and outcome: accepted, retry, refused or unknown; and messages dropped.',
      labelNames: ['type', 'outcome'],
      registers,
    });
    this.#latency = new Histogram({
      name: 'vantage_alert_delivery_seconds',
      help: 'Time from a message of an alert being committed until it is accepted, by type of channel.',
      labelNames: ['type'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
      registers,
    });
    this.#fallbacks = new Counter({
      name: 'vantage_alert_fallbacks_total',
      help: 'Messages that went to the address of the account because no channel accepted them within two minutes.',
      registers,
    });
  }

  countAlert(...[type, change]: Parameters<AlertCounts['countAlert']>): void {
    this.#alerts.inc({ type, change });
  }

  countDigest(...[cause]: Parameters<AlertCounts['countDigest']>): void {
    this.#digests.inc({ cause });
  }

  countDelivery(...[type, outcome]: Parameters<DeliveryCounts['countDelivery']>): void {
    this.#deliveries.inc({ type, outcome });
  }

  observeDelivery(type: string, seconds: number): void {
    this.#latency.observe({ type }, seconds);
  }

  countFallback(): void {
    this.#fallbacks.inc();
  }

  /** Gauge over the messages that wait, read when scraped; none while `read` answers null. */
  watchPending(read: () => Promise<Readonly<Record<string, number>> | null>): Gauge {
    return this.#watch('vantage_alert_pending', 'Messages of alerts that are to be sent', read);
  }

  /** Gauge over the alerts that are not resolved, read when scraped; none while `read` answers null. */
  watchOpen(
    read: () => Promise<
      readonly { readonly status: string; readonly severity: string; readonly count: number }[] | null
    >,
  ): Gauge {
    return new Gauge({
      name: 'vantage_alerts_open',
      help: 'Alerts that are not resolved, by status and severity; every replica reports the same value.',
      labelNames: ['status', 'severity'],
      registers: [this.registry],
      async collect() {
        const counts = await read();
        this.reset();
        for (const { status, severity, count } of counts ?? []) this.set({ status, severity }, count);
      },
    });
  }

  /** Gauge over the channels that fail, read when scraped; none while `read` answers null. */
  watchFailing(read: () => Promise<Readonly<Record<string, number>> | null>): Gauge {
    return this.#watch('vantage_alert_channels_failing', 'Alert channels that fail', read);
  }

  #watch(name: string, help: string, read: () => Promise<Readonly<Record<string, number>> | null>): Gauge {
    return new Gauge({
      name,
      help: `${help}, by type; every replica reports the same value.`,
      labelNames: ['type'],
      registers: [this.registry],
      async collect() {
        const counts = await read();
        this.reset();
        for (const [type, count] of Object.entries(counts ?? {})) this.set({ type }, count);
      },
    });
  }
}
