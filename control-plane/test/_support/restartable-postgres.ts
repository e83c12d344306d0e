import { pino } from 'pino';
import type { Test } from 'tap';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { temporaryDirectory } from './temporary-directory.js';

/** A PostgreSQL server that the test stops and restarts. */
export interface RestartablePostgres {
  readonly url: string;
  /** A fast shutdown, as an administrator's: sessions are ended, then connections are refused. */
  stop(): Promise<void>;
  /** Starts the same database again, at the same URL. */
  start(): Promise<void>;
}

/** Starts a server for the test; stopped with the test. */
export async function startRestartablePostgres(t: Test): Promise<RestartablePostgres> {
  const dataDir = temporaryDirectory(t);
  const start = () => startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }), settings: { fsync: 'off' } });
  let running = await start();
  t.teardown(() => running.stop());
  return {
    url: running.url,
    stop: () => running.stop(),
    async start() {
      running = await start();
    },
  };
}
