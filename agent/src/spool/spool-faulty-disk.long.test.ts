import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { aFolder, appendAll, findBreaches, openSpool, readAll } from './_support/spool-fixture.js';

// The kernel answers as a failing disk would: strace puts the errors and delays in.

const WRITER = fileURLToPath(new URL('./_support/faulty-disk-writer.js', import.meta.url));
const ROWS = 300;

interface Seen {
  readonly read: number;
  readonly durableWhenRead: number;
  readonly problems: readonly string[];
  readonly waiting: number;
  readonly dropped: number;
  readonly problem: string | null;
  readonly setAside: string | null;
  readonly breaches: readonly string[];
}

/** Runs the writer with faults in its calls on the log of the spool. */
async function writeUnder(t: Test, inject: string, folder = aFolder(t)): Promise<Seen> {
  const log = join(folder, 'spool.db-wal');
  const calls = inject.slice(0, inject.indexOf(':'));
  const args = ['-f', '-qqq', '-o', '/dev/null', '-P', log, '-e', `trace=${calls}`, '-e', `inject=${inject}`];
  const child = spawn('strace', [...args, process.execPath, WRITER, folder, String(ROWS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const seen = JSON.parse(output) as Seen;
  const spool = await openSpool(t, { folder });
  t.equal((await readAll(spool, 'task', 0)).length, ROWS + 30, 'all rows are in the file');
  t.same(await findBreaches(spool), []);
  return seen;
}

const recovered = { waiting: ROWS + 30, dropped: 0, problem: null, setAside: null, breaches: [] };
const skip = missing('strace', 'permission to trace');

t.test('failed writes and syncs are reported and repeated: no row is lost or stored twice', { skip }, async (t) => {
  const faults = [
    { inject: 'fdatasync,fsync:error=EIO:when=3..4', problem: /disk I\/O error/ },
    { inject: 'pwrite64:error=EIO:when=40..41', problem: /disk I\/O error/ },
    { inject: 'pwrite64:error=ENOSPC:when=40..43', problem: /full/ },
    { inject: 'pwrite64:error=EROFS:when=40..41', problem: /disk I\/O error|readonly/ },
  ];
  await Promise.all(
    faults.map(async ({ inject, problem }) => {
      const seen = await writeUnder(t, inject);
      t.match(seen, recovered, inject);
      t.match(seen.problems, [problem], inject);
    }),
  );
});

t.test('a sync that takes long holds up neither numbers nor readers', { skip }, async (t) => {
  const seen = await writeUnder(t, 'fdatasync,fsync:delay_exit=100000');
  t.match(seen, { ...recovered, read: ROWS, problems: [] });
  t.ok(seen.durableWhenRead < ROWS, `${seen.durableWhenRead} of ${ROWS} were durable when all were read`);
});

t.test('no row is called durable before the disk was asked to keep it', { skip }, async (t) => {
  const folder = aFolder(t);
  const calls = join(aFolder(t), 'calls');
  const args = ['-f', '-qqq', '-o', calls, '-P', join(folder, 'spool.db-wal'), '-e', 'trace=fdatasync,fsync'];
  execFileSync('strace', [...args, process.execPath, WRITER, folder, '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const syncs = readFileSync(calls, 'utf8').match(/\bf(data)?sync\(/g)?.length ?? 0;
  t.ok(syncs >= 31, `${syncs} syncs for 31 rows, each awaited before the next`);
});

t.test(
  'an agent does not start on a read-only disk, and reports why',
  { skip: missing('permission to mount') },
  async (t) => {
    const folder = aFolder(t);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', folder]);
    t.teardown(() => execFileSync('umount', ['--lazy', folder]));
    const spool = await openSpool(t, { folder });
    await appendAll(spool, 'task', ['a', 'b']);
    await spool.close();
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    await t.rejects(openSpool(t, { folder }), { name: 'SpoolOpenError', message: /EROFS|readonly|read-only/ });
    execFileSync('mount', ['-o', 'remount,rw', folder]);
    const again = await openSpool(t, { folder });
    t.same(await readAll(again, 'task', 0), ['1 a', '2 b'], 'nothing was put aside');
  },
);
