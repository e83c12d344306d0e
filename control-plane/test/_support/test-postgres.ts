import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';

const memoryFolder = '/dev/shm';
const enoughBytes = 1024 ** 3;

/**
 * A PostgreSQL server for tests, gone with its directory when stopped or when this process ends. Commits are
 * synchronous as in production; only the disk is not waited for.
 */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(path.join(await quickestFolder(), 'vantage-test-'));
  return startEmbeddedPostgres({
    dataDir: directory,
    ephemeral: directory,
    log: pino({ level: 'warn' }, pino.destination(2)),
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      max_connections: '200',
      // a client that a test has stopped while it logged in: until it is given up no other test's database can be dropped
      authentication_timeout: '5s',
    },
  });
}

/** A database has hundreds of files: in memory the copy of one takes 30 ms, on a disk up to 300. */
async function quickestFolder(): Promise<string> {
  const stats = await statfs(memoryFolder).catch(() => null);
  return stats !== null && stats.bavail * stats.bsize >= enoughBytes ? memoryFolder : tmpdir();
}
