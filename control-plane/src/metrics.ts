import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { GeoDatabaseCounts } from './geo/index.js';
import type { IngestMetrics } from './ingest/index.js';
import { type JobState, jobStates } from './jobs/job-state.js';
import type { LinkTable } from './links/index.js';

/** What the control plane counts beside HTTP requests; label values are closed lists, never ids. */
export class Metrics implements IngestMetrics {
  readonly #tasks: Counter<'type'>;
  readonly #results: Counter<'type' | 'outcome'>;
  readonly #rejects: Counter;
  readonly #statesPassedOver: Counter;
  readonly #setBack: Counter;
  readonly #dispatch: Histogram;
  readonly #ingest: Histogram;
  readonly #rows: Histogram;
  readonly #limiterFallbacks: Counter;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.#tasks = new Counter({
      name: 'vantage_probe_tasks_total',
      help: 'Probe requests accepted, by probe type.',
      labelNames: ['type'],
      registers,
    });
    this.#results = new Counter({
      name: 'vantage_node_results_total',
      help: 'Node tasks that ended, by probe type and outcome: success or the error code, node_lost and the like included.',
      labelNames: ['type', 'outcome'],
      registers,
    });
    this.#rejects = new Counter({
      name: 'vantage_ingest_rejects_total',
      help: 'Rows of agents that were not results of anything.',
      registers,
    });
    this.#statesPassedOver = new Counter({
      name: 'vantage_states_passed_over_total',
      help: 'Newest states told by agents that were of no known kind, malformed, or of a time to come.',
      registers,
    });
    this.#setBack = new Counter({
      name: 'vantage_nodes_set_back_total',
      help: 'Links of nodes that had forgotten results which are stored: an older copy of their state directory, or a crash.',
      registers,
    });
    this.#dispatch = new Histogram({
      name: 'vantage_dispatch_duration_seconds',
      help: 'From a valid probe request to its task being durable and on its way.',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
      registers,
    });
    this.#ingest = new Histogram({
      name: 'vantage_ingest_duration_seconds',
      help: 'One ingest transaction.',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
      registers,
    });
    this.#rows = new Histogram({
      name: 'vantage_ingest_batch_rows',
      help: 'Rows in one ingest transaction.',
      buckets: [1, 4, 16, 64, 256, 1000, 4000],
      registers,
    });
    this.#limiterFallbacks = new Counter({
      name: 'vantage_limiter_fallbacks_total',
      help: 'Times a limit was counted by this replica alone because the database did not answer in time.',
      registers,
    });
  }

  countTask(type: string, seconds: number): void {
    this.#tasks.inc({ type });
    this.#dispatch.observe(seconds);
  }

  countResult(type: string, outcome: string): void {
    this.#results.inc({ type, outcome });
  }

  countRejects(rows: number): void {
    this.#rejects.inc(rows);
  }

  countStatesPassedOver(states: number): void {
    this.#statesPassedOver.inc(states);
  }

  countSetBack(): void {
    this.#setBack.inc();
  }

  countLimiterFallback(): void {
    this.#limiterFallbacks.inc();
  }

  observe({ rows, seconds }: { rows: number; seconds: number }): void {
    this.#ingest.observe(seconds);
    this.#rows.observe(rows);
  }

  /** Gauges over the queue of background jobs, read when scraped; none while `count` answers null. */
  watchJobs(count: () => Promise<Readonly<Record<JobState, number>> | null>): Gauge<'state'> {
    return new Gauge({
      name: 'vantage_jobs',
      help: 'Background jobs by state; every replica tells the same: they share one queue.',
      labelNames: ['state'],
      registers: [this.registry],
      async collect() {
        const jobs = await count();
        this.reset();
        if (jobs !== null) for (const state of jobStates) this.set({ state }, jobs[state]);
      },
    });
  }

  /** Gauges over the geo databases this replica reads, read when scraped. */
  watchGeoDatabases(databases: { count(): GeoDatabaseCounts }): Gauge<'state'> {
    return new Gauge({
      name: 'vantage_geo_databases',
      help: 'Files of VANTAGE_GEOIP_DIR this replica found: current, old (made over 60 days ago) or unusable.',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        for (const [state, files] of Object.entries(databases.count())) this.set({ state }, files);
      },
    });
  }

  /** Gauge over the nodes whose agents have to be upgraded, read when scraped. */
  watchVersions(all: () => Iterable<{ readonly versionRefused: unknown }>): Gauge {
    return new Gauge({
      name: 'vantage_nodes_version_refused',
      help: 'Nodes whose agent asked for protocol versions of which none is spoken here, and has had no link since; every replica tells the same.',
      registers: [this.registry],
      collect() {
        this.set([...all()].filter(({ versionRefused }) => versionRefused !== null).length);
      },
    });
  }

  /** Gauge over the nodes that shut themselves out, read when scraped: each is an alarm. */
  watchQuarantine(all: () => Iterable<{ readonly isQuarantined: boolean }>): Gauge {
    return new Gauge({
      name: 'vantage_nodes_quarantined',
      help: 'Nodes shut out because a copy of their state directory connected; every replica tells the same.',
      registers: [this.registry],
      collect() {
        this.set([...all()].filter(({ isQuarantined }) => isQuarantined).length);
      },
    });
  }

  /** Gauges over the links this replica holds, read when scraped. */
  watchLinks(table: LinkTable): void {
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        collect() {
          this.set(read());
        },
      });
    const sum = (of: (session: ReturnType<LinkTable['find']> & object) => number) =>
      [...table.all()].reduce((total, session) => total + of(session), 0);
    gauge('vantage_links', 'Agents linked to this replica.', () => table.size);
    gauge('vantage_jobs_in_flight', 'Jobs sent to agents of this replica and not answered.', () =>
      sum((s) => s.inFlight),
    );
    // by their last heartbeat: their word
    gauge('vantage_agent_spool_rows', 'Rows agents of this replica hold unacknowledged.', () =>
      sum((s) => s.spool.rows),
    );
    gauge('vantage_agent_spool_bytes', 'Bytes of the rows agents of this replica hold.', () =>
      sum((s) => s.spool.bytes),
    );
    gauge(
      'vantage_agent_spool_dropped_rows',
      'Rows that agents of this replica gave up since their spools were made.',
      () => sum((s) => s.spool.dropped),
    );
    gauge(
      'vantage_agent_spool_oldest_seconds',
      'How long the oldest row of any agent of this replica has waited.',
      () => [...table.all()].reduce((oldest, { spool }) => Math.max(oldest, spool.oldestMs / 1000), 0),
    );
    gauge('vantage_agent_spool_problems', 'Agents of this replica whose disk takes no rows at present.', () =>
      sum((s) => (s.spool.problem === null ? 0 : 1)),
    );
  }
}
