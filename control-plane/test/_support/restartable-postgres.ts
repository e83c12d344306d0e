import { pino } from 'pino';
import type { Test } from 'tap';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { temporaryDirectory } from './temporary-directory.js';

/** A PostgreSQL server that the test takes away and brings back. */
export interface RestartablePostgres {
  readonly url: string;
  /** A fast shutdown, as an administrator's: sessions are ended, then nobody listens. */
  stop(): Promise<void>;
  /** The same database again, at the same URL. */
  start(): Promise<void>;
}

/** Starts a server of the test's own; stopped with the test. */
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
