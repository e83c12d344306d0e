import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import type { LineCounts } from '../reputation/list-reader.js';
import type { Refusal } from '../reputation/version-guard.js';
import type { Packed } from './list-pieces.js';
import type { SourceMarks } from './list-source.js';

// Of a list there are at most two versions: the one in use, and a newer one that was refused. The replica that reads the
// source holds the claim of the list; its lease is measured by the clock of the database, times of reading are those of
// replicas.

/** A version as it is stored. */
export interface VersionRow extends LineCounts {
  readonly id: string;
  readonly fetchedAt: Date;
  readonly builtAt: Date;
  readonly bytes: number;
  readonly entries: number;
  readonly refusal: Refusal | null;
}

/** A list with its versions. */
export interface ListRow {
  readonly name: string;
  readonly version: VersionRow | null;
  readonly refused: VersionRow | null;
  readonly checkedAt: Date | null;
  readonly nextAt: Date;
  readonly lastError: string | null;
}

/** A list that this replica reads now. */
export interface ClaimedList extends SourceMarks {
  readonly name: string;
  readonly failures: number;
  /** Digest and number of entries of the version in use; null without one. */
  readonly inUse: { readonly digest: Buffer; readonly entries: number } | null;
  /** Digest of the version that was refused; null without one. */
  readonly refusedDigest: Buffer | null;
}

/** A claim of a list, and the time at which its source is to be read again. */
export interface Claim {
  readonly name: string;
  readonly holder: string;
  readonly now: Date;
  readonly nextAt: Date;
}

/** Version of a reputation list that is to be stored. */
export interface NewVersion extends LineCounts, Packed {
  readonly builtAt: Date;
  readonly bytes: number;
  readonly entries: number;
  readonly refusal: Refusal | null;
  readonly marks: SourceMarks;
}

const VERSION_COLUMNS = [
  'id',
  'fetched_at',
  'built_at',
  'bytes',
  'lines',
  'unreadable_lines',
  'refused_lines',
  'entries',
  'refusal',
];

/** Makes a list known. One whose source changed begins again: nothing of it is in use until its source was read. */
export async function rememberList(db: Knex, { name, source }: KnownList, now: Date): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(
      `INSERT INTO reputation_lists AS l (name, source, next_at, seen_at) VALUES (:name, :source, :now, now())
       ON CONFLICT (name) DO UPDATE SET seen_at = now()`,
      { name, source, now },
    );
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `UPDATE reputation_lists SET source = :source, version_id = NULL, refused_id = NULL, etag = NULL,
         last_modified = NULL, checked_at = NULL, last_error = NULL, failures = 0, next_at = :now, claimed_by = NULL
       WHERE name = :name AND source <> :source`,
      { name, source, now },
    );
    if (rowCount > 0) await deleteUnusedVersions(trx, name);
  });
}

/** Notes that a replica still has these lists in its settings. */
export async function noteSeen(db: Knex, names: readonly string[]): Promise<void> {
  await db.raw(
    `UPDATE reputation_lists SET seen_at = now() WHERE name = ANY(?::text[]) AND seen_at < now() - interval '1 hour'`,
    [[...names]],
  );
}

/** Deletes lists that no replica has had in its settings for a week. */
export async function deleteForgotten(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { name: string }[] }>(
      `DELETE FROM reputation_lists WHERE seen_at < now() - interval '7 days' RETURNING name`,
    );
    for (const { name } of rows) await deleteUnusedVersions(trx, name);
  });
}

/** A list with format and place of its source. */
export interface KnownList {
  readonly name: string;
  readonly source: string;
}

/**
 * Claims one of these lists whose source is to be read; null if none is due, or others read them. A list that has another
 * source in the settings of a newer replica is left to that one.
 */
