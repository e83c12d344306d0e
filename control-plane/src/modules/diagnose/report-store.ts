import type { FittedReport } from '@vantage/shared/diagnose/fit-report.js';
import { idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { type CountedPage, type PageRange, queryPage } from '../../db/named.js';
import { queryPrepared } from '../../db/prepared.js';
import { type Owner, ofOwner, ownedBy } from '../../owners/index.js';
import type { ListedReport, PaidReport, Receipt, ReportRow, StoredHeaders, TaskKind } from './report-row.js';

const LISTED = 'id, owner_id, is_test, target, scope, shared, status, overall_score, created_at, completed_at';
const COLUMNS = `${LISTED}, node_ids, tasks, headers, report, status = 'running' AND ends_at <= now() AS is_over`;
const PAID = 'receipt, cost, node_ids, tasks, headers';

/** A report to be stored. */
export interface NewReport
  extends Pick<ReportRow, 'id' | 'owner_id' | 'is_test' | 'target' | 'scope' | 'node_ids' | 'shared'> {
  readonly receipt: Receipt | null;
  readonly cost: number;
}

/** Times of a report, by the clock of the database. */
interface Times {
  /** Time in which its tasks have to end, in milliseconds. */
  readonly deadlineMs: number;
  /** Time after which another replica takes it over, in milliseconds. */
  readonly leaseMs: number;
}

/** Stores a report that begins now. */
export async function insertReport(trx: Knex, report: NewReport, { deadlineMs, leaseMs }: Times): Promise<void> {
  const { receipt, ...columns } = report;
  await trx('diagnose_reports').insert({
    ...columns,
    receipt: receipt === null ? null : JSON.stringify(receipt),
    status: 'running',
    tasks: '{}',
    created_at: trx.raw('now()'),
    ends_at: later(trx, deadlineMs),
    due_at: later(trx, leaseMs),
  });
}

function later(trx: Knex, ms: number): Knex.Raw {
  return trx.raw(`now() + ? * interval '1 millisecond'`, [ms]);
}

const FIND = { name: 'diagnose-report', text: `SELECT ${COLUMNS} FROM diagnose_reports WHERE id = $1` };

/** Finds a report of any owner; null if there is no such report. */
export async function findReport(db: Knex, id: string): Promise<ReportRow | null> {
  const [row] = await queryPrepared<ReportRow>(db, FIND, [id]);
  return row ?? null;
}

/** Lists a page of an owner's reports, newest first, with their total number. */
export function listReports(db: Knex, owner: Owner, page: PageRange): Promise<CountedPage<ListedReport>> {
  const [from, where] = ['diagnose_reports', ownedBy(owner)];
  const query = { name: 'diagnose-reports', columns: LISTED, from, where, orderBy: 'id DESC' };
  return queryPage<ListedReport>(db, query, { ownerId: owner.id, ...page });
}

/** Changes who may read a report; false if the owner has no such report. */
export async function updateShared(
  trx: Knex,
  owner: Owner,
  { id, isShared }: { readonly id: string; readonly isShared: boolean },
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `UPDATE diagnose_reports SET shared = :isShared WHERE id = :id AND ${ownedBy(owner)} RETURNING id`,
    { ownerId: owner.id, id, isShared },
  );
  return rows.length === 1;
}

/** Deletes a report of an owner; null if there is none. */
export async function deleteReport(trx: Knex, owner: Owner, id: string): Promise<PaidReport | null> {
  const { rows } = await trx.raw<{ rows: PaidReport[] }>(
    `DELETE FROM diagnose_reports WHERE id = :id AND ${ownedBy(owner)} RETURNING ${PAID}`,
    { ownerId: owner.id, id },
  );
  return rows[0] ?? null;
}

export async function deleteReportsOf(trx: Knex, { id }: Pick<Owner, 'id'>): Promise<void> {
  await trx.raw(`DELETE FROM diagnose_reports WHERE ${ofOwner()}`, { ownerId: id });
}

/** A task of a report that is about to be stored. */
export interface NotedTask {
  readonly id: string;
  readonly kind: TaskKind;
  /** Number of tasks of this kind before it. */
  readonly portion: number;
  readonly taskId: string;
}

/** Notes a task of a report that runs; false if another replica has created it, or the report has ended. */
export async function noteTask(trx: Knex, { id, kind, portion, taskId }: NotedTask): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `UPDATE diagnose_reports
     SET tasks = jsonb_set(tasks, ARRAY[:kind::text], coalesce(tasks -> :kind::text, '[]') || to_jsonb(:taskId::text))
     WHERE id = :id AND status = 'running' AND ends_at > now() AND coalesce(jsonb_array_length(tasks -> :kind::text), 0) = :portion
     RETURNING id`,
    { id, kind, portion, taskId },
  );
  return rows.length === 1;
}

/** Notes the outcome of the question for headers, unless another replica has noted one. */
export async function noteHeaders(db: Knex, id: string, headers: StoredHeaders): Promise<void> {
  await db.raw(`UPDATE diagnose_reports SET headers = ? WHERE id = ? AND status = 'running' AND headers IS NULL`, [
    JSON.stringify(headers),
    id,
  ]);
}

/** Keeps other replicas from taking a report over for a time. */
export async function renewLease(db: Knex, id: string, leaseMs: number): Promise<void> {
  await db.raw(
    `UPDATE diagnose_reports SET due_at = now() + ? * interval '1 millisecond' WHERE id = ? AND status = 'running'`,
    [leaseMs, id],
  );
}

/** Takes over reports that no replica works on, at most `most`; returns their ids. */
export async function claimDue(db: Knex, leaseMs: number, most: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `UPDATE diagnose_reports SET due_at = now() + ? * interval '1 millisecond'
     WHERE id = ANY(ARRAY(
       SELECT id FROM diagnose_reports WHERE due_at <= now() ORDER BY due_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED
     )) RETURNING id`,
    [leaseMs, most],
  );
  return rows.map(({ id }) => id);
}

/** Stores the end of a report; null if it has ended before, or was deleted. Seconds: since it was created. */
export async function endReport(
  db: Knex,
  id: string,
  report: FittedReport,
): Promise<(PaidReport & { readonly seconds: number }) | null> {
  const { status, overall_score: score } = report;
  const { rows } = await db.raw<{ rows: (PaidReport & { seconds: number })[] }>(
    `WITH ending AS (
       SELECT id, ${PAID} FROM diagnose_reports WHERE id = :id AND status = 'running' FOR NO KEY UPDATE
     )
     UPDATE diagnose_reports r SET status = :status, overall_score = :score, report = :report, completed_at = now(), due_at = NULL, receipt = NULL
     FROM ending WHERE r.id = ending.id
     RETURNING ending.*, extract(epoch FROM now() - r.created_at)::float8 AS seconds`,
    { id, status, score, report: JSON.stringify(report) },
  );
  return rows[0] ?? null;
}

/** Deletes reports without an owner that began before an instant. */
export async function deleteAnonymousBefore(db: Knex, beforeMs: number): Promise<void> {
  await db.raw('DELETE FROM diagnose_reports WHERE owner_id IS NULL AND id < ?', [
    idLowerBound(idPrefixes.diagnoseReport, beforeMs),
  ]);
}
