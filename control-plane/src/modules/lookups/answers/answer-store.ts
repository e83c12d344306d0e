import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import { type Answer, type Kept, nothingKept, withFinding } from './answer.js';
import { packBody, unpackBody } from './body.js';

interface AnswerRow {
  readonly is_failure: boolean;
  readonly asked_at: Date;
  readonly fresh_until: Date;
  readonly stale_until: Date;
  readonly body: Buffer;
}

const FIND = {
  name: 'lookups-find-answers',
  text: `SELECT is_failure, asked_at, fresh_until, stale_until, body FROM lookup_answers
         WHERE key = $1 ORDER BY asked_at DESC LIMIT 2`,
};

/** Finds what is kept of a key. */
export async function findAnswers(db: Knex, key: string): Promise<Kept> {
  const rows = await queryPrepared<AnswerRow>(db, FIND, [key]);
  let kept = nothingKept;
  for (const row of rows.reverse()) kept = withFinding(kept, await answerOf(row));
  return kept;
}

// Of a key only the newest answer and a failure after it are kept. The claim of its holder ends in the same statement.
const KEEP = {
  name: 'lookups-keep-answer',
  text: `
  WITH gone AS (DELETE FROM lookup_answers WHERE key = $1 AND (is_failure OR NOT $4)),
       ended AS (DELETE FROM lookup_claims WHERE key = $1 AND holder = $2)
  INSERT INTO lookup_answers (key, subject, is_failure, asked_at, fresh_until, stale_until, body)
  VALUES ($1, $3, $4, $5, $6, $7, $8)`,
};

/** A finding of a key, asked by the holder of its claim. */
export interface Finding {
  readonly key: string;
  readonly holder: string;
  readonly subject: string;
  readonly answer: Answer;
}

/** Keeps a finding for all replicas and ends the claim of its holder. False if it is too large to be kept. */
export async function keepAnswer(db: Knex, { key, holder, subject, answer }: Finding): Promise<boolean> {
  const body = await packBody(answer.body);
  if (body === null) return false;
  const times = [answer.askedAtMs, answer.freshUntilMs, answer.staleUntilMs].map((ms) => new Date(ms));
  await queryPrepared(db, KEEP, [key, holder, subject, answer.isFailure, ...times, body]);
  return true;
}

/** Lists up to a thousand subjects of answers after `last`, in their order. */
export async function listSubjects(db: Knex, last: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { subject: string }[] }>(
    'SELECT DISTINCT subject FROM lookup_answers WHERE subject > ? ORDER BY subject LIMIT 1000',
    [last],
  );
  return rows.map(({ subject }) => subject);
}

/** Deletes the answers about these subjects. */
export async function deleteSubjects(db: Knex, subjects: readonly string[]): Promise<void> {
  await db.raw('DELETE FROM lookup_answers WHERE subject = ANY(?::text[])', [[...subjects]]);
}

async function answerOf(row: AnswerRow): Promise<Answer> {
  return {
    isFailure: row.is_failure,
    askedAtMs: row.asked_at.getTime(),
    freshUntilMs: row.fresh_until.getTime(),
    staleUntilMs: row.stale_until.getTime(),
    body: await unpackBody(row.body),
  };
}
