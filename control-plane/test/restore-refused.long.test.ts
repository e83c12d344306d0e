import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { backupOperator, digests, PASSPHRASE } from './_support/backups.js';
import { createTestDatabase } from './_support/database.js';
import { startRestartablePostgres } from './_support/restartable-postgres.js';
import { SECRET_KEY, startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test('a backup that cannot be restored completely changes nothing', async (t) => {
  const { url, db: source } = await createTestDatabase(t);
  const sourceOperator = backupOperator(t, url);
  t.match(await sourceOperator.run('user', 'create', '--email', 'kept@test.example'), { code: 0 });
  // several chunks of the file: the damage is found while rows are being stored
  await source.raw(`
    INSERT INTO audit_log (id, at, action, subject, details)
    SELECT 'aud_' || i, now(), 'node.banned', md5(random()::text) || md5(random()::text), '{}' FROM generate_series(1, 8000) i`);
  const folder = temporaryDirectory(t);
  const file = path.join(folder, 'v.backup');
  t.match(await sourceOperator.run('backup', file), { code: 0 });
  t.ok(readFileSync(file).length > 3 * 65_536);
  const cut = path.join(folder, 'cut.backup');
  writeFileSync(cut, readFileSync(file).subarray(0, -1));

  const { url: otherUrl, db } = await createTestDatabase(t, { migrate: false });
  const other = backupOperator(t, otherUrl);
  const wrongPassphrase = backupOperator(t, otherUrl, { VANTAGE_BACKUP_PASSPHRASE: 'another passphrase' });
  t.match(await other.run('restore', cut), { code: 1, stderr: /damaged or was cut off/ });
  t.match(await wrongPassphrase.run('restore', file), { code: 1, stderr: /the passphrase is wrong/ });
  t.match(await other.run('restore', path.join(folder, 'none')), { code: 1, stderr: /ENOENT.*none/ });
  t.same((await db.raw("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")).rows, []);

  t.match(await other.run('migrate'), { code: 0 });
  t.match(await other.run('user', 'create', '--email', 'other@test.example'), { code: 0 });
  const before = await digests(db);
  const keyFile = path.join(other.dataDir, 'secret.key');
  const key = readFileSync(keyFile, 'utf8');
  t.match(await other.run('restore', file), { code: 1, stderr: /has data \(1 users, 0 nodes\); add --replace/ });
  t.match(await other.run('restore', cut, '--replace'), { code: 1, stderr: /damaged or was cut off/ });
  t.same(await digests(db), before, 'neither attempt changed anything');
  t.equal(readFileSync(keyFile, 'utf8'), key, 'nor the key');
  t.match(await other.run('restore', file, '--replace'), { code: 0 });
  t.same(await db('users').pluck('email'), ['kept@test.example']);
});

t.test('a PostgreSQL with too few places for locks is refused first, with the setting that suffices', async (t) => {
  const { url, db } = await createTestDatabase(t);
  for (let day = 0; day < 300; day += 1) {
    const [from, to] = [day, day + 1].map((days) => new Date(Date.UTC(2020, 0, 1 + days)).toISOString());
    await db.raw(
      `CREATE TABLE monitor_checks_2020_${day} PARTITION OF monitor_checks_7d FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
  }
  const file = path.join(temporaryDirectory(t), 'v.backup');
  t.match(await backupOperator(t, url).run('backup', file), { code: 0 });

  const server = await startRestartablePostgres(t);
  const { run } = backupOperator(t, server.url);
  for (const args of [
    ['restore', file],
    ['restore', file, '--replace'],
  ]) {
    await server.stop();
    await server.start({ max_locks_per_transaction: '10' });
    const { code, stderr } = await run(...args);
    t.equal(code, 1);
    const advice =
      /needs \d+ locks, .*: set max_locks_per_transaction = (\d+) \(now 10\), restart PostgreSQL and repeat/;
    t.match(stderr, advice);
    await server.stop();
    await server.start({ max_locks_per_transaction: advice.exec(stderr)?.[1] ?? '' });
    t.match(await run(...args), { code: 0 });
  }
});

t.test('a database that servers use, or that belongs to something else, is not restored into', async (t) => {
  const { database } = await startStack(t);
  const { run } = backupOperator(t, database.url, { VANTAGE_SECRET_KEY: SECRET_KEY });
  const file = path.join(temporaryDirectory(t), 'v.backup');
  t.match(await run('backup', file), { code: 0 });
  t.match(await run('restore', file, '--replace'), { code: 1, stderr: /1 replicas use the database; stop all/ });
  const foreign = await createTestDatabase(t, { migrate: false });
  await foreign.db.raw('CREATE TABLE invoices (id int)');
  t.match(await backupOperator(t, foreign.url).run('restore', file, '--replace'), {
    code: 1,
    stderr: /not of Vantage/,
  });
});

t.test('a different secret key is never lost, and a configured one is never ignored', async (t) => {
  const { url } = await createTestDatabase(t);
  const folder = temporaryDirectory(t);
  const file = path.join(folder, 'v.backup');
  t.match(await backupOperator(t, url).run('backup', file), { code: 0 });
  const { url: otherUrl } = await createTestDatabase(t, { migrate: false });
  const configured = backupOperator(t, otherUrl, { VANTAGE_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') });
  t.match(await configured.run('restore', file), { code: 1, stderr: /VANTAGE_SECRET_KEY is not the secret key/ });
  const other = backupOperator(t, otherUrl);
  const keyFile = path.join(other.dataDir, 'secret.key');
  const own = `${Buffer.alloc(32, 2).toString('base64')}\n`;
  writeFileSync(keyFile, own);
  t.match(await other.run('restore', file), { code: 1, stderr: /is the key of another installation/ });
  t.equal(readFileSync(keyFile, 'utf8'), own);
  t.match(await other.run('restore', file, '--replace'), { code: 0 });
  t.equal(readFileSync(`${keyFile}.before`, 'utf8'), own);
});

t.test('the passphrase is taken from a file or the environment, and must not be short', async (t) => {
  const { url } = await createTestDatabase(t);
  const folder = temporaryDirectory(t);
  const file = path.join(folder, 'v.backup');
  const passphraseFile = path.join(folder, 'passphrase');
  writeFileSync(passphraseFile, `${PASSPHRASE}\nsecond line\n`);
  const without = backupOperator(t, url, { VANTAGE_BACKUP_PASSPHRASE: '' });
  t.match(await without.run('backup', file), { code: 1, stderr: /no passphrase; add --passphrase-file, set VANTAGE_/ });
  t.match(await backupOperator(t, url, { VANTAGE_BACKUP_PASSPHRASE: 'seven77' }).run('backup', file), {
    code: 1,
    stderr: /must have at least 8 characters/,
  });
  t.notOk(existsSync(file));
  t.match(await without.run('backup', file, '--passphrase-file', passphraseFile), { code: 0 });
  const { url: otherUrl } = await createTestDatabase(t, { migrate: false });
  t.match(await backupOperator(t, otherUrl).run('restore', file), { code: 0 });
});

t.test('a backup without the key that the database is sealed with is refused, and no key is made up', async (t) => {
  const { database } = await startStack(t);
  const file = path.join(temporaryDirectory(t), 'v.backup');
  const without = backupOperator(t, database.url);
  t.match(await without.run('backup', file), { code: 1, stderr: /has no secret\.key; set VANTAGE_SECRET_KEY/ });
  t.notOk(existsSync(path.join(without.dataDir, 'secret.key')));
  const wrong = backupOperator(t, database.url, { VANTAGE_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') });
  t.match(await wrong.run('backup', file), { code: 1, stderr: /does not decrypt the identity/ });
  const { url } = await createTestDatabase(t, { migrate: false });
  t.match(await backupOperator(t, url).run('backup', file), { code: 1, stderr: /no server has run with it/ });
  t.notOk(existsSync(file));
});

t.test('a backup of an older version is restored with the tables it had, and migrated afterwards', async (t) => {
  const { url, db } = await createTestDatabase(t);
  await db.raw("DELETE FROM schema_migrations WHERE name LIKE '0012%'");
  await db.raw('ALTER TABLE replicas DROP COLUMN allow_targets');
  const file = path.join(temporaryDirectory(t), 'v.backup');
  const { run } = backupOperator(t, url);
  t.match(await run('backup', file), { code: 0 });
  const { url: otherUrl, db: other } = await createTestDatabase(t, { migrate: false });
  const restorer = backupOperator(t, otherUrl);
  t.match(await restorer.run('restore', file), { code: 0 });
  t.equal(await other.schema.hasColumn('replicas', 'allow_targets'), false);
  t.match(await restorer.run('migrate', '--json'), { code: 0, stdout: /0012-replica-ranges/ });
  t.equal(await other.schema.hasColumn('replicas', 'allow_targets'), true);
});
