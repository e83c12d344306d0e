import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { temporaryDirectory } from '../../test/_support/temporary-directory.js';
import { anAssignment, monitorId } from './_support/a-schedule.js';
import { openSchedule } from './schedule-database.js';
import { ScheduleFile } from './schedule-file.js';
import type { StoredRow } from './stored-schedule.js';

function aRow(number: number, done = 5): StoredRow {
  const stateJson = JSON.stringify({ verdict: 'ok' });
  return { ...anAssignment(number), firstMs: null, done, running: null, stateJson };
}

/** A file whose rows the test holds, in `stateDir`. */
function openFile(stateDir: string) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const rows = new Map<string, StoredRow>();
  const file = new ScheduleFile({ stateDir, clock, log });
  file.begin((id) => rows.get(id) ?? null);
  const put = (row: StoredRow) => {
    rows.set(row.monitorId, row);
    file.assignmentChanged(row.monitorId);
  };
  return { file, clock, lines, rows, put };
}

/** Loads the schedule as the next process would. */
async function loadFrom(stateDir: string) {
  const { file, lines } = openFile(stateDir);
  const stored = await file.load();
  await file.close();
  return { ...stored, lines };
}

async function aKeptSchedule(t: Test): Promise<string> {
  const stateDir = temporaryDirectory(t);
  const { file, put } = openFile(stateDir);
  for (let number = 0; number < 100; number += 1) put(aRow(number));
  await file.close();
  return stateDir;
}

t.test('the next process finds assignments, progress and the lease', async (t) => {
  const stateDir = temporaryDirectory(t);
  const { file, rows, put } = openFile(stateDir);
  t.same(await file.load(), { rows: [], lease: null });
  for (const number of [0, 1, 2]) put(aRow(number));
  file.keepLease({ contactAt: 12_345.5, seconds: 600 });
  await file.close();
  t.match(await loadFrom(stateDir), {
    rows: [aRow(0), aRow(1), aRow(2)],
    lease: { contactAt: 12_345.5, seconds: 600 },
  });

  const second = openFile(stateDir);
  await second.file.load();
  for (const [id, row] of rows) second.rows.set(id, row);
  second.rows.set(monitorId(0), { ...aRow(0, 6), running: 6 });
  second.file.progressChanged(monitorId(0));
  second.rows.delete(monitorId(1));
  second.file.assignmentChanged(monitorId(1));
  await second.file.close();
  const { rows: left, lease } = await loadFrom(stateDir);
  t.same(left, [{ ...aRow(0, 6), running: 6 }, aRow(2)]);
  t.equal(lease?.seconds, 600);
  t.equal(statSync(join(stateDir, 'schedule.db')).mode & 0o777, 0o600);
});

t.test('changes are written together, a second after the first', async (t) => {
  const stateDir = temporaryDirectory(t);
  const { file, clock, put } = openFile(stateDir);
  put(aRow(0));
  clock.advance(999);
  put(aRow(1));
  t.notOk(existsSync(join(stateDir, 'schedule.db')), 'not even a file, nor a thread');
  clock.advance(1);
  await until(
    'the log has what was written',
    () => (statSync(join(stateDir, 'schedule.db-wal'), { throwIfNoEntry: false })?.size ?? 0) > 0,
  );
  t.equal(clock.pendingTimers, 0, 'and then it rests');
  await file.close();
  t.equal((await loadFrom(stateDir)).rows.length, 2);
});

t.test('a damaged file is set aside, and the schedule begins empty', async (t) => {
  for (const [name, harm] of Object.entries<(path: string) => void>({
    'cut in the middle': (path) => truncateSync(path, 5000),
    'something else': (path) => writeFileSync(path, 'x'.repeat(20_000)),
    zeroes: (path) => writeFileSync(path, Buffer.alloc(20_000)),
  })) {
    const stateDir = await aKeptSchedule(t);
    harm(join(stateDir, 'schedule.db'));
    const { file, lines, put } = openFile(stateDir);
    t.same((await file.load()).rows, [], name);
    t.same(lines, ['stored schedule was damaged, starting with an empty one'], name);
    t.ok(readdirSync(stateDir).includes('schedule.db.corrupt'), name);
    put(aRow(7));
    await file.close();
    t.same((await loadFrom(stateDir)).rows, [aRow(7)], name);
  }
});

t.test(
  'a place where there can be no file is logged once and tried again, and then everything is written',
  async (t) => {
    const stateDir = temporaryDirectory(t);
    const path = join(stateDir, 'schedule.db');
    mkdirSync(path);
    const { file, clock, lines, put } = openFile(stateDir);
    t.same(await file.load(), { rows: [], lease: null });
    put(aRow(0));
    for (const ms of [5000, 10_000]) {
      const begun = clock.begun(2 * ms);
      clock.advance(ms);
      await until('it was tried again', () => clock.begun(2 * ms) > begun);
    }
    t.same(lines, ['cannot store the schedule, retrying: after a restart it is empty']);
    rmSync(path, { recursive: true });
    put(aRow(1));
    clock.advance(20_000);
    await until('it is kept', () => lines.includes('schedule can be stored again'));
    await file.close();
    t.equal((await loadFrom(stateDir)).rows.length, 2);
  },
);

t.test('after a save that failed another thread writes everything', async (t) => {
  const stateDir = await aKeptSchedule(t);
  const { file, clock, lines, rows, put } = openFile(stateDir);
  for (const row of (await file.load()).rows) rows.set(row.monitorId, row);
  const other = new Database(join(stateDir, 'schedule.db'));
  other.exec('BEGIN IMMEDIATE');
  put(aRow(100));
  clock.advance(1000);
  await until('it failed', () => lines.length > 0);
  t.same(lines, ['cannot store the schedule, retrying: after a restart it is empty']);
  other.exec('DELETE FROM assignments; COMMIT');
  other.close();
  clock.advance(5000);
  await until('it is kept', () => lines.includes('schedule can be stored again'));
  await file.close();
  t.equal((await loadFrom(stateDir)).rows.length, 101);
});

t.test('a file that was found damaged while open is set aside whatever it looks like now', async (t) => {
  const path = join(await aKeptSchedule(t), 'schedule.db');
  const { database, stored, setAside } = openSchedule(path, { isSuspect: true });
  database.close();
  t.same(stored.rows, []);
  t.equal(setAside, `${path}.corrupt`);
});

t.test('closing without a disk ends all the same', async (t) => {
  const stateDir = temporaryDirectory(t);
  const { file, put } = openFile(stateDir);
  put(aRow(0));
  rmSync(stateDir, { recursive: true });
  await file.close();
  await file.close();
  t.pass('no error');
  mkdirSync(stateDir);
  chmodSync(stateDir, 0o700);
});
