import type { TimelineEntry } from '@vantage/shared/alerts/decision.js';
import type { Knex } from 'knex';
import { writeJsonRows } from '../../../db/json-rows.js';
import { queryPrepared } from '../../../db/prepared.js';

/** Entry of an alert's timeline. */
export interface StoredEntry extends TimelineEntry {
  readonly alertId: string;
  readonly ownerId: string;
}

/** Adds entries to timelines, in their order, with few statements. */
export async function insertTimeline(trx: Knex, entries: readonly StoredEntry[]): Promise<void> {
  const rows = entries.map(({ alertId, ownerId, atMs, what, details }, index) => ({
    index,
    alert_id: alertId,
    owner_id: ownerId,
    at: new Date(atMs),
    what,
    details,
  }));
  await writeJsonRows(rows, (json) =>
    trx.raw(
      `INSERT INTO alert_timeline (alert_id, owner_id, at, what, details)
       SELECT alert_id, owner_id, at, what, details FROM jsonb_to_recordset(?) AS e(
         index int, alert_id text, owner_id text, at timestamptz, what text, details jsonb
       ) ORDER BY index`,
      [json],
    ),
  );
}

/** Entries of a timeline that are shown. */
const MOST_SHOWN = 1_000;

const LIST_TIMELINE = {
  name: 'alert-timeline',
  text: `SELECT at, what, details FROM alert_timeline WHERE alert_id = $1 ORDER BY id DESC LIMIT ${MOST_SHOWN}`,
};

/** Newest entries of the timeline of an alert, oldest first. */
export async function listTimeline(db: Knex, alertId: string): Promise<TimelineEntry[]> {
  const rows = await queryPrepared<{ at: Date } & Pick<TimelineEntry, 'what' | 'details'>>(db, LIST_TIMELINE, [
    alertId,
  ]);
  return rows.reverse().map(({ at, what, details }) => ({ atMs: at.getTime(), what, details }));
}

const FIND_NOTE = {
  name: 'alert-acknowledge-note',
  text: `SELECT details->>'note' AS note FROM alert_timeline WHERE alert_id = $1 AND what = 'acknowledged' ORDER BY id DESC LIMIT 1`,
};

/** Note of the last acknowledgement of an alert; null if there is none. */
export async function findAcknowledgeNote(db: Knex, alertId: string): Promise<string | null> {
  const [row] = await queryPrepared<{ note: string | null }>(db, FIND_NOTE, [alertId]);
  return row?.note ?? null;
}
