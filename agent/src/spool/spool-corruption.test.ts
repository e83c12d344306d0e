import {
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import {
  aFolder,
  aPayload,
  appendAll,
  findBreaches,
  memoryFolder,
  openSpool,
  readAll,
  recordingLog,
} from './_support/spool-fixture.js';

const FILE = 'spool.db';
const ROUNDS = process.env['CI'] === 'true' ? 60 : 10;

/** A folder with a closed spool of 300 rows `row 1` ... `row 300` in lane task, two of which are acknowledged. */
async function aWrittenSpool(t: Test): Promise<{ folder: string; epoch: Uint8Array }> {
  const folder = aFolder(t, memoryFolder);
  const spool = await openSpool(t, { folder });
  await appendAll(spool, 'task', rowTexts(300), 400);
  await spool.acknowledge('task', 2);
  await spool.close();
  return { folder, epoch: spool.epoch };
}

function rowTexts(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `row ${i + 1}`);
}

/** Flips the bits of `count` bytes at `offset`. */
function damage(path: string, offset: number, count = 1): void {
  const bytes = readFileSync(path);
  for (let i = offset; i < Math.min(offset + count, bytes.length); i += 1) bytes[i] = (bytes[i] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

/** Spoils the row wherever SQLite has a copy of it. */
function damageRow(path: string, text: string): void {
  for (let at = readFileSync(path).indexOf(text); at >= 0; at = readFileSync(path).indexOf(text)) damage(path, at);
}

t.test('a corrupt row in the middle becomes a dropped range, and the others are read', async (t) => {
  const { folder, epoch } = await aWrittenSpool(t);
  const path = join(folder, FILE);
  damageRow(path, 'row 150 ');
  const spool = await openSpool(t, { folder });
  t.same(spool.epoch, epoch);
  const rows = await readAll(spool, 'task', 2);
  t.equal(rows.length, 297);
  t.notOk(rows.some((row) => row.startsWith('150 ')));
  t.same(spool.droppedRanges('task'), [{ first: 150, last: 150, reason: 'corrupt' }]);
  t.equal(spool.stats().dropped, 1);
  t.same(await findBreaches(spool), []);

  await appendAll(spool, 'task', ['next']);
  await spool.close();
  const again = await openSpool(t, { folder });
  t.same(again.droppedRanges('task'), [{ first: 150, last: 150, reason: 'corrupt' }], 'it is remembered');
  await again.acknowledge('task', 150);
  t.same(again.droppedRanges('task'), []);
});

t.test('corrupt rows at the start do not hide those behind them', async (t) => {
  const { folder } = await aWrittenSpool(t);
  const path = join(folder, FILE);
  for (const number of [3, 4, 5]) damageRow(path, `row ${number} `);
  const spool = await openSpool(t, { folder });
  t.equal((await spool.read('task', 2, 1, 1_000))[0]?.sequence, 6);
  t.same(spool.droppedRanges('task'), [{ first: 3, last: 5, reason: 'corrupt' }]);
});

t.test('a damaged file is put aside and a new epoch begins', async (t) => {
  const cases: { name: string; harm: (path: string) => void }[] = [
    {
      name: 'no database at all',
      harm: (path) => writeFileSync(path, 'not a database, but long enough to have a header'.repeat(40)),
    },
    { name: "another program's database", harm: (path) => replaceByForeignDatabase(path) },
    { name: 'header overwritten', harm: (path) => damage(path, 0, 100) },
    { name: 'cut in the middle', harm: (path) => truncateSync(path, Math.floor(statSync(path).size / 2)) },
    { name: 'a page overwritten', harm: (path) => damage(path, 4096 * 5, 4096) },
    { name: 'head edited', harm: (path) => editHead(path) },
  ];
  for (const { name, harm } of cases) {
    await t.test(name, async (t) => {
      const { folder, epoch } = await aWrittenSpool(t);
      const path = join(folder, FILE);
      harm(path);
      const harmed = readFileSync(path);
      const { log, lines } = recordingLog();
      const spool = await openSpool(t, { folder, log });
      t.notSame(spool.epoch, epoch);
      t.same(spool.state().task, { last: 0, acked: 0 });
      const { setAside } = spool.stats();
      t.match(setAside, /spool\.db\.corrupt-2026-/);
      t.ok(readFileSync(setAside ?? '').equals(harmed), 'kept as it was');
      t.match(lines.join(''), /spool was corrupt, starting anew/);
      t.same(await appendAll(spool, 'task', ['goes on']), [1]);
    });
  }
});

t.test('of the files put aside only the newest is kept', async (t) => {
  const folder = aFolder(t, memoryFolder);
  for (const content of ['first garbage'.repeat(99), 'second garbage'.repeat(99)]) {
    writeFileSync(join(folder, FILE), content);
    const spool = await openSpool(t, { folder });
    await spool.close();
  }
  const kept = readdirSync(folder).filter((name) => name.includes('corrupt'));
  t.equal(kept.length, 1);
  t.match(readFileSync(join(folder, kept[0] ?? ''), 'utf8'), /^second/);
});

t.test('a file of a newer version is refused and left alone', async (t) => {
  const { folder } = await aWrittenSpool(t);
  const path = join(folder, FILE);
  const database = new Database(path);
  database.pragma('user_version = 2');
  database.close();
  await t.rejects(openSpool(t, { folder }), { name: 'SpoolOpenError', message: /newer version/ });
  t.same(
    readdirSync(folder).filter((name) => name.includes('corrupt')),
    [],
  );
});

t.test('a cut or damaged log loses its end at most', async (t) => {
  const folder = aFolder(t, memoryFolder);
  const spool = await openSpool(t, { folder });
  for (const text of rowTexts(40)) await appendAll(spool, 'task', [text], 400);
  const log = join(folder, `${FILE}-wal`);
  const logBytes = statSync(log).size;
  const harms = [0, 1 / 7, 1 / 3, 1 / 2, 0.9].flatMap((part) => [
    { name: `cut at ${part}`, harm: (path: string) => truncateSync(path, Math.floor(logBytes * part)) },
    { name: `damaged at ${part}`, harm: (path: string) => damage(path, Math.floor(logBytes * part), 64) },
  ]);
  for (const { name, harm } of harms) {
    const copy = aFolder(t, memoryFolder);
    cpSync(folder, copy, { recursive: true });
    rmSync(join(copy, `${FILE}-shm`));
    harm(join(copy, `${FILE}-wal`));
    const survivor = await openSpool(t, { folder: copy });
    const rows = await readAll(survivor, 'task', 0);
    t.same(
      rows,
      rowTexts(40)
        .slice(0, rows.length)
        .map((text, i) => `${i + 1} ${text}`),
      name,
    );
    t.same(await findBreaches(survivor), [], name);
    await survivor.close();
  }
});

t.test('a spool survives any damage to its file', async (t) => {
  const { folder } = await aWrittenSpool(t);
  const size = statSync(join(folder, FILE)).size;
  for (let round = 0; round < ROUNDS; round += 1) {
    const copy = aFolder(t, memoryFolder);
    cpSync(folder, copy, { recursive: true });
    const offset = Math.floor(Math.random() * size);
    damage(join(copy, FILE), offset, 1 + Math.floor(Math.random() ** 4 * 9_000));
    const spool = await openSpool(t, { folder: copy });
    const breaches = await findBreaches(spool);
    const [number = 0] = await appendAll(spool, 'task', ['goes on']);
    const rows = await spool.read('task', number - 1, 1, 1_000);
    if (breaches.length > 0 || rows[0]?.sequence !== number) t.fail(`damage at ${offset}: ${breaches.join(', ')}`);
    await spool.close();
  }
});

t.test('a file that turns out corrupt while it is open is replaced; what was in memory goes on', async (t) => {
  const folder = aFolder(t, memoryFolder);
  const spool = await openSpool(t, { folder });
  await appendAll(spool, 'task', rowTexts(2_000), 1_000);
  const { epoch } = spool;
  const reasons: string[] = [];
  spool.onEpochLost((reason) => reasons.push(reason));
  overwriteOpenFile(join(folder, FILE));
  const unwritten = spool.append('check', aPayload('in memory'));
  await spool.read('task', 0, 1_000, 1_000_000);
  await unwritten.durable;
  t.same(reasons, ['the spool file was corrupt']);
  t.notSame(spool.epoch, epoch);
  t.match(spool.stats().setAside, /corrupt-/);
  t.same(await appendAll(spool, 'task', ['new']), [1]);
  t.same(await readAll(spool, 'task', 0), ['1 new']);
  t.same(await findBreaches(spool), []);
  t.equal(spool.stats().problem, null);
});

function replaceByForeignDatabase(path: string): void {
  rmSync(path);
  const database = new Database(path);
  database.exec('CREATE TABLE notes (text)');
  database.close();
}

function editHead(path: string): void {
  const database = new Database(path);
  database.exec(`UPDATE head SET body = replace(body, '"acked":2', '"acked":9')`);
  database.close();
}

/** Everything but the first page, in place: the thread goes on with the file it has open. */
function overwriteOpenFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(statSync(path).size - 4096, 0xa5), 0, undefined, 4096);
}
