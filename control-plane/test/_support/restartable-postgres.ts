import { pino } from 'pino';
import type { Test } from 'tap';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { temporaryDirectory } from './temporary-directory.js';

/** A PostgreSQL server that the test stops and restarts. */
export interface RestartablePostgres {
  readonly url: string;
  /** A fast shutdown, as an administrator's: sessions are ended, then connections are refused. */
  stop(): Promise<void>;
  /** Starts the same database again, at the same URL; `settings` replace those of before. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
}

/** Starts a server with these settings for the test; stopped with the test. */
export async function startRestartablePostgres(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
): Promise<RestartablePostgres> {
  const dataDir = temporaryDirectory(t);
  const start = (own: Readonly<Record<string, string>>) =>
    startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }), settings: { fsync: 'off', ...own } });
  let running = await start(settings);
  t.teardown(() => running.stop());
  return {
    url: running.url,
    stop: () => running.stop(),
    async start(own = settings) {
      running = await start(own);
    },
  };
}
