/** The embedded PostgreSQL can't be had; the message is one line that says what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError';
}

/** Another process works on this data directory. */
export class DataDirectoryInUseError extends EmbeddedPostgresError {
  override readonly name = 'DataDirectoryInUseError';
  constructor(
    readonly dataDir: string,
    /** null when the process has not said yet who it is. */
    readonly ownerPid: number | null,
  ) {
    super(
      `data directory "${dataDir}" is in use by ${ownerPid === null ? 'another process' : `process ${ownerPid}`}; ` +
        'stop it first, choose another VANTAGE_DATA_DIR, or give both the same VANTAGE_DATABASE_URL',
    );
  }
}
