import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { hidePackage, needsMounts, needsOtherUsers, reachableDirectory, serverUids } from './_support/machines.js';
import { oneQuery } from './_support/one-query.js';
import { errorOf, spawnOwner, urlOf } from './_support/owner-process.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

// each test creates a database or two: seconds, and more on a busy machine

const nobody = 65_534;
/** User id of `daemon`, on every Linux. */
const daemon = 1;

t.test(
  'root serves from a clone and a data directory that only root may enter, without creating a system user',
  needsMounts,
  async (t) => {
    const accounts = ['/etc/passwd', '/etc/group'].map((file) => readFileSync(file, 'utf8'));
    const parent = temporaryDirectory(t);
    await chmod(parent, 0o700);
    const owner = spawnOwner(t, { dataDir: path.join(parent, 'data'), mode: 'own', mounts: hidePackage });
    t.same(await oneQuery(await urlOf(owner), 'select 1 as one'), [{ one: 1 }]);
    await owner.end();
    t.same(await readdir(path.join(parent, 'data')), ['database.lock', 'postgres'], 'nothing was copied');
    t.same(
      ['/etc/passwd', '/etc/group'].map((file) => readFileSync(file, 'utf8')),
      accounts,
    );
  },
);

t.test(
  'an ordinary user has a database of its own, and root using it leaves the ownership unchanged',
  needsOtherUsers,
  async (t) => {
    const dataDir = await reachableDirectory(t);
    await mkdir(dataDir, { mode: 0o700 });
    await chown(dataDir, nobody, nobody);
    const asRoot = spawnOwner(t, { dataDir, mode: 'join-or-start' });
    await oneQuery(await urlOf(asRoot), "create table notes as select 'kept' as note");
    t.same(await serverUids(dataDir), [nobody]);
    await asRoot.end();
    const asUser = spawnOwner(t, { dataDir, mode: 'own', uid: nobody });
    t.same(await oneQuery(await urlOf(asUser), 'select note from notes'), [{ note: 'kept' }]);
    t.same(await serverUids(dataDir), [nobody]);
    const joined = spawnOwner(t, { dataDir, mode: 'join-or-start' });
    t.match(await joined.line, { isOwner: false });
  },
);

t.test(
  'root uses the database of another user below a directory that only root may enter, as systemd keeps it',
  needsOtherUsers,
  async (t) => {
    const parent = await reachableDirectory(t);
    await mkdir(parent, { mode: 0o700 });
    const dataDir = path.join(parent, 'vantage');
    await mkdir(dataDir, { mode: 0o700 });
    await chown(dataDir, daemon, daemon);
    const asRoot = spawnOwner(t, { dataDir, mode: 'join-or-start' });
    t.same(await oneQuery(await urlOf(asRoot), 'select 1 as one'), [{ one: 1 }]);
    t.same(await serverUids(dataDir), [daemon]);
  },
);

t.test('a data directory without write permission is refused in one line', needsOtherUsers, async (t) => {
  const dataDir = await reachableDirectory(t);
  await mkdir(dataDir, { mode: 0o755 });
  const complaint = await errorOf(spawnOwner(t, { dataDir, mode: 'own', uid: nobody }));
  t.match(
    complaint,
    /cannot create or write data directory .* \(EACCES\); fix its permissions, choose another VANTAGE_DATA_DIR/,
  );
  t.notMatch(complaint, /\n/);
});

t.test('a disk that fills up while the database is initialized is reported in one line', needsMounts, async (t) => {
  const dataDir = path.join(temporaryDirectory(t), 'data');
  const mounts = `mkdir '${dataDir}'; mount -t tmpfs -o size=8m,mode=0700 tmpfs '${dataDir}'`;
  const complaint = await errorOf(spawnOwner(t, { dataDir, mode: 'own', mounts }));
  t.match(complaint, /the disk is full; free some space or choose another VANTAGE_DATA_DIR/);
  t.notMatch(complaint, /\n/);
});
