import { openSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { aFolder, aPayload, findBreaches, memoryFolder, openSpool } from './_support/spool-fixture.js';
import type { Spool } from './spool.js';

// What happens to the files of a spool while it is open: a backup is restored over them, or the disk loses its mind.

const ROWS = 120;

interface Harm {
  readonly name: string;
  readonly harm: (database: string, log: string) => void;
}

const harms: readonly Harm[] = [
  { name: 'header of the database zeroed', harm: (database) => overwrite(database, 0, Buffer.alloc(100)) },
  { name: 'database zeroed', harm: (database) => overwrite(database, 0, Buffer.alloc(statSync(database).size)) },
  { name: 'middle of the database flipped', harm: (database) => flip(database, 0.5, 8192) },
  { name: 'database cut in the middle', harm: (database) => truncateSync(database, statSync(database).size / 2) },
  { name: 'database cut to nothing', harm: (database) => truncateSync(database, 0) },
  { name: 'header of the log zeroed', harm: (_, log) => overwrite(log, 0, Buffer.alloc(32)) },
  { name: 'middle of the log flipped', harm: (_, log) => flip(log, 0.5, 8192) },
  { name: 'log cut in the middle', harm: (_, log) => truncateSync(log, statSync(log).size / 2) },
  { name: 'log cut to nothing', harm: (_, log) => truncateSync(log, 0) },
];

t.test(
  'a spool survives any damage to its files while it is open, and every number is a row or declared',
  async (t) => {
    for (const { name, harm } of harms) {
      await t.test(name, async (t) => {
        const folder = aFolder(t, memoryFolder);
        const clock = new FakeClock();
        const spool = await openSpool(t, { folder, clock });
        await written(spool, clock, ROWS);
        harm(join(folder, 'spool.db'), join(folder, 'spool.db-wal'));
        await written(spool, clock, ROWS);
        await whole(spool, clock);
        await written(spool, clock, 1);
        t.equal(spool.stats().problem, null);
        t.equal(waitingNumbers(spool), 2 * ROWS + 1, 'all that were appended');
        t.same(await findBreaches(spool), []);
        await spool.close();
        const again = await openSpool(t, { folder, clock });
        t.same(await findBreaches(again), []);
        t.equal(waitingNumbers(again), 2 * ROWS + 1, 'and after a restart');
      });
    }
  },
);

/** Numbers that are not acknowledged, in whatever epoch: rows or dropped. */
function waitingNumbers(spool: Spool): number {
  const { last, acked } = spool.state().task;
  return last - acked;
}

/** Appends rows and lets time pass until all are in a file. */
async function written(spool: Spool, clock: FakeClock, count: number): Promise<void> {
  const appended = Array.from({ length: count }, (_, i) => spool.append('task', aPayload(`row ${i}`, 1_000)).durable);
  await passing(clock, Promise.all(appended));
}

/** Reads all there is until nothing of it fails. */
async function whole(spool: Spool, clock: FakeClock): Promise<void> {
  await passing(
    clock,
    (async () => {
      for (;;) {
        const breaches = await findBreaches(spool).catch(() => null);
        if (breaches !== null) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })(),
  );
}

/** Moves the clock on until the work is done: refused commits are tried again after seconds. */
async function passing(clock: FakeClock, work: Promise<unknown>): Promise<void> {
  const deadline = performance.now() + 120_000;
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    if (performance.now() > deadline) throw new Error('it never came to an end');
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10);
  }
  await done;
}

function overwrite(path: string, offset: number, bytes: Buffer): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, offset);
}

function flip(path: string, part: number, count: number): void {
  const bytes = readFileSync(path);
  const offset = Math.floor(bytes.length * part);
  overwrite(path, offset, Buffer.from(bytes.subarray(offset, offset + count).map((byte) => byte ^ 0xff)));
}
