import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';

const memoryFolder = '/dev/shm';
const enoughBytes = 1024 ** 3;

/**
 * A PostgreSQL server for tests, removed with its directory when stopped or when this process ends. Commits are
 * synchronous as in production, but do not wait for the disk.
 */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(path.join(await quickestFolder(), 'vantage-test-'));
  const postgres = await startEmbeddedPostgres({
    dataDir: directory,
    ephemeral: directory,
    log: pino({ level: 'error' }, pino.destination(2)),
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      // what no one needs here: replicas of the database, helpers for slow disks, statistics of databases that live for seconds
      wal_level: 'minimal',
      max_wal_senders: '0',
      io_method: 'sync',
      autovacuum: 'off',
      max_connections: '200',
      // a client that a test stopped during its login: until it is given up, no other test's database can be dropped
      authentication_timeout: '30s',
    },
  });
  await cheapenPassword(postgres.url);
  return { url: postgres.url, stop: () => postgres.stop() };
}

/**
 * Rounds of key derivation. Each test makes a dozen connections, each of which derives a key of the password, by
 * default in 4096 rounds on either side.
 */
async function cheapenPassword(url: string): Promise<void> {
  const server = new pg.Client(url);
  await server.connect();
  await server.query('set scram_iterations = 1');
  const { username, password } = new URL(url);
  const literal = server.escapeLiteral(decodeURIComponent(password));
  await server.query(`alter role ${server.escapeIdentifier(decodeURIComponent(username))} password ${literal}`);
  await server.end();
}

/** Directory for the data. A database has hundreds of files: copying one in memory takes 30 ms, on a disk up to 300. */
async function quickestFolder(): Promise<string> {
  const stats = await statfs(memoryFolder).catch(() => null);
  return stats !== null && stats.bavail * stats.bsize >= enoughBytes ? memoryFolder : tmpdir();
}
