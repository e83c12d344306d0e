import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import {
  aFolder,
  aPayload,
  appendAll,
  findBreaches,
  openSpool,
  readAll,
  recordingLog,
} from './_support/spool-fixture.js';
import type { Spool } from './spool.js';

const MIB = 1024 * 1024;
const skip = missing('permission to mount');

/** A file system of its own, 24 MiB, gone with the test. */
function aSmallDisk(t: Test): string {
  const folder = aFolder(t);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=700', 'tmpfs', folder]);
  t.teardown(() => execFileSync('umount', ['--lazy', folder]));
  return folder;
}

/** Fills the disk but for `spareBytes`; answers how to empty it again. */
function fillDisk(folder: string, spareBytes: number): () => void {
  const path = join(folder, 'filler');
  const disk = statfsSync(folder);
  writeFileSync(path, Buffer.alloc(Math.max(0, disk.bavail * disk.bsize - spareBytes)));
  return () => rmSync(path);
}

function freeBytes(folder: string): number {
  const disk = statfsSync(folder);
  return disk.bavail * disk.bsize;
}

t.test(
  'on a full disk the ballast goes first, then the oldest rows, and the newest are written',
  { skip },
  async (t) => {
    const folder = aSmallDisk(t);
    const spool = await openSpool(t, { folder });
    const ballast = join(folder, 'ballast');
    t.ok(existsSync(ballast));
    await appendAll(
      spool,
      'task',
      Array.from({ length: 100 }, (_, i) => `early ${i}`),
      10_000,
    );
    const emptyDisk = fillDisk(folder, MIB);
    for (let round = 0; round < 20; round += 1) {
      await appendAll(
        spool,
        'task',
        Array.from({ length: 50 }, (_, i) => `${round}.${i}`),
        10_000,
      );
    }
    t.notOk(existsSync(ballast), 'the ballast is gone');
    t.ok(freeBytes(folder) < 3 * MIB, 'the disk is full but for its room');
    t.match(spool.droppedRanges('task'), [{ first: 1, reason: 'spool_full' }]);
    t.equal(spool.stats().problem, null);
    t.same(await readAll(spool, 'task', 1_099), ['1100 19.49'], 'the newest is there');
    t.same(await findBreaches(spool), []);

    emptyDisk();
    await appendAll(spool, 'task', ['after']);
    t.ok(existsSync(ballast), 'with room again, the ballast is taken on');
    await spool.close();
    const again = await openSpool(t, { folder });
    t.equal(again.state().task.last, 1_101);
    t.same(await findBreaches(again), []);
  },
);

t.test('an agent starts on a full disk: the ballast frees the space needed to open the spool', { skip }, async (t) => {
  const folder = aSmallDisk(t);
  const before = await openSpool(t, { folder });
  await appendAll(before, 'task', ['a', 'b']);
  await before.close();
  fillUp(folder);
  t.equal(freeBytes(folder), 0);
  const spool = await openSpool(t, { folder });
  t.notOk(existsSync(join(folder, 'ballast')));
  await appendAll(spool, 'task', ['c']);
  t.same(await readAll(spool, 'task', 0), ['1 a', '2 b', '3 c']);
});

t.test('if no space can be freed, rows wait in memory and are written later', { skip }, async (t) => {
  const folder = aSmallDisk(t);
  const clock = new FakeClock();
  const { log, lines } = recordingLog();
  const removeFiller = fillDisk(folder, 3 * MIB);
  const spool = await openSpool(t, { folder, clock, log });
  t.notOk(existsSync(join(folder, 'ballast')), 'there was no room for ballast');
  const emptyDisk = fillUp(folder);
  const waiting = Array.from({ length: 400 }, (_, i) => spool.append('task', aPayload(`row ${i + 1}`, 10_000)));
  await until('the disk is full', () => spool.stats().problem !== null);
  t.match(spool.stats().problem, /full/);
  t.match(lines.join(''), /spool cannot write/);
  t.equal(await spool.resume({ task: 0, check: 0 }), 'resumed', 'a link can open');
  t.equal((await readAll(spool, 'task', 0)).length, 400, 'all can be read and sent');

  emptyDisk();
  removeFiller();
  clock.advance(1_000);
  await Promise.all(waiting.map(({ durable }) => durable));
  t.equal(spool.stats().problem, null);
  t.match(lines.join(''), /spool can write again/);
  await spool.close();
  const again = await openSpool(t, { folder });
  t.equal((await readAll(again, 'task', 0)).length, 400);
});

