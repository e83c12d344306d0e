import type { Knex } from 'knex';
import { queryPrepared } from '../../db/prepared.js';
import type { NewestState } from './state-kinds.js';

/** The link that states came over. */
export interface LiveLink {
  readonly nodeId: string;
  readonly sessionId: string;
}

/**
 * Outcome of storing states: whether the link is its node's live one, and which states were newer, by kind and subject.
 */
export interface StoredStates {
  readonly isLive: boolean;
  readonly newer: readonly { readonly kind: string; readonly subject: string }[];
}

/** Greatest number of subjects with states of one node: more monitors than an agent can check. */
const MAX_SUBJECTS = 100_000;

// One statement is one transaction: the node is locked as by ingest, so that nothing of a banned node or of a replaced
// link is stored, and of two states of one subject the one with the newer slot is kept, in whatever order they arrive.
// A new subject is not stored if its node has too many; subjects are counted only if there is a new one.
const STORE = {
  name: 'states-store',
  text: `
  WITH live AS MATERIALIZED (
    SELECT id FROM nodes
    WHERE id = $1 AND session_id = $2 AND banned_at IS NULL AND quarantined_at IS NULL
    FOR SHARE
  ), given AS MATERIALIZED (
    SELECT s.*, k.node_id IS NULL AS is_new
    FROM unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[]) AS s(kind, subject, generation, slot_ms, body)
    LEFT JOIN newest_states k ON k.node_id = $1 AND k.kind = s.kind AND k.subject = s.subject
  ), room AS (
    SELECT CASE WHEN EXISTS (SELECT FROM given WHERE is_new)
      THEN (SELECT count(*) FROM newest_states WHERE node_id = $1) < ${MAX_SUBJECTS} ELSE true END AS has_room
  ), stored AS (
    INSERT INTO newest_states AS known (node_id, kind, subject, generation, slot_ms, body)
    SELECT live.id, s.kind, s.subject, s.generation, s.slot_ms, s.body::json
    FROM live, room, given s WHERE room.has_room OR NOT s.is_new
    ORDER BY s.kind, s.subject
    ON CONFLICT (node_id, kind, subject) DO UPDATE
    SET generation = excluded.generation, slot_ms = excluded.slot_ms, body = excluded.body, stored_at = now()
    WHERE excluded.slot_ms > known.slot_ms
    RETURNING kind, subject
  )
  SELECT EXISTS (SELECT FROM live) AS is_live,
         (SELECT coalesce(json_agg(json_build_object('kind', kind, 'subject', subject)), '[]') FROM stored) AS newer`,
};

/** Stores states, each (kind, subject) once at most. */
export async function storeStates(db: Knex, link: LiveLink, states: readonly NewestState[]): Promise<StoredStates> {
  const [row] = await queryPrepared<{ is_live: boolean; newer: StoredStates['newer'] }>(db, STORE, [
    link.nodeId,
    link.sessionId,
    states.map(({ kind }) => kind),
    states.map(({ subject }) => subject),
    states.map(({ generation }) => generation),
    states.map(({ slotMs }) => Math.floor(slotMs)),
    states.map(({ bodyJson }) => bodyJson),
  ]);
  return { isLive: row?.is_live ?? false, newer: row?.newer ?? [] };
}
