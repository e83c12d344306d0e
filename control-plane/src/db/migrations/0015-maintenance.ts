import type { Knex } from 'knex';

// A window's next turn is the next beginning or end of an occurrence, a notice the mail before one. Any replica takes the
// windows whose next of either has come, does what it asks for and writes the one after that, in one transaction.

/** Name in the table of applied migrations. */
export const name = '0015-maintenance';

/** Maintenance windows, and what is remembered of events that people closed. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    CREATE TABLE maintenance_windows (
      id text COLLATE "C" PRIMARY KEY,
      user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
      is_test boolean NOT NULL DEFAULT false,
      title text,
      scope_type text NOT NULL CHECK (scope_type IN ('monitor', 'group', 'tag', 'all')),
      scope_ids text[] COLLATE "C" NOT NULL,
      starts_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
      recurrence text NOT NULL CHECK (recurrence IN ('none', 'daily', 'weekly', 'monthly')),
      recurrence_until timestamptz,
      timezone text NOT NULL,
      advance_notice_minutes integer NOT NULL,
      turned_at timestamptz,
      next_turn_at timestamptz,
      announced_at timestamptz,
      next_notice_at timestamptz,
      due_at timestamptz GENERATED ALWAYS AS (least(next_turn_at, next_notice_at)) STORED,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    COMMENT ON COLUMN maintenance_windows.turned_at IS 'the last turn that a replica noticed: it has come for those whose clocks are behind, too';
    COMMENT ON COLUMN maintenance_windows.announced_at IS 'when the last occurrence begins that the owner was told of';
    CREATE INDEX ON maintenance_windows (user_id, id);
    CREATE INDEX ON maintenance_windows (due_at) WHERE due_at IS NOT NULL;

    ALTER TABLE monitor_states ADD COLUMN resolved_type text CHECK (resolved_type IN ('down', 'degraded'));
    COMMENT ON COLUMN monitor_states.resolved_type IS 'what the event was of that a person closed; until the monitor was up none of it opens again';
  `);
}
