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
import { rounds } from '@vantage/shared/_support/rounds.js';
import { lanes } from '@vantage/shared/protocol/lanes.js';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import {
  aFolder,
  aPayload,
  appendAll,
  describeRow,
  findBreaches,
  memoryFolder,
  openSpool,
  readAll,
  recordingLog,
} from './_support/spool-fixture.js';
import type { Spool } from './spool.js';

const FILE = 'spool.db';
const ROUNDS = rounds(60, 6);

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

t.test(
  'a damaged file is set aside, a new epoch begins, and the rows that waited in it are reported as lost',
  async (t) => {
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
        t.same(spool.state(), { task: { last: 298, acked: 0 }, check: { last: 0, acked: 0 } });
        t.same(spool.droppedRanges('task'), [{ first: 1, last: 298, reason: 'corrupt' }]);
        t.match(spool.stats(), { rows: 0, dropped: 298, droppedFor: { corrupt: 298 } });
        const { setAside } = spool.stats();
        t.match(setAside, /spool\.db\.corrupt-2026-/);
        t.ok(readFileSync(setAside ?? '').equals(harmed), 'kept as it was');
        t.match(lines.join(''), /spool was corrupt, starting with an empty one/);
        t.same(await appendAll(spool, 'task', ['goes on']), [299]);
        t.same(await findBreaches(spool), []);
        await spool.close();
        const again = await openSpool(t, { folder });
        t.same(again.droppedRanges('task'), [{ first: 1, last: 298, reason: 'corrupt' }], 'until it is acknowledged');
        t.equal(again.stats().setAside, setAside, 'and the file stays');
      });
    }
  },
);

t.test('if the content of a damaged file is unknown, one number of each lane declares the loss', async (t) => {
  const folder = aFolder(t, memoryFolder);
  writeFileSync(join(folder, FILE), 'garbage '.repeat(999));
  const spool = await openSpool(t, { folder });
  for (const lane of lanes) t.same(spool.droppedRanges(lane), [{ first: 1, last: 1, reason: 'corrupt' }], lane);
  t.same(await appendAll(spool, 'task', ['goes on']), [2]);
});

t.test('a missing file loses its rows, and this is reported', async (t) => {
  const { folder } = await aWrittenSpool(t);
  rmSync(join(folder, FILE));
  const { log, lines } = recordingLog();
  const spool = await openSpool(t, { folder, log });
  t.same(spool.droppedRanges('task'), [{ first: 1, last: 298, reason: 'corrupt' }]);
  t.match(lines.join(''), /"lostRows":298/);
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

t.test('a cut or damaged log loses at most its end, which is reported, and no number is used again', async (t) => {
  const folder = aFolder(t, memoryFolder);
  const spool = await openSpool(t, { folder });
  for (const text of rowTexts(40)) await appendAll(spool, 'task', [text], 400);
  await spool.acknowledge('task', 3);
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
    if (Buffer.from(survivor.epoch).equals(spool.epoch)) await checkSurvivor(t, survivor, name);
    // where nothing is left of the file it is a new one
    else t.same(survivor.droppedRanges('task'), [{ first: 1, last: 37, reason: 'corrupt' }], name);
    t.same(await findBreaches(survivor), [], name);
    await survivor.close();
  }
});

async function checkSurvivor(t: Test, survivor: Spool, name: string): Promise<void> {
  const rows = await readAll(survivor, 'task', 0);
  const texts = rowTexts(40).map((text, i) => `${i + 1} ${text}`);
  t.same(rows, texts.slice(0, rows.length), `${name}: a beginning`);
  t.same(survivor.state().task, { last: 40, acked: 3 }, `${name}: the numbers`);
  const lost = { first: Math.max(rows.length, 3) + 1, last: 40, reason: 'corrupt' };
  t.same(survivor.droppedRanges('task'), rows.length === 40 ? [] : [lost], `${name}: the end is dropped`);
  t.same(await appendAll(survivor, 'task', ['next']), [41], `${name}: the next number`);
}

t.test('a log that lost a new epoch does not bring the old one back', async (t) => {
  const folder = aFolder(t, memoryFolder);
  const spool = await openSpool(t, { folder });
  await appendAll(spool, 'task', rowTexts(4), 400);
  await spool.acknowledge('task', 2);
  const logBytes = statSync(join(folder, `${FILE}-wal`)).size;
  await spool.startNewEpoch('test');
  await appendAll(spool, 'task', ['in the new one']);
  const copy = aFolder(t, memoryFolder);
  cpSync(folder, copy, { recursive: true });
  rmSync(join(copy, `${FILE}-shm`));
  truncateSync(join(copy, `${FILE}-wal`), logBytes);
  const survivor = await openSpool(t, { folder: copy });
  t.same(survivor.epoch, spool.epoch);
  t.same(survivor.state().task, { last: 3, acked: 0 });
  t.same((await survivor.read('task', 0, 9, 9_999)).map(describeRow), ['1 row 3', '2 row 4']);
  t.same(survivor.droppedRanges('task'), [{ first: 3, last: 3, reason: 'corrupt' }]);
});

t.test('a note of the last commit that is torn, older or of another file changes nothing', async (t) => {
  const { folder, epoch } = await aWrittenSpool(t);
  const other = await aWrittenSpool(t);
  const note = join(folder, 'last-commit');
  const foreign = readFileSync(join(other.folder, 'last-commit'));
  for (const content of [foreign, readFileSync(note).subarray(0, 100), Buffer.alloc(512), Buffer.alloc(0)]) {
    writeFileSync(note, content);
    const spool = await openSpool(t, { folder });
    t.same(spool.epoch, epoch);
    t.same(spool.state().task, { last: 300, acked: 2 });
    t.same(spool.droppedRanges('task'), []);
    await spool.close();
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
    if (looksNewer(join(copy, FILE))) continue;
    const spool = await openSpool(t, { folder: copy });
    const breaches = await findBreaches(spool);
    // all of them, in the old epoch or as a gap in a new one
    const { last, acked } = spool.state().task;
    if (last - acked !== 298) breaches.push(`${last - acked} numbers wait`);
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
  t.same(spool.droppedRanges('task'), [{ first: 1, last: 2_000, reason: 'corrupt' }], 'what was in the file is gone');
  t.same(await appendAll(spool, 'task', ['new']), [2_001]);
  t.same(await readAll(spool, 'task', 0), ['2001 new']);
  t.same(await findBreaches(spool), []);
  t.equal(spool.stats().problem, null);
});

/**
 * Damage to `user_version` that makes the file look like one of a later format, which is refused: see the test above.
 * SQLite's database header keeps it at offset 60, and the application's mark at offset 68.
 */
function looksNewer(path: string): boolean {
  const header = readFileSync(path);
  return header.readInt32BE(60) > 1 && header.toString('latin1', 68, 72) === 'VANT';
}

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

/** Overwrites all but the first page in place: the thread continues with the file that it has open. */
function overwriteOpenFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(statSync(path).size - 4096, 0xa5), 0, undefined, 4096);
}
