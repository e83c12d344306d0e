import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { aFolder, appendResults, aResult, memoryFolder, openSpool } from './_support/spool-fixture.js';
import { exportRows } from './export-rows.js';
import { StoredSpool } from './stored-spool.js';
import { verifySpool } from './verify-spool.js';

/** A closed spool: task 1..60 of which 5 are acknowledged and 11..20 dropped; check 1..3. */
async function aSpoolFolder(t: Test): Promise<string> {
  const folder = aFolder(t, memoryFolder);
  const spool = await openSpool(t, { folder });
  await appendResults(spool, 'task', 60);
  await appendResults(spool, 'check', 3);
  await spool.acknowledge('task', 5);
  await spool.close();
  return folder;
}

/** Runs `sql` on the file behind the spool's back. */
function meddle(folder: string, sql: string): void {
  const database = new Database(join(folder, 'spool.db'));
  database.exec(sql);
  database.close();
}

function verify(folder: string) {
  const spool = StoredSpool.inFolder(folder);
  try {
    return verifySpool(spool);
  } finally {
    spool.close();
  }
}

t.test('an intact spool is found intact, open or closed, and is not changed by the check', async (t) => {
  const folder = await aSpoolFolder(t);
  const before = readFileSync(join(folder, 'spool.db'));
  t.match(verify(folder), {
    isIntact: true,
    structure: [],
    head: [],
    lanes: { task: { rows: 60, acked: 5, last: 60, faults: [], dropped: [] }, check: { rows: 3, faults: [] } },
  });
  t.ok(readFileSync(join(folder, 'spool.db')).equals(before));
  const spool = await openSpool(t, { folder });
  await appendResults(spool, 'task', 1);
  t.match(verify(folder), { isIntact: true, lanes: { task: { rows: 61, last: 61 } } });
});

t.test('every kind of damage is found, with its numbers', async (t) => {
  const update = (set: string, where: string) => `UPDATE task_rows SET ${set} WHERE position ${where}`;
  const cases: { name: string; sql: string; found: object }[] = [
    {
      name: 'changed rows',
      sql: update(`payload = x'00'`, 'IN (10, 11, 40)'),
      found: {
        lanes: {
          task: {
            faults: [
              { first: 10, last: 11, fault: 'corrupt' },
              { first: 40, last: 40, fault: 'corrupt' },
            ],
          },
        },
      },
    },
    {
      name: 'a row moved to another number',
      sql: update('position = 61', '= 60'),
      found: {
        lanes: {
          task: {
            faults: [
              { first: 60, last: 60, fault: 'missing' },
              { first: 61, last: 61, fault: 'corrupt' },
            ],
          },
        },
      },
    },
    {
      name: 'rows that vanished',
      sql: 'DELETE FROM task_rows WHERE position BETWEEN 30 AND 35',
      found: { lanes: { task: { rows: 54, faults: [{ first: 30, last: 35, fault: 'missing' }] } } },
    },
    {
      name: 'an edited head',
      sql: `UPDATE head SET body = replace(body, '"acked":5', '"acked":9')`,
      found: { epoch: null, head: ['the head is damaged'] },
    },
  ];
  for (const { name, sql, found } of cases) {
    const folder = await aSpoolFolder(t);
    meddle(folder, sql);
    t.match(verify(folder), { isIntact: false, ...found }, name);
  }
});

t.test('deleted rows of the replay window are no fault', async (t) => {
  const folder = await aSpoolFolder(t);
  meddle(folder, 'DELETE FROM task_rows WHERE position <= 3');
  t.match(verify(folder), { isIntact: true, lanes: { task: { rows: 57 } } });
});

t.test('a file whose pages are damaged is read as far as it goes', async (t) => {
  const folder = await aSpoolFolder(t);
  const path = join(folder, 'spool.db');
  const bytes = readFileSync(path);
  // a page of rows in the middle
  const page = Math.floor(bytes.indexOf(Buffer.from('pt_30 ')) / 4096);
  bytes.fill(0xa5, page * 4096, (page + 1) * 4096);
  writeFileSync(path, bytes);
  const found = verify(folder);
  t.equal(found.isIntact, false);
  t.ok(found.structure.length > 0);
  t.ok(found.lanes.task.rows > 30 && found.lanes.task.rows < 60, `${found.lanes.task.rows} rows are left`);
  const spool = StoredSpool.inFolder(folder);
  const kinds = [...exportRows(spool, ['task'], true)].map(({ kind }) => kind);
  spool.close();
  t.equal(kinds.filter((kind) => kind === 'result').length, found.lanes.task.rows);
  t.equal(kinds.length, 60, 'each number is a result or told as unreadable');
});

t.test(
  'export gives waiting results decoded and in order, gaps in their place, and delivered ones when asked',
  async (t) => {
    const folder = aFolder(t, memoryFolder);
    const bytes = aResult(1).length;
    const spool = await openSpool(t, { folder, maxBytes: 10 * bytes });
    await appendResults(spool, 'task', 8);
    await spool.acknowledge('task', 2);
    await appendResults(spool, 'check', 6);
    const stored = StoredSpool.inFolder(folder);
    const reported = (withDelivered: boolean) =>
      [...exportRows(stored, ['check', 'task'], withDelivered)].map((item) => {
        if (item.kind === 'result') return `${item.result.lane} ${item.result.sequence} ${item.result.state}`;
        return item.kind === 'gap'
          ? `${item.gap.lane} ${item.gap.first}..${item.gap.last} ${item.gap.reason}`
          : item.kind;
      });
    const waiting = ['task 3..4 spool_full', ...[5, 6, 7, 8].map((number) => `task ${number} waiting`)];
    const checks = [1, 2, 3, 4, 5, 6].map((number) => `check ${number} waiting`);
    t.same(reported(false), [...waiting, ...checks]);
    const [, first] = [...exportRows(stored, ['task'], false)];
    t.match(first, {
      result: {
        task_id: 'pt_5 ',
        probe_type: 'ping',
        result: { answered: 5 },
        finished_at: '2026-01-01T00:00:00.000Z',
      },
    });
    stored.close();
  },
);

t.test('export shows what is kept for replay when it is asked to', async (t) => {
  const folder = await aSpoolFolder(t);
  const stored = StoredSpool.inFolder(folder);
  t.teardown(() => stored.close());
  const states = [...exportRows(stored, ['task'], true)].map((item) => item.kind === 'result' && item.result.state);
  t.same(states, [...Array(5).fill('delivered'), ...Array(55).fill('waiting')]);
});
