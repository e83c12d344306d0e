import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0009-lookups';

/** Tasks of the service itself, and what lookups found. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(INTERNAL_TASKS);
  await trx.raw(ANSWERS);
  await trx.raw(CLAIMS);
  await trx.raw(REGISTRIES);
}

const INTERNAL_TASKS = `
  ALTER TABLE probe_tasks ADD COLUMN is_internal boolean NOT NULL DEFAULT false;
  COMMENT ON COLUMN probe_tasks.is_internal IS 'a question of the service itself, which nobody reads by its id';
`;

// no primary key: of the rows of a key only the newest answer and the newest failure are kept
const ANSWERS = `
  CREATE TABLE lookup_answers (
    key text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    is_failure boolean NOT NULL,
    asked_at timestamptz NOT NULL,
    fresh_until timestamptz NOT NULL,
    stale_until timestamptz NOT NULL,
    body bytea NOT NULL
  ) PARTITION BY RANGE (asked_at);
  COMMENT ON TABLE lookup_answers IS 'what lookups found, for all callers and replicas';
  COMMENT ON COLUMN lookup_answers.subject IS 'host or address that the question is about, in canonical form';
  COMMENT ON COLUMN lookup_answers.stale_until IS 'until then it stands in for an answer that cannot be had';
  COMMENT ON COLUMN lookup_answers.body IS 'JSON, compressed with deflate';
  CREATE INDEX ON lookup_answers (key, asked_at);
  CREATE INDEX ON lookup_answers (subject);
`;

const CLAIMS = `
  CREATE TABLE lookup_claims (
    key text COLLATE "C" PRIMARY KEY,
    holder text COLLATE "C" NOT NULL,
    lease_until timestamptz NOT NULL
  );
  COMMENT ON TABLE lookup_claims IS 'questions that a replica is asking; the lease of one that died runs out';
`;

const REGISTRIES = `
  CREATE TABLE registry_servers (
    server text COLLATE "C" PRIMARY KEY,
    per_minute double precision NOT NULL,
    tokens double precision NOT NULL,
    updated_at timestamptz NOT NULL,
    shut_until timestamptz
  );
  COMMENT ON TABLE registry_servers IS 'RDAP and WHOIS servers that nodes asked: one bucket each over all nodes';
  COMMENT ON COLUMN registry_servers.shut_until IS 'it refused, and is not to be asked before; null: it never did';
`;
