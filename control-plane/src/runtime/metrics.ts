import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { GeoDatabaseAge, GeoDatabaseCounts } from '../geo/index.js';
import type { IngestMetrics } from '../ingest/index.js';
import { type JobState, jobStates } from '../jobs/job-state.js';
import type { LinkTable } from '../links/index.js';

/** Backlog of one consumer of events. */
interface OutboxBacklog {
  readonly consumer: string;
  readonly pending: number;
  readonly dead: number;
  readonly lagSeconds: number;
}

/** Metrics of the control plane except those of HTTP requests; label values are closed lists, never ids. */
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
      help: 'Node tasks that ended, by probe type and outcome: success, or an error code such as node_lost.',
      labelNames: ['type', 'outcome'],
      registers,
    });
    this.#rejects = new Counter({
      name: 'vantage_ingest_rejects_total',
      help: 'Rows from agents that were rejected because they are not valid results.',
      registers,
    });
    this.#statesPassedOver = new Counter({
      name: 'vantage_states_passed_over_total',
      help: 'Newest states reported by agents that were of an unknown kind, malformed, or in the future.',
      registers,
    });
    this.#setBack = new Counter({
      name: 'vantage_nodes_set_back_total',
      help: 'Links of nodes that had lost track of stored results: an older copy of their state directory, or a crash.',
      registers,
    });
    this.#dispatch = new Histogram({
      name: 'vantage_dispatch_duration_seconds',
      help: 'Time from a valid probe request until its task is durable and sent.',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
      registers,
    });
    this.#ingest = new Histogram({
      name: 'vantage_ingest_duration_seconds',
      help: 'Duration of an ingest transaction.',
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
      help: 'Number of times that a limit was counted by this replica alone because the database did not respond in time.',
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
      help: 'Background jobs by state; every replica reports the same value: they share one queue.',
      labelNames: ['state'],
      registers: [this.registry],
      async collect() {
        const jobs = await count();
        this.reset();
        if (jobs !== null) for (const state of jobStates) this.set({ state }, jobs[state]);
      },
    });
  }

  /** Gauges over the events that wait for consumers, read when scraped; none while `read` answers null. */
  watchOutbox(read: () => Promise<readonly OutboxBacklog[] | null>): void {
    const gauge = (name: string, help: string, of: (backlog: OutboxBacklog) => number) =>
      new Gauge({
        name,
        help: `${help}, by consumer; every replica reports the same value.`,
        labelNames: ['consumer'],
        registers: [this.registry],
        async collect() {
          const backlogs = await read();
          this.reset();
          for (const backlog of backlogs ?? []) this.set({ consumer: backlog.consumer }, of(backlog));
        },
      });
    gauge('vantage_outbox_pending', 'Events that wait to be handled', ({ pending }) => pending);
    gauge('vantage_outbox_lag_seconds', 'Age of the oldest event that waits to be handled', (own) => own.lagSeconds);
    gauge('vantage_outbox_dead', 'Events that were set aside after too many failures', ({ dead }) => dead);
  }

  /** Gauges over the geo databases this replica reads, read when scraped. */
  watchGeoDatabases(databases: { count(): GeoDatabaseCounts }): Gauge<'state'> {
    return new Gauge({
      name: 'vantage_geo_databases',
      help: 'Files in VANTAGE_GEOIP_DIR that this replica found: current, old (built over 60 days ago) or unusable.',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        for (const [state, files] of Object.entries(databases.count())) this.set({ state }, files);
      },
    });
  }

  /** Gauge over the ages of the geo databases in use, read when scraped; types are those of their vendors. */
  watchGeoAges(read: () => readonly GeoDatabaseAge[]): Gauge<'type'> {
    return new Gauge({
      name: 'vantage_geo_database_age_seconds',
      help: 'Time since each geo database in use was built by its vendor; of several of one type the oldest.',
      labelNames: ['type'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { type, ageSeconds } of read().toSorted((a, b) => a.ageSeconds - b.ageSeconds))
          this.set({ type }, ageSeconds);
      },
    });
  }

  /** Gauge over the nodes whose agents have to be upgraded, read when scraped. */
  watchVersions(all: () => Iterable<{ readonly versionRefused: unknown }>): Gauge {
    return new Gauge({
      name: 'vantage_nodes_version_refused',
      help: 'Nodes whose agent supports no protocol version of this replica, and has had no link since; every replica reports the same value.',
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
      help: 'Nodes quarantined because a copy of their state directory connected; every replica reports the same value.',
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
    gauge('vantage_jobs_in_flight', 'Jobs sent to agents of this replica without a response so far.', () =>
      sum((s) => s.inFlight),
    );
    // as reported by their last heartbeat
    gauge('vantage_agent_spool_rows', 'Rows that agents of this replica hold unacknowledged.', () =>
      sum((s) => s.spool.rows),
    );
    gauge('vantage_agent_spool_bytes', 'Bytes of the rows that agents of this replica hold.', () =>
      sum((s) => s.spool.bytes),
    );
    gauge(
      'vantage_agent_spool_dropped_rows',
      'Rows that agents of this replica dropped since their spools were created.',
      () => sum((s) => s.spool.dropped),
    );
    gauge(
      'vantage_agent_spool_oldest_seconds',
      'Time that the oldest row of any agent of this replica has waited.',
      () => [...table.all()].reduce((oldest, { spool }) => Math.max(oldest, spool.oldestMs / 1000), 0),
    );
    gauge('vantage_agent_spool_problems', 'Agents of this replica whose disk cannot store rows at present.', () =>
      sum((s) => (s.spool.problem === null ? 0 : 1)),
    );
  }
}
