import { readFileSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import { pino } from 'pino';
import t from 'tap';
import { openDataDirectory } from '../src/db/embedded/index.js';
import { processesIn } from '../src/db/embedded/postmaster.js';
import { oneQuery } from './_support/one-query.js';
import { errorOf, spawnOwner, urlOf } from './_support/owner-process.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

// each test creates a database or two: seconds, and more on a busy machine

const log = pino({ level: 'silent' });
const settings = { fsync: 'off' };

t.test('a second server on a data directory is refused in one line that names the first', async (t) => {
  const dataDir = temporaryDirectory(t);
  const first = spawnOwner(t, { dataDir, mode: 'own' });
  await urlOf(first);
  const complaint = await errorOf(spawnOwner(t, { dataDir, mode: 'own' }));
  t.match(complaint, `data directory "${dataDir}" is in use by process ${first.process.pid}; `);
  t.notMatch(complaint, /\n/);
  const link = `${dataDir}/../${path.basename(dataDir)}/.`;
  t.match(
    await errorOf(spawnOwner(t, { dataDir: link, mode: 'own' })),
    /is in use by process/,
    'under another name too',
  );
  t.same(await oneQuery(await urlOf(first), 'select 1 as one'), [{ one: 1 }]);
});

t.test('of two servers that start at once on an empty directory one serves and one is refused', async (t) => {
  const dataDir = temporaryDirectory(t);
  const owners = [spawnOwner(t, { dataDir, mode: 'own' }), spawnOwner(t, { dataDir, mode: 'own' })];
  const lines = await Promise.all(owners.map((owner) => owner.line));
  t.same(lines.map((line) => 'error' in line).sort(), [false, true]);
});

t.test('a command joins the database of a running server and leaves it running', async (t) => {
  const dataDir = temporaryDirectory(t);
  const server = spawnOwner(t, { dataDir, mode: 'own' });
  const url = await urlOf(server);
  const command = await openDataDirectory({ dataDir, mode: 'join-or-start', log, settings });
  t.equal(command.isOwner, false);
  t.equal(command.url, url);
  await oneQuery(command.url, 'create table notes (note text)');
  await command.close();
  t.same(await oneQuery(url, 'select * from notes'), []);
});

t.test('a command without a server starts the database, and stops it when done', async (t) => {
  const dataDir = temporaryDirectory(t);
  const first = await openDataDirectory({ dataDir, mode: 'join-or-start', log, settings });
  t.equal(first.isOwner, true);
  await oneQuery(first.url, "create table notes as select 'kept' as note");
  await first.close();
  await first.close();
  t.same(await processesIn(path.join(dataDir, 'postgres')), []);
  await t.rejects(stat(path.join(dataDir, 'database.json')), { code: 'ENOENT' });
  const second = await openDataDirectory({ dataDir, mode: 'join-or-start', log, settings });
  t.same(await oneQuery(second.url, 'select note from notes'), [{ note: 'kept' }]);
  await second.close();
});

t.test('servers and commands wait for a command that is running', async (t) => {
  const dataDir = temporaryDirectory(t);
  const command = spawnOwner(t, { dataDir, mode: 'join-or-start' });
  await urlOf(command);
  const server = spawnOwner(t, { dataDir, mode: 'own' });
  const other = spawnOwner(t, { dataDir, mode: 'join-or-start' });
  let isEnding = false;
  const turns = [server, other].map(async (owner) => {
    await urlOf(owner);
    t.equal(isEnding, true, 'not before the command was done');
    // in any order, both get their turn
    if (owner === other) await other.end();
  });
  for (const { messages } of [server, other]) {
    await until('it to wait', () => messages.some((message) => message.startsWith('waiting for')));
  }
  isEnding = true;
  await command.end();
  await Promise.all(turns);
});

t.test('sockets and files of the database are accessible to its owner alone', async (t) => {
  const dataDir = temporaryDirectory(t);
  const url = await urlOf(spawnOwner(t, { dataDir, mode: 'own' }));
  const modeOf = async (name: string) => (await stat(path.join(dataDir, name))).mode & 0o777;
  t.equal(await modeOf('database.json'), 0o600);
  t.equal(await modeOf('postgres'), 0o700);
  t.equal(await modeOf('postgres/vantage.password'), 0o600);
  t.match(JSON.parse(readFileSync(path.join(dataDir, 'database.json'), 'utf8')), { url, purpose: 'server' });
  const password = new URL(url).password;
  t.ok(password.length >= 32);
  for (const pid of await processesIn(path.join(dataDir, 'postgres'))) {
    t.notMatch(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), password);
  }
  const wrong = url.replace(password, 'guess');
  await t.rejects(oneQuery(wrong, 'select 1'), { code: '28P01' });
  t.same(await oneQuery(url, 'show listen_addresses'), [{ listen_addresses: '' }]);
});

t.test('a file left by a crash, with a process id that another process has now, blocks no start', async (t) => {
  const stale = (dataDir: string) => {
    const url = `postgres://vantage:old@localhost/postgres?host=${dataDir}`;
    writeFileSync(
      path.join(dataDir, 'database.json'),
      JSON.stringify({ url, ownerPid: process.pid, purpose: 'server' }),
    );
  };
  const dataDir = temporaryDirectory(t);
  for (const mode of ['own', 'join-or-start'] as const) {
    stale(dataDir);
    const opened = await openDataDirectory({ dataDir, mode, log, settings });
    t.equal(opened.isOwner, true, mode);
    t.same(await oneQuery(opened.url, 'select 1 as one'), [{ one: 1 }]);
    await opened.close();
  }
});