t.test(
  'an input or output error is reported, and rows wait in memory up to a limit, beyond which the oldest are dropped',
  async (t) => {
    const folder = aFolder(t);
    const clock = new FakeClock();
    const spool = await openSpool(t, { folder, clock, maxPendingBytes: 20_000 });
    limitFileSize(t, 256 * 1024);
    const refused = await appendUntilRefused(spool);
    t.match(spool.stats().problem, /disk I\/O error/);
    const more = Array.from({ length: 40 }, (_, i) => spool.append('task', aPayload(`later ${i}`, 1_000)));
    const fates = Promise.allSettled([refused, ...more].map(({ durable }) => durable));
    t.match((await readAll(spool, 'task', 0)).at(-1), / later 39$/, 'the newest can be read');
    t.equal(
      (await spool.read('task', refused.sequence - 2, 100, 100_000)).length,
      1,
      'but not across those that gave way',
    );
    t.same(await findBreaches(spool), []);

    limitFileSize(t, 'unlimited');
    clock.advance(1_000);
    const dropped = (await fates).filter(({ status }) => status === 'rejected').length;
    t.equal(dropped, 21);
    const range = { first: refused.sequence, last: refused.sequence + dropped - 1, reason: 'spool_full' };
    t.same(spool.droppedRanges('task'), [range], 'they are said to be gone');
    t.equal(spool.stats().dropped, dropped);
    t.equal(spool.stats().problem, null);
    t.same(await findBreaches(spool), []);
    await spool.close();
    const again = await openSpool(t, { folder });
    t.same(again.droppedRanges('task'), [range]);
    t.same(await findBreaches(again), []);
  },
);

t.test('closing a spool that cannot write ends, and reports the loss', async (t) => {
  const { log, lines } = recordingLog();
  const spool = await openSpool(t, { log });
  limitFileSize(t, 256 * 1024);
  const { durable } = await appendUntilRefused(spool);
  await spool.close();
  await t.rejects(durable, { name: 'SpoolClosedError' });
  t.match(lines.join(''), /"lostRows":\d+.*spool closed with unwritten rows/);
});

/** Appends one row at a time until the commit of one is refused, and answers that one. */
async function appendUntilRefused(spool: Spool): Promise<ReturnType<Spool['append']>> {
  for (let i = 0; i < 1_000; i += 1) {
    const appended = spool.append('task', aPayload(`row ${i}`, 1_000));
    let isDone = false;
    const finished = () => {
      isDone = true;
    };
    appended.durable.then(finished, () => {});
    await until('a row is written or refused', () => isDone || spool.stats().problem !== null);
    if (!isDone) return appended;
  }
  throw new Error('no commit was refused');
}

/** Writing beyond this size fails in this process, as on a failing disk; pipes are not concerned. */
function limitFileSize(t: Test, bytes: number | 'unlimited'): void {
  const ignore = () => {};
  process.on('SIGXFSZ', ignore);
  const set = (soft: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${soft}:`]);
  set(bytes);
  t.teardown(() => {
    set('unlimited');
    process.off('SIGXFSZ', ignore);
  });
}

/** Fills the disk to the last byte. */
function fillUp(folder: string): () => void {
  const path = join(folder, 'filler-rest');
  writeFileSync(path, Buffer.alloc(freeBytes(folder)));
  return () => rmSync(path);
}
