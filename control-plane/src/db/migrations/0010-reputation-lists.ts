import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0010-reputation-lists';

/** Lists of addresses by which reputations are judged, and their versions. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(VERSIONS);
  await trx.raw(PIECES);
  await trx.raw(LISTS);
}

const VERSIONS = `
  CREATE TABLE reputation_list_versions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    list text COLLATE "C" NOT NULL,
    fetched_at timestamptz NOT NULL,
    built_at timestamptz NOT NULL,
    digest bytea NOT NULL,
    bytes integer NOT NULL,
    lines integer NOT NULL,
    unreadable_lines integer NOT NULL,
    refused_lines integer NOT NULL,
    entries integer NOT NULL,
    refusal text
  );
  COMMENT ON TABLE reputation_list_versions IS 'of a list: the version in use, and a newer one that was refused';
  COMMENT ON COLUMN reputation_list_versions.built_at IS 'when its source last said that this is what it has';
  COMMENT ON COLUMN reputation_list_versions.refusal IS 'why it waits for an administrator; null: it does not';
`;

const PIECES = `
  CREATE TABLE reputation_list_pieces (
    version_id bigint NOT NULL REFERENCES reputation_list_versions ON DELETE CASCADE,
    number integer NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (version_id, number)
  );
  COMMENT ON COLUMN reputation_list_pieces.body IS 'a part of the text, compressed with deflate';
  ALTER TABLE reputation_list_pieces ALTER COLUMN body SET STORAGE EXTERNAL;
`;

const LISTS = `
  CREATE TABLE reputation_lists (
    name text COLLATE "C" PRIMARY KEY,
    source text NOT NULL,
    version_id bigint REFERENCES reputation_list_versions,
    refused_id bigint REFERENCES reputation_list_versions,
    etag text,
    last_modified text,
    checked_at timestamptz,
    next_at timestamptz NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    last_error text,
    claimed_by text COLLATE "C",
    claimed_until timestamptz,
    seen_at timestamptz NOT NULL
  );
  COMMENT ON COLUMN reputation_lists.source IS 'format and place: with another one, versions begin again';
  COMMENT ON COLUMN reputation_lists.etag IS 'of the newest version, refused or not';
  COMMENT ON COLUMN reputation_lists.claimed_by IS 'replica that reads the source; its lease runs out if it dies';
  COMMENT ON COLUMN reputation_lists.seen_at IS 'when a replica last had it in its settings';
`;
