import { chmod, readdir } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { hidePackage, needsMounts, reachableDirectory, refuseUserNamespaces, serverUids } from './_support/machines.js';
import { oneQuery } from './_support/one-query.js';
import { errorOf, spawnOwner, urlOf } from './_support/owner-process.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

// each test creates a database or two: seconds, and more on a busy machine

const nobody = 65_534;

t.test('where user namespaces are refused the database runs as an unprivileged user', needsMounts, async (t) => {
  const dataDir = await reachableDirectory(t);
  const owner = spawnOwner(t, { dataDir, mode: 'own', mounts: refuseUserNamespaces });
  await oneQuery(await urlOf(owner), "create table notes as select 'kept' as note");
  t.same(await serverUids(dataDir), [nobody]);
  await owner.end();
  const again = spawnOwner(t, { dataDir, mode: 'own' });
  t.same(
    await oneQuery(await urlOf(again), 'select note from notes'),
    [{ note: 'kept' }],
    'and continues so where they are allowed',
  );
  t.same(await serverUids(dataDir), [nobody]);
  await again.end();
});

t.test(
  'without user namespaces, binaries that the user cannot reach are copied to a place that it can',
  needsMounts,
  async (t) => {
    const dataDir = await reachableDirectory(t);
    const owner = spawnOwner(t, { dataDir, mode: 'own', mounts: `${hidePackage}\n${refuseUserNamespaces}` });
    t.same(await oneQuery(await urlOf(owner), 'select 1 as one'), [{ one: 1 }]);
    t.match(await readdir(dataDir), [/^database.json$/, /^database.lock$/, /^postgres$/, /^postgres-18\.\d/]);
    await owner.end();
  },
);

t.test(
  'without user namespaces, a data directory that the user cannot reach is refused with advice',
  needsMounts,
  async (t) => {
    const parent = temporaryDirectory(t);
    await chmod(parent, 0o700);
    const dataDir = path.join(parent, 'data');
    const complaint = await errorOf(spawnOwner(t, { dataDir, mode: 'own', mounts: refuseUserNamespaces }));
    t.match(complaint, /cannot be accessed by user id 65534.*chmod o\+x.*VANTAGE_DATA_DIR/);
    t.notMatch(complaint, /\n/);
  },
);
