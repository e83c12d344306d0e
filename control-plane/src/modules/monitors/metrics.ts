import { type CheckReport, type MissedReason, missedReasons } from '@vantage/shared/monitor-state/check-report.js';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CountEvent, MonitorCounts } from './definition/monitor-counts.js';

/** Metrics of monitors; label values are closed lists, never ids. */
export class MonitorMetrics implements MonitorCounts {
  readonly #checks: Counter<'outcome'>;
  readonly #missed: Counter<'reason'>;
  readonly #events: Counter<'type' | 'change'>;
  readonly #judging: Histogram;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.#checks = new Counter({
      name: 'vantage_monitor_checks_total',
      help: 'Checks that nodes delivered, by outcome: ok, degraded or failed.',
      labelNames: ['outcome'],
      registers,
    });
    this.#missed = new Counter({
      name: 'vantage_monitor_missed_slots_total',
      help: 'Slots that nodes reported as not checked, by reason: stopped, behind, agent_fault or uplink_lost.',
      labelNames: ['reason'],
      registers,
    });
    this.#events = new Counter({
      name: 'vantage_monitor_events_total',
      help: 'Events that judgments opened or closed, by type; excludes those closed by a user or corrected afterwards.',
      labelNames: ['type', 'change'],
      registers,
    });
    this.#judging = new Histogram({
      name: 'vantage_monitor_judging_delay_seconds',
      help: 'Time from when a monitor is due until its judgment is committed.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
      registers,
    });
    // a rate needs a start value: the first missed slot is a change, too
    for (const reason of missedReasons) this.#missed.inc({ reason }, 0);
  }

  countCheck(outcome: CheckReport['outcome']): void {
    this.#checks.inc({ outcome });
  }

  countMissed(reason: MissedReason, slots: number): void {
    this.#missed.inc({ reason }, slots);
  }

  countEvent(...[type, change]: Parameters<CountEvent>): void {
    this.#events.inc({ type, change });
  }

  observeJudging(seconds: number): void {
    this.#judging.observe(seconds);
  }

  /** Gauge over the queue of monitors to be judged, read when scraped; none while `count` answers null. */
  watchDue(count: () => Promise<number | null>): Gauge {
    return new Gauge({
      name: 'vantage_monitors_due',
      help: 'Monitors that are due and wait for their judgment; every replica reports the same value: they share one queue.',
      registers: [this.registry],
      async collect() {
        const due = await count();
        if (due === null) this.remove();
        else this.set(due);
      },
    });
  }
}
