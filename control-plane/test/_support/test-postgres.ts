import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';

/**
 * A PostgreSQL server for tests, gone with its directory when stopped or when this process ends. Commits are
 * synchronous as in production; only the disk is not waited for.
 */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'vantage-test-'));
  return startEmbeddedPostgres({
    dataDir: directory,
    ephemeral: directory,
    log: pino({ level: 'warn' }, pino.destination(2)),
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '200' },
  });
}
