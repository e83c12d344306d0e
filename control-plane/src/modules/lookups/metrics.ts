import { Counter, type Registry } from 'prom-client';

/** Ways in which a lookup is answered. */
export type LookupOutcome = 'hit' | 'miss' | 'wait' | 'stale';

/** Metrics of lookups; label values are closed lists, never what was asked. */
export class LookupMetrics {
  readonly #lookups: Counter<'kind' | 'outcome'>;

  constructor(registry: Registry) {
    this.#lookups = new Counter({
      name: 'vantage_lookups_total',
      help: 'Lookups that nodes answer, by kind and outcome: hit (from the cache), miss (a node was asked), wait (for a question of another caller), stale (an old answer stood in).',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
    });
  }

  count(kind: string, outcome: LookupOutcome): void {
    this.#lookups.inc({ kind, outcome });
  }
}
