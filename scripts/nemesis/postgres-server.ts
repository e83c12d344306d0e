import { cp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findPostgresBinaries } from 'vantage-control/db/embedded/binaries.js';
import { type Cluster, databaseUser, prepareCluster } from 'vantage-control/db/embedded/cluster.js';
import { type Postmaster, processesIn, startPostmaster, stopOrphans } from 'vantage-control/db/embedded/postmaster.js';
import { chooseRunAs, type RunAs } from 'vantage-control/db/embedded/run-as.js';

/** Ways to stop PostgreSQL: those of an administrator (pg_ctl -m), and the effect of a power cut on its processes. */
export type DatabaseStop = 'fast' | 'immediate' | 'kill';

const stopSignals = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

const baseSettings = {
  max_connections: '100',
  log_destination: 'stderr',
  logging_collector: 'off',
  timezone: 'UTC',
  jit: 'off',
};

export interface PostgresServerOptions {
  /** The cluster goes into `postgres` in it; made when missing. */
  readonly dataDir: string;
  /** PostgreSQL settings over ours; without `fsync: off` commits wait for the disk as in production. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
}

/** A PostgreSQL of our own without a guardian: it goes down on request and stays down. It ends with this process. */
export class PostgresServer {
  #postmaster: Postmaster | null = null;

  private constructor(
    private readonly options: PostgresServerOptions,
    private readonly runAs: RunAs,
    private readonly cluster: Cluster,
  ) {}

  /** Creates a cluster where there is none, and starts it. */
  static async start(options: PostgresServerOptions): Promise<PostgresServer> {
    const { dataDir, settings = {} } = options;
    const runAs = await chooseRunAs(dataDir, findPostgresBinaries());
    const isDurable = settings['fsync'] !== 'off';
    const cluster = await prepareCluster(dataDir, runAs, { isDurable, signal: new AbortController().signal });
    const server = new PostgresServer(options, endingWithUs(runAs), cluster);
    await server.start();
    return server;
  }

  /** Directory of its files. */
  get directory(): string {
    return this.cluster.directory;
  }

  /** Socket that a proxy connects to. */
  get socketPath(): string {
    return join(this.cluster.directory, '.s.PGSQL.5432');
  }

  get password(): string {
    return this.cluster.password;
  }

  /** Straight to the server, past every proxy. */
  get url(): string {
    const query = new URLSearchParams({ host: this.cluster.directory });
    return `postgres://${databaseUser}:${this.cluster.password}@localhost/postgres?${query}`;
  }

  /** Through a proxy on loopback. */
  urlAt(port: number): string {
    return `postgres://${databaseUser}:${this.cluster.password}@127.0.0.1:${port}/postgres`;
  }

  get isRunning(): boolean {
    return this.#postmaster !== null;
  }

  /** Resolves when it takes connections: after a crash that is after its recovery. */
  async start(): Promise<void> {
    if (this.#postmaster !== null) return;
    await stopOrphans(this.cluster.directory);
    this.#postmaster = await startPostmaster(this.runAs, {
      directory: this.cluster.directory,
      socketDirectory: this.cluster.directory,
      settings: { ...baseSettings, ...this.options.settings },
      onLine: this.options.onLine ?? (() => {}),
      signal: new AbortController().signal,
    });
  }

  /** Resolves when no process of it is left. May be called twice. */
  async stop(how: DatabaseStop = 'fast'): Promise<void> {
    const postmaster = this.#postmaster;
    this.#postmaster = null;
    if (postmaster === null) return;
    await this.resume();
    const pids = how === 'kill' ? await processesIn(this.cluster.directory) : [await this.#postmasterPid()];
    for (const pid of pids) signal(pid, stopSignals[how]);
    await postmaster.ended;
    // ends its remaining processes
    await postmaster.stop();
  }

  /** A copy of all it has stored, made while it is down for a moment. @returns where it is */
  async copy(): Promise<string> {
    const older = `${this.cluster.directory}.older`;
    await this.stop('fast');
    await rm(older, { recursive: true, force: true });
    await cp(this.cluster.directory, older, { recursive: true, preserveTimestamps: true });
    await this.start();
    return older;
  }

  /** Puts a copy in its place and stays down: what it has stored since is gone. */
  async failOver(older: string): Promise<void> {
    await this.stop('fast');
    await rm(this.cluster.directory, { recursive: true, force: true });
    await rename(older, this.cluster.directory);
  }

  /** kill -STOP of all its processes. */
  async pause(): Promise<void> {
    for (const pid of await processesIn(this.cluster.directory)) signal(pid, 'SIGSTOP');
  }

  /** kill -CONT. */
  async resume(): Promise<void> {
    for (const pid of await processesIn(this.cluster.directory)) signal(pid, 'SIGCONT');
  }

  /** Rows of one statement on a connection of its own. */
  async query(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = await this.connect();
    try {
      return (await client.query(sql, [...values])).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** A connection of the caller's, who ends it. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 10_000 });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async #postmasterPid(): Promise<number> {
    return Number((await readFile(join(this.cluster.directory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  }
}

/** Like `runAs`, with a postmaster that the kernel asks to stop when this process is gone. setpriv(1) */
function endingWithUs(runAs: RunAs): RunAs {
  return {
    ...runAs,
    command: (program, args) =>
      program === runAs.binaries.postgres
        ? runAs.command('setpriv', ['--pdeathsig', 'INT', program, ...args])
        : runAs.command(program, args),
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ended in the meantime
  }
}
