import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0011-diagnose';

/** Diagnose reports. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(REPORTS);
}

const REPORTS = `
  CREATE TABLE diagnose_reports (
    id text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C",
    is_test boolean NOT NULL,
    target text NOT NULL,
    scope text[] NOT NULL,
    node_ids text[] NOT NULL,
    shared boolean NOT NULL,
    status text NOT NULL CHECK (status IN ('running', 'completed', 'failed')),
    created_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    due_at timestamptz,
    tasks jsonb NOT NULL,
    headers json,
    receipt jsonb,
    cost integer NOT NULL,
    completed_at timestamptz,
    overall_score smallint,
    report json
  ) PARTITION BY RANGE (id);
  COMMENT ON TABLE diagnose_reports IS 'what several nodes found out about a target; those without an owner are deleted after 7 days';
  COMMENT ON COLUMN diagnose_reports.ends_at IS 'what is not done then is left out';
  COMMENT ON COLUMN diagnose_reports.due_at IS 'when a replica takes the report over from one that has died; null: it has ended';
  COMMENT ON COLUMN diagnose_reports.tasks IS 'ids of its probe tasks so far, by kind, in the order of the portions of nodes';
  COMMENT ON COLUMN diagnose_reports.headers IS 'outcome of the question for headers; null: not yet known';
  COMMENT ON COLUMN diagnose_reports.receipt IS 'proof of the node tests that were taken; null: none are limited, or those that did not run were refunded';
  COMMENT ON COLUMN diagnose_reports.cost IS 'node tests that were taken';
  COMMENT ON COLUMN diagnose_reports.report IS 'sections without texts, once it has ended';
  CREATE INDEX ON diagnose_reports (owner_id, id);
  CREATE INDEX ON diagnose_reports (due_at) WHERE due_at IS NOT NULL;
`;