export async function claimDue(
  db: Knex,
  lists: readonly KnownList[],
  { holder, now, leaseMs }: { readonly holder: string; readonly now: Date; readonly leaseMs: number },
): Promise<ClaimedList | null> {
  const { rows } = await db.raw<{ rows: ClaimedRow[] }>(
    `WITH claimed AS (
       UPDATE reputation_lists SET claimed_by = :holder, claimed_until = now() + :leaseMs * interval '1 millisecond'
       WHERE name = (
         SELECT name FROM reputation_lists
         WHERE (name, source) IN (SELECT * FROM unnest(:names::text[], :sources::text[])) AND next_at <= :now AND (claimed_by IS NULL OR claimed_until <= now())
         ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING *)
     SELECT c.name, c.etag, c.last_modified, c.failures, v.digest, v.entries, r.digest AS refused_digest
     FROM claimed c
       LEFT JOIN reputation_list_versions v ON v.id = c.version_id
       LEFT JOIN reputation_list_versions r ON r.id = c.refused_id`,
    { holder, now, leaseMs, names: lists.map(({ name }) => name), sources: lists.map(({ source }) => source) },
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { name, etag, last_modified: lastModified, failures, digest, entries, refused_digest: refusedDigest } = row;
  const inUse = digest === null || entries === null ? null : { digest, entries };
  return { name, etag, lastModified, failures, inUse, refusedDigest };
}

interface ClaimedRow {
  readonly name: string;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly failures: number;
  readonly digest: Buffer | null;
  readonly entries: number | null;
  readonly refused_digest: Buffer | null;
}

/** Ends a claim without an outcome: the list is due again at once. */
export async function releaseClaim(db: Knex, { name, holder }: Pick<Claim, 'name' | 'holder'>): Promise<void> {
  await db('reputation_lists').where({ name, claimed_by: holder }).update({ claimed_by: null, claimed_until: null });
}

/** Ends a claim: the source could not be read. */
export async function noteFailure(db: Knex, claim: Claim, message: string): Promise<void> {
  await endClaim(db, claim, { last_error: message, failures: db.raw('failures + 1') });
}

/**
 * Ends a claim: the source still has the version in use, or the refused one. A refused version that is no longer that of
 * the source is deleted.
 */
export async function confirmVersion(
  db: Knex,
  claim: Claim,
  {
    which,
    builtAt,
    marks,
  }: { readonly which: 'version_id' | 'refused_id'; readonly builtAt: Date; readonly marks: SourceMarks },
): Promise<void> {
  await db.transaction(async (trx) => {
    const isHeld = await endClaim(trx, claim, {
      ...marksOf(marks),
      ...succeeded,
      ...(which === 'version_id' ? { refused_id: null } : {}),
    });
    if (!isHeld) return;
    await trx.raw(
      `UPDATE reputation_list_versions SET built_at = ?
       WHERE id = (SELECT ${which} FROM reputation_lists WHERE name = ?)`,
      [builtAt, claim.name],
    );
    await deleteUnusedVersions(trx, claim.name);
  });
}

/** Ends a claim with a new version, in use from now on unless it is refused. */
export async function storeVersion(db: Knex, claim: Claim, version: NewVersion): Promise<void> {
  const { digest, pieces, builtAt, bytes, lines, unreadable, refused, entries, refusal, marks } = version;
  await db.transaction(async (trx) => {
    const [row] = await trx('reputation_list_versions')
      .insert({
        list: claim.name,
        fetched_at: claim.now,
        built_at: builtAt,
        digest,
        bytes,
        lines,
        unreadable_lines: unreadable,
        refused_lines: refused,
        entries,
        refusal,
      })
      .returning('id');
    for (const [number, body] of pieces.entries())
      await trx('reputation_list_pieces').insert({ version_id: row.id, number, body });
    const place = refusal === null ? { version_id: row.id, refused_id: null } : { refused_id: row.id };
    await endClaim(trx, claim, { ...place, ...marksOf(marks), ...succeeded });
    // without the claim the new version is the one that is unused
    await deleteUnusedVersions(trx, claim.name);
  });
}

/** Takes the refused version of a list into use. @returns its id, or null */
export async function acceptRefused(trx: Knex, name: string): Promise<string | null> {
  const { rows } = await trx.raw<{ rows: { version_id: string }[] }>(
    `UPDATE reputation_lists SET version_id = refused_id, refused_id = NULL
     WHERE name = ? AND refused_id IS NOT NULL RETURNING version_id`,
    [name],
  );
  const [row] = rows;
  if (row === undefined) return null;
  await trx.raw('UPDATE reputation_list_versions SET refusal = NULL WHERE id = ?', [row.version_id]);
  await deleteUnusedVersions(trx, name);
  return row.version_id;
}

const FIND_LISTS = {
  name: 'reputation-lists',
  text: `SELECT l.name, l.checked_at, l.next_at, l.last_error,
      ${['v', 'r'].flatMap((table) => VERSION_COLUMNS.map((column) => `${table}.${column} AS ${table}_${column}`)).join(', ')}
    FROM reputation_lists l
      LEFT JOIN reputation_list_versions v ON v.id = l.version_id
      LEFT JOIN reputation_list_versions r ON r.id = l.refused_id
    WHERE l.name = ANY($1::text[])`,
};

/** Lists of these names with their versions, by name. */
export async function findLists(db: Knex, names: readonly string[]): Promise<Map<string, ListRow>> {
  const rows = await queryPrepared<JoinedRow>(db, FIND_LISTS, [[...names]]);
  return new Map(rows.map((row) => [row.name as string, listOf(row)]));
}

/** The stored pieces of a version, in order. */
export async function* readPieces(db: Knex, versionId: string): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    const { rows } = await db.raw<{ rows: { body: Buffer }[] }>(
      'SELECT body FROM reputation_list_pieces WHERE version_id = ? AND number = ?',
      [versionId, number],
    );
    const [row] = rows;
    if (row === undefined) return;
    yield row.body;
  }
}

