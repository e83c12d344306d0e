import { Counter, Histogram, type Registry } from 'prom-client';

const outcomes = ['completed', 'failed'] as const;

/** Metrics of diagnose reports; label values are closed lists, never targets. */
export class DiagnoseMetrics {
  readonly #reports: Counter<'status'>;
  readonly #seconds: Histogram;
  readonly #takeovers: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#reports = new Counter({
      name: 'vantage_diagnose_reports_total',
      help: 'Diagnose reports that ended, by status: completed (at least one section is), or failed.',
      labelNames: ['status'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'vantage_diagnose_seconds',
      help: 'Time from the creation of a diagnose report to its end.',
      buckets: [1, 2, 5, 10, 15, 20, 30, 45, 60, 75],
      registers,
    });
    this.#takeovers = new Counter({
      name: 'vantage_diagnose_takeovers_total',
      help: 'Diagnose reports that this replica took over because no other one worked on them.',
      registers,
    });
    for (const status of outcomes) this.#reports.inc({ status }, 0);
  }

  /** Counts a report that ended; `seconds`: since it was created. */
  countEnd(status: (typeof outcomes)[number], seconds: number): void {
    this.#reports.inc({ status });
    this.#seconds.observe(seconds);
  }

  countTakeovers(count: number): void {
    this.#takeovers.inc(count);
  }
}
