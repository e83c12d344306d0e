import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { backupOperator, digests } from './_support/backups.js';
import { createTestDatabase } from './_support/database.js';
import { SECRET_KEY, startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test(
  'a backup that is taken while the server runs is verified, and restores into an empty database, row for row',
  async (t) => {
    // on this clock the server begins nothing by itself that would change rows after the backup
    const { database } = await startStack(t, {}, new FakeClock(Date.now()));
    // characters that the format of rows uses itself
    await database.db.raw("SELECT setval('node_revisions', 12345)");
    await database.db('alert_channels').update({ name: '\\.\n\\.\n\t\\N\r\u2028"\'' });
    const source = backupOperator(t, database.url, { VANTAGE_SECRET_KEY: SECRET_KEY });
    const file = path.join(temporaryDirectory(t), 'v.backup');
    const made = await source.run('backup', file, '--json');
    t.match(made, { code: 0, stderr: '' });
    const { tables, rows, bytes } = JSON.parse(made.stdout);
    t.match({ bytes, mode: statSync(file).mode & 0o777 }, { bytes: statSync(file).size, mode: 0o600 });
    t.ok(tables > 50 && rows > 20);
    t.match(await source.run('backup', file), { code: 1, stderr: /exists; choose another name, or add --force/ });
    t.same(readdirSync(path.dirname(file)), ['v.backup'], 'nothing else is left');
    const verified = await source.run('backup', '--verify', file, '--json');
    t.match(JSON.parse(verified.stdout), { rows });
    const cut = path.join(temporaryDirectory(t), 'cut.backup');
    writeFileSync(cut, readFileSync(file).subarray(0, -10));
    t.match(await source.run('backup', '--verify', cut), { code: 1, stderr: /damaged or was cut off/ });

    const empty = await createTestDatabase(t, { migrate: false });
    const target = backupOperator(t, empty.url);
    t.match(await target.run('restore', file), {
      code: 0,
      stdout: new RegExp(`: ${rows} rows of ${tables} tables\n$`),
    });
    const wanted = await digests(database.db);
    t.ok(Object.keys(wanted).length > 10);
    t.same(await digests(empty.db), wanted);
    t.equal(readFileSync(path.join(target.dataDir, 'secret.key'), 'utf8').trim(), SECRET_KEY);
    await t.rejects(
      empty.db('alert_channels').update({ owner_id: 'u_none' }),
      /foreign key/,
      'constraints are there again',
    );
    const { rows: triggers } = await empty.db.raw("SELECT FROM pg_trigger WHERE tgenabled <> 'O' AND NOT tgisinternal");
    t.equal(triggers.length, 0, 'so are triggers');
    const lastNumbers = async (db: typeof empty.db) =>
      (await db.raw('SELECT sequencename, last_value FROM pg_sequences WHERE last_value > 1 ORDER BY 1')).rows;
    t.ok((await lastNumbers(database.db)).length > 0);
    t.same(await lastNumbers(empty.db), await lastNumbers(database.db), 'new rows get new numbers');
    t.match(await target.run('user', 'create', '--email', 'later@test.example'), { code: 0 });
  },
);