const succeeded = { last_error: null, failures: 0 };

function marksOf({ etag, lastModified }: SourceMarks): object {
  return { etag, last_modified: lastModified };
}

/** False if the lease ran out, and another replica has the claim. Then nothing changes. */
async function endClaim(db: Knex, { name, holder, now, nextAt }: Claim, changes: object): Promise<boolean> {
  const changed = await db('reputation_lists')
    .where({ name, claimed_by: holder })
    .update({ ...changes, checked_at: now, next_at: nextAt, claimed_by: null, claimed_until: null });
  return changed > 0;
}

async function deleteUnusedVersions(trx: Knex, name: string): Promise<void> {
  await trx.raw(
    `DELETE FROM reputation_list_versions v WHERE list = ? AND NOT EXISTS (
       SELECT FROM reputation_lists l WHERE l.name = v.list AND v.id IN (l.version_id, l.refused_id))`,
    [name],
  );
}

type JoinedRow = Readonly<Record<string, unknown>>;

function listOf(row: JoinedRow): ListRow {
  return {
    name: row['name'] as string,
    version: versionOf(row, 'v'),
    refused: versionOf(row, 'r'),
    checkedAt: row['checked_at'] as Date | null,
    nextAt: row['next_at'] as Date,
    lastError: row['last_error'] as string | null,
  };
}

function versionOf(row: JoinedRow, table: 'v' | 'r'): VersionRow | null {
  const column = <T>(name: string) => row[`${table}_${name}`] as T;
  if (column('id') === null) return null;
  return {
    // bigint may arrive as text or as a number
    id: String(column('id')),
    fetchedAt: column('fetched_at'),
    builtAt: column('built_at'),
    bytes: column('bytes'),
    lines: column('lines'),
    unreadable: column('unreadable_lines'),
    refused: column('refused_lines'),
    entries: column('entries'),
    refusal: column('refusal'),
  };
}
