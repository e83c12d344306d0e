// Summaries of checks by monitor, node and bucket of time: each table is computed from the previous one.
//
//   monitor_checks ──> rollups_1m ──> rollups_15m ──> rollups_1h ──> rollups_1d
//
//   rollup_progress   up to when minutes are closed, and up to when each table is made
//   rollup_dirty      buckets before that of which something has come since
//
// Storing checks takes a shared lock, under which it reads what is closed; closing takes the lock exclusively.
// Therefore a check stored before its minute was closed is visible to every later reader, and one stored afterwards is
// in rollup_dirty.

const tableOf = (step: string) => `
  CREATE TABLE rollups_${step} (
    at timestamptz NOT NULL,
    sum_us bigint NOT NULL,
    monitor_key integer NOT NULL,
    node_key integer NOT NULL,
    ok integer NOT NULL,
    degraded integer NOT NULL,
    failed integer NOT NULL,
    answered integer NOT NULL,
    min_ms real,
    max_ms real,
    histogram integer[],
    PRIMARY KEY (monitor_key, node_key, at)
  ) PARTITION BY RANGE (at);
  COMMENT ON COLUMN rollups_${step}.at IS 'start of the bucket';
  COMMENT ON COLUMN rollups_${step}.sum_us IS 'sum of response times in whole microseconds: sums of fractions would depend on their order';
  COMMENT ON COLUMN rollups_${step}.answered IS 'checks with a response time';
  COMMENT ON COLUMN rollups_${step}.histogram IS 'bin * 2^24 + count, ascending; null: all are in the bin of min_ms';
  CREATE INDEX ON rollups_${step} USING brin (at) WITH (pages_per_range = 32, autosummarize = on);
`;

// NOTE: the number of the lock is rollupsClosed in advisory-locks.ts
const work = `
  CREATE TABLE rollup_progress (
    level text PRIMARY KEY CHECK (level IN ('closed', '1m', '15m', '1h', '1d')),
    through timestamptz NOT NULL
  ) WITH (fillfactor = 50);
  INSERT INTO rollup_progress
    SELECT unnest(ARRAY['closed', '1m', '15m', '1h', '1d']), date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';

  CREATE TABLE rollup_dirty (
    id bigint GENERATED ALWAYS AS IDENTITY,
    level text NOT NULL,
    monitor_key integer NOT NULL,
    node_key integer NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (level, id)
  );

  CREATE FUNCTION rollups_closed_through() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(7264011);
    -- another statement, thus another snapshot: what was committed while this one waited is seen
    RETURN (SELECT through FROM rollup_progress WHERE level = 'closed');
  END $$;

  CREATE FUNCTION close_rollups(until timestamptz) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(7264011);
    UPDATE rollup_progress SET through = greatest(through, until) WHERE level = 'closed';
    RETURN true;
  EXCEPTION WHEN lock_not_available THEN
    RETURN false;
  END $$;
  COMMENT ON FUNCTION close_rollups IS 'false: checks were being stored; one statement, so that no suspended process can hold the lock';
`;

/** Roll-ups of checks. */
export const rollups = [...['1m', '15m', '1h', '1d'].map(tableOf), work].join('');
