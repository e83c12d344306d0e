/** The embedded PostgreSQL is not available; the message is one line that names the remedy. */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError';
}

/** A server that runs on this machine. */
export interface RunningServer {
  readonly pid: number;
  /** Null if it uses a database that is not embedded. */
  readonly dataDir: string | null;
}

/** No server has created a database in this data directory. */
export class NoDatabaseError extends EmbeddedPostgresError {
  override readonly name = 'NoDatabaseError';
  constructor(
    dataDir: string,
    /** Servers that use other databases. */
    readonly servers: readonly RunningServer[],
  ) {
    super(`data directory "${dataDir}" has no database: no server has run with it`);
  }
}

/** Another process works on this data directory. */
export class DataDirectoryInUseError extends EmbeddedPostgresError {
  override readonly name = 'DataDirectoryInUseError';
  constructor(
    readonly dataDir: string,
    /** null if the process has not identified itself yet. */
    readonly ownerPid: number | null,
  ) {
    super(
      `data directory "${dataDir}" is in use by ${ownerPid === null ? 'another process' : `process ${ownerPid}`}; ` +
        'stop it first, choose another VANTAGE_DATA_DIR, or give both the same VANTAGE_DATABASE_URL',
    );
  }
}
