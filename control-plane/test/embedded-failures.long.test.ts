import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { findPostgresBinaries } from '../src/db/embedded/binaries.js';
import { EmbeddedPostgresError, openDataDirectory } from '../src/db/embedded/index.js';
import { oneQuery } from './_support/one-query.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

// each test creates a database or two: seconds, and more on a busy machine

const log = pino({ level: 'silent' });
const settings = { fsync: 'off' };

async function complaintAbout(dataDir: string): Promise<string> {
  try {
    const opened = await openDataDirectory({ dataDir, mode: 'own', log, settings });
    await opened.close();
    return 'opened';
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) return error.message;
    throw error;
  }
}

async function cluster(dataDir: string, files: Record<string, string>): Promise<void> {
  await mkdir(path.join(dataDir, 'postgres'), { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(dataDir, 'postgres', name), text);
}

const cases = [
  {
    name: 'made by an older PostgreSQL',
    files: { PG_VERSION: '15\n' },
    message: /was created by PostgreSQL 15, and this version includes 18: dump it/,
  },
  { name: 'something else', files: { 'thesis.tex': 'x' }, message: /is not a PostgreSQL database; move it away/ },
  { name: 'without its password', files: { PG_VERSION: '18\n' }, message: /vantage.password" is missing.*restore/ },
];

for (const { name, files, message } of cases) {
  t.test(`a database directory that is ${name} is refused with advice, and left unchanged`, async (t) => {
    const dataDir = temporaryDirectory(t);
    await cluster(dataDir, files);
    const complaint = await complaintAbout(dataDir);
    t.match(complaint, message);
    t.notMatch(complaint, /\n/);
    t.same(await readdir(path.join(dataDir, 'postgres')), Object.keys(files));
  });
}

t.test('an empty database directory, or one left by a killed initdb, is initialized', async (t) => {
  const dataDir = temporaryDirectory(t);
  await cluster(dataDir, {});
  await mkdir(path.join(dataDir, 'postgres.new', 'cluster', 'base'), { recursive: true });
  t.equal(await complaintAbout(dataDir), 'opened');
});

t.test('a data directory that is a file, or below one, is refused in one line', async (t) => {
  const directory = temporaryDirectory(t);
  const file = path.join(directory, 'file');
  await writeFile(file, '');
  t.match(await complaintAbout(file), /cannot create or write data directory .* \(EEXIST\); fix its permissions/);
  t.match(await complaintAbout(path.join(file, 'data')), /cannot create or write data directory .* \(ENOTDIR\)/);
});

t.test('a setting that PostgreSQL refuses is named in one line, and nothing is left running', async (t) => {
  const dataDir = temporaryDirectory(t);
  const opening = openDataDirectory({ dataDir, mode: 'own', log, settings: { fsync: 'off', max_connections: 'many' } });
  await t.rejects(opening, {
    name: 'EmbeddedPostgresError',
    message: /did not start: invalid value .*max_connections.*"many"/,
  });
  t.equal(await complaintAbout(dataDir), 'opened');
});

t.test('on a platform without PostgreSQL the error asks for an external database', async (t) => {
  t.throws(() => findPostgresBinaries('plan9-mips'), {
    name: 'EmbeddedPostgresError',
    message: /set VANTAGE_DATABASE_URL/,
  });
});

t.test('a data directory too long for a socket works, with the socket elsewhere while it runs', async (t) => {
  const dataDir = path.join(temporaryDirectory(t), 'a'.repeat(100), 'b'.repeat(100));
  const opened = await openDataDirectory({ dataDir, mode: 'own', log, settings });
  const socketDirectory = new URL(opened.url).searchParams.get('host') ?? '';
  t.notMatch(socketDirectory, dataDir);
  t.same(await oneQuery(opened.url, 'select 1 as one'), [{ one: 1 }]);
  t.ok(existsSync(socketDirectory));
  await opened.close();
  t.equal(existsSync(socketDirectory), false);
});

t.test('names with spaces, quotes, percent signs and non-ASCII letters work', async (t) => {
  const dataDir = path.join(temporaryDirectory(t), `it's 100% "düster" #1`);
  const opened = await openDataDirectory({ dataDir, mode: 'own', log, settings });
  t.same(await oneQuery(opened.url, 'select 1 as one'), [{ one: 1 }]);
  await opened.close();
  await rm(dataDir, { recursive: true });
});
