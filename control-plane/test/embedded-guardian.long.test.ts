import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import { pino } from 'pino';
import t from 'tap';
import { openDataDirectory, startEmbeddedPostgres } from '../src/db/embedded/index.js';
import { processesIn } from '../src/db/embedded/postmaster.js';
import { oneQuery } from './_support/one-query.js';
import { spawnOwner, urlOf } from './_support/owner-process.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

// each test creates a database or two: seconds, and more on a busy machine

const log = pino({ level: 'silent' });
const settings = { fsync: 'off' };

/** Process id of the server; NaN while none is running. */
function postmasterPid(dataDir: string): number {
  return Number.parseInt(textOf(path.join(dataDir, 'postgres', 'postmaster.pid')), 10);
}

/** Content of a file that may disappear at any moment; empty if it is gone. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
}

function kill(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

/**
 * True if the process runs. A zombie does not: its new parent decides when it is reaped. But as long as a thread is
 * left, the process keeps its files, and so its locks, though its first thread is a zombie already.
 */
function isAlive(pid: number): boolean {
  return threadsOf(pid).length > 1 || /\) [^Z] /.test(textOf(`/proc/${pid}/stat`));
}

/** Ids of the threads of a process; none if it is gone. */
function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

t.test('kill -9 of the owner leaves no process and, if ephemeral, no directory', async (t) => {
  const directory = temporaryDirectory(t);
  const dataDir = path.join(directory, 'data');
  const owner = spawnOwner(t, { dataDir, mode: 'own', ephemeral: directory });
  await urlOf(owner);
  await mkdir(path.join(directory, 'agent'));
  await writeFile(path.join(directory, 'agent', 'spool.db'), 'x');
  const guardian = parentOf(postmasterPid(dataDir));
  const before = await processesIn(path.join(dataDir, 'postgres'));
  t.ok(before.length > 1);
  await owner.kill();
  await until('the directory to go', () => !existsSync(directory));
  await until('the guardian to end', () => !isAlive(guardian));
  t.same(before.filter(isAlive), []);
});

t.test('kill -9 of an owner that is still initializing its database leaves nothing half-made', async (t) => {
  const dataDir = temporaryDirectory(t);
  const owner = spawnOwner(t, { dataDir, mode: 'own' });
  void owner.line.catch(() => {});
  await until('initdb to begin', () => existsSync(path.join(dataDir, 'postgres.new', 'cluster')));
  await owner.kill();
  const next = await openDataDirectory({ dataDir, mode: 'own', log, settings });
  t.same(await oneQuery(next.url, 'select 1 as one'), [{ one: 1 }]);
  await next.close();
  t.same((await readdir(dataDir)).sort(), ['database.lock', 'postgres']);
});

t.test('a server started right after kill -9 of the previous one waits for its end and has its data', async (t) => {
  const dataDir = temporaryDirectory(t);
  const owner = spawnOwner(t, { dataDir, mode: 'own' });
  await oneQuery(await urlOf(owner), "create table notes as select 'kept' as note");
  const old = postmasterPid(dataDir);
  await owner.kill();
  const next = await openDataDirectory({ dataDir, mode: 'own', log, settings });
  t.equal(isAlive(old), false);
  t.same(await oneQuery(next.url, 'select note from notes'), [{ note: 'kept' }]);
  await next.close();
});

t.test('a database whose owner and guardian were both killed is stopped before the next one starts', async (t) => {
  const dataDir = temporaryDirectory(t);
  const owner = spawnOwner(t, { dataDir, mode: 'own' });
  await oneQuery(await urlOf(owner), "create table notes as select 'kept' as note");
  const orphan = postmasterPid(dataDir);
  const guardian = parentOf(orphan);
  process.kill(guardian, 'SIGKILL');
  await owner.kill();
  // it holds the lock until it has ended, which on a busy machine is after the signal
  await until('the guardian to end', () => !isAlive(guardian));
  t.equal(isAlive(orphan), true);
  const next = await openDataDirectory({ dataDir, mode: 'join-or-start', log, settings });
  t.equal(next.isOwner, true);
  t.equal(isAlive(orphan), false);
  t.same(await oneQuery(next.url, 'select note from notes'), [{ note: 'kept' }]);
  await next.close();
});

t.test('signals to the whole foreground group do not reach the database', async (t) => {
  const dataDir = temporaryDirectory(t);
  const owner = spawnOwner(t, { dataDir, mode: 'own' });
  const url = await urlOf(owner);
  const guardian = parentOf(postmasterPid(dataDir));
  process.kill(-(owner.process.pid ?? Number.NaN), 'SIGINT');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(guardian, signal);
  t.same(await oneQuery(url, 'select 1 as one'), [{ one: 1 }]);
  t.equal(isAlive(guardian), true);
});

t.test('a server process that dies is restarted at the same address; one that keeps dying is given up', async (t) => {
  const dataDir = temporaryDirectory(t);
  const database = await openDataDirectory({ dataDir, mode: 'own', log, settings });
  await oneQuery(database.url, "create table notes as select 'kept' as note");
  process.kill(postmasterPid(dataDir), 'SIGKILL');
  const answers = () => oneQuery(database.url, 'select note from notes').catch(() => null);
  await until('the database to be back', async () => (await answers())?.[0]?.['note'] === 'kept');
  let isLost = false;
  void database.lost.then(() => {
    isLost = true;
  });
  await until('the database to be given up', () => {
    if (!isLost && existsSync(path.join(dataDir, 'database.json'))) kill(postmasterPid(dataDir));
    return isLost;
  });
  t.match((await database.lost).message, /^embedded PostgreSQL ended: ended by SIGKILL$/);
  t.same(await processesIn(path.join(dataDir, 'postgres')), []);
  await database.close();
});

t.test('an ephemeral directory that does not contain the database is not removed', async (t) => {
  const [dataDir, ephemeral] = [temporaryDirectory(t), temporaryDirectory(t)];
  await t.rejects(startEmbeddedPostgres({ dataDir, ephemeral, log }), /does not contain data directory/);
  t.ok(existsSync(ephemeral));
});

t.test('stopping removes an ephemeral directory, with everything in it', async (t) => {
  const directory = temporaryDirectory(t);
  const database = await startEmbeddedPostgres({ dataDir: directory, ephemeral: directory, log, settings });
  await writeFile(path.join(directory, 'left-over'), 'x');
  await database.stop();
  t.equal(existsSync(directory), false);
});
