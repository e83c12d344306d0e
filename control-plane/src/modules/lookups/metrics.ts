import { Counter, Gauge, type Registry } from 'prom-client';
import { type RefreshOutcome, refreshOutcomes } from './lists/list-refresh.js';
import type { ListState } from './lists/open-lists.js';
import type { ShutReason } from './registries/registry-store.js';

/** Ways in which a lookup is answered. */
export type LookupOutcome = 'hit' | 'miss' | 'wait' | 'stale';

/** Metrics of lookups; label values are closed lists, never what was asked. */
export class LookupMetrics {
  readonly #lookups: Counter<'kind' | 'outcome'>;

  constructor(private readonly registry: Registry) {
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

  /** Gauge over the servers of registries that are not asked at present, read when scraped; none while `count` answers null. */
  watchShutServers(count: () => Promise<Readonly<Record<ShutReason, number>> | null>): Gauge<'reason'> {
    return new Gauge({
      name: 'vantage_registry_servers_shut',
      help: 'Servers of registries that are not asked at present, by reason: refused, or empty (their bucket); every replica reports the same value.',
      labelNames: ['reason'],
      registers: [this.registry],
      async collect() {
        const counts = await count();
        this.reset();
        for (const [reason, servers] of Object.entries(counts ?? {})) this.set({ reason }, servers);
      },
    });
  }
}

/** Metrics of the lists of addresses; their names are those of the operator, at most fifty. */
export class ListMetrics {
  readonly #refreshes: Counter<'outcome'>;

  constructor(private readonly registry: Registry) {
    this.#refreshes = new Counter({
      name: 'vantage_reputation_list_refreshes_total',
      help: 'Readings of the sources of reputation lists, by outcome: new, unchanged, refused or failed.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of refreshOutcomes) this.#refreshes.inc({ outcome }, 0);
  }

  countRefresh(outcome: RefreshOutcome): void {
    this.#refreshes.inc({ outcome });
  }

  /** Gauge over the ages of the lists in use, read when scraped. */
  watchAges(read: () => readonly ListState[]): Gauge<'list'> {
    return new Gauge({
      name: 'vantage_reputation_list_age_seconds',
      help: 'Age of the version in use of each reputation list.',
      labelNames: ['list'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { name, ageSeconds } of read()) this.set({ list: name }, ageSeconds);
      },
    });
  }

  /** Gauge over the entries of the lists in use, read when scraped. */
  watchEntries(read: () => readonly ListState[]): Gauge<'list'> {
    return new Gauge({
      name: 'vantage_reputation_list_entries',
      help: 'Entries of the version in use of each reputation list, in the memory of this replica.',
      labelNames: ['list'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { name, entries } of read()) this.set({ list: name }, entries);
      },
    });
  }

  /** Gauge over the lists of which a version was refused, read when scraped. */
  watchRefused(count: () => number): Gauge {
    return new Gauge({
      name: 'vantage_reputation_lists_refused',
      help: 'Reputation lists of which a new version waits to be accepted.',
      registers: [this.registry],
      collect() {
        this.set(count());
      },
    });
  }
}
