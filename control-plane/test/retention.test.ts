import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import t from 'tap';
import { program } from '../src/audit-log/actor.js';
import { insertAuditEntry } from '../src/audit-log/store.js';
import { ensurePartitions, partitionedTables } from '../src/db/partitions.js';
import { insertJob } from '../src/jobs/store.js';
import { startStack } from './_support/stack.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const clock = new FakeClock(Date.now());
const { database, api } = await startStack(t, {}, clock);
const { db } = database;
const ago = (days: number) => new Date(clock.now() + HOUR_MS - days * DAY_MS);

/** Rows of a table that are left once the housekeeping of an hour has run. */
async function leftAfterUpkeep(table: string, column: string, ...gone: readonly string[]): Promise<string[]> {
  clock.advance(HOUR_MS);
  // all of them: the run of the hour before may still work, and see the rows that were inserted first
  await until('the housekeeping', async () => (await db(table).whereIn(column, gone)).length === 0);
  return (await db(table).orderBy(column).select(column)).map((row) => String(row[column]));
}

t.test('audit lines are kept for 400 days', async (t) => {
  for (const days of [399.9, 400.1]) {
    await insertAuditEntry(db, { action: 'job.retried', actor: program, accountId: null, subject: `${days}` });
    // an id contains its time too, and the index is read by it
    const id = idLowerBound(idPrefixes.auditEntry, ago(days).getTime());
    await db('audit_log')
      .where({ subject: `${days}` })
      .update({ at: ago(days), id });
  }
  const left = await leftAfterUpkeep('audit_log', 'subject', '400.1');
  t.ok(left.includes('399.9'));
});

t.test('a key or token that has ended stays in lists for 90 days', async (t) => {
  for (const table of ['api_keys', 'personal_access_tokens'] as const) {
    const ends = [
      ['revoked_at', 89.9],
      ['revoked_at', 90.1],
      ['expires_at', 89.9],
      ['expires_at', 90.1],
    ] as const;
    for (const [column, days] of ends) {
      await db(table).insert({
        ...(table === 'api_keys'
          ? { type: 'production', owner_id: api.userId, created_by: api.userId }
          : { user_id: api.userId }),
        id: `${table}-${column}-${days}`,
        token_id: `${table}-${column}-${days}`,
        secret_hash: Buffer.alloc(32),
        name: 'old',
        scopes: [],
        created_at: ago(200),
        [column]: ago(days),
      });
    }
    const left = await leftAfterUpkeep(table, 'id', `${table}-revoked_at-90.1`, `${table}-expires_at-90.1`);
    t.same(
      left.filter((id) => id.startsWith(table)),
      [`${table}-expires_at-89.9`, `${table}-revoked_at-89.9`],
    );
  }
});

t.test('a dead job is kept for 30 days for an operator to look at', async (t) => {
  const ids = new Map<number, string>();
  for (const days of [29.9, 30.1]) {
    const id = await insertJob(db, { type: 'test.nobody', payload: {}, maxAttempts: 1, runAt: ago(-1000) });
    await db.raw('UPDATE vantage_jobs._private_jobs SET attempts = max_attempts, updated_at = ? WHERE id = ?', [
      ago(days),
      id,
    ]);
    ids.set(days, id);
  }
  const waiting = await insertJob(db, { type: 'test.nobody', payload: {}, maxAttempts: 1, runAt: ago(-1000) });
  await db.raw('UPDATE vantage_jobs._private_jobs SET updated_at = ? WHERE id = ?', [ago(300), waiting]);
  const left = await leftAfterUpkeep('vantage_jobs.jobs', 'id', `${ids.get(30.1)}`);
  t.same(left, [ids.get(29.9), waiting]);
});

t.test('an enrollment token that was used or has expired stays in lists for 30 days', async (t) => {
  const ends = [
    ['used_at', 29.9],
    ['used_at', 30.1],
    ['expires_at', 29.9],
    ['expires_at', 30.1],
  ] as const;
  for (const [column, days] of ends) {
    const id = `${column}-${days}`;
    await db('enrollment_tokens').insert({
      id,
      token_id: id,
      secret_hash: Buffer.alloc(32),
      preview: '',
      owner_id: api.userId,
      expires_at: ago(column === 'used_at' ? 60 : days),
      [column]: ago(days),
    });
  }
  t.same(await leftAfterUpkeep('enrollment_tokens', 'id', 'used_at-30.1', 'expires_at-30.1'), [
    'expires_at-29.9',
    'used_at-29.9',
  ]);
});

// by the database's clock, which no test moves
t.test('dead letters and declared gaps stay for 90 days, marks of a replaced spool for 30', async (t) => {
  const row = {
    event_id: 'evt_1',
    kind: 'monitor.down',
    owner_id: 'u_1',
    is_test: false,
    payload: '{}',
    created_at: ago(1),
  };
  await db('outbox').insert({ ...row, subject: 'it has no consumer' });
  const spool = { node_id: 'n_old', epoch: Buffer.alloc(16, 1), lane: 1 };
  for (const days of [89, 91]) {
    const received_at = ago(days);
    await db('dead_letters').insert({
      ...spool,
      sequence: 1,
      code: '22000',
      message: `${days}`,
      payload: '',
      received_at,
    });
    await db('spool_gaps').insert({ ...spool, first: 1, last: 2, reason: `${days}`, received_at });
  }
  const marks = [
    { ...spool, mark: 301, updated_at: ago(31) },
    { ...spool, lane: 2, mark: 299, updated_at: ago(29) },
    { ...spool, epoch: Buffer.alloc(16, 2), mark: 1, updated_at: ago(1) },
    { ...spool, node_id: 'n_quiet', mark: 400, updated_at: ago(400) },
  ];
  await db('ingest_marks').insert(marks);
  t.same(await leftAfterUpkeep('dead_letters', 'message', '91'), ['89']);
  // the same run deletes them, one table after the other
  await until('the gaps', async () => (await db('spool_gaps').where({ reason: '91' })).length === 0);
  t.same(await db('spool_gaps').pluck('reason'), ['89']);
  await until('the marks', async () => (await db('ingest_marks').where({ mark: 301 })).length === 0);
  t.same(
    await db('ingest_marks').orderBy('mark').pluck('mark'),
    [1, 299, 400],
    'the only spool of a node keeps its mark',
  );
  await until('the outbox', async () => (await db('outbox').where({ event_id: 'evt_1' })).length === 0);
});

t.test('diagnose reports without an owner are kept for 7 days, those of accounts longer', async (t) => {
  await ensurePartitions(db, ago(8).getTime(), partitionedTables);
  const reportAt = (days: number) => idLowerBound(idPrefixes.diagnoseReport, ago(days).getTime());
  const row = { is_test: false, target: 'example.com', scope: ['ping'], node_ids: [], shared: true, status: 'failed' };
  const times = { created_at: ago(7), ends_at: ago(7), tasks: '{}', cost: 0 };
  const [gone, anonymous, owned] = [reportAt(7.1), reportAt(6.9), reportAt(7.2)];
  await db('diagnose_reports').insert([
    { ...row, ...times, id: gone, owner_id: null },
    { ...row, ...times, id: anonymous, owner_id: null },
    { ...row, ...times, id: owned, owner_id: api.userId },
  ]);
  t.strictSame(await leftAfterUpkeep('diagnose_reports', 'id', gone), [owned, anonymous]);
});
