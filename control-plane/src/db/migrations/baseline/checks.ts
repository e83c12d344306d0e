// monitor_checks is by far the largest table: its rows refer to monitors and nodes by 4-byte keys, and its indexes are
// one by monitor and time, and one of a few pages by time. It has no foreign keys: ingest must never fail because a
// monitor was deleted meanwhile. It is partitioned first by retention, then by day, so that a day of a class is one
// DROP TABLE.
//
// check_details is separate, because rows of checks must be small: it has the measurements of checks that were not ok,
// of the first good check after them, and of checks that a user requested.
//
// late_checks is a queue: each row is a range of time whose checks arrived too late to be applied, so that closed
// events may be wrong. Storing appends to it; any replica takes all rows of a monitor at once.
//
//   checks that come late ──> late_checks ──> replay of the range ──> closed events

/** Checks of monitors, as they were measured and missed. */
export const checks = `
  CREATE TABLE monitor_checks (
    at timestamptz NOT NULL,
    monitor_key integer NOT NULL,
    node_key integer NOT NULL,
    late_ms integer NOT NULL,
    response_ms real,
    status_code smallint,
    outcome smallint NOT NULL,
    flags smallint NOT NULL,
    keep_days smallint NOT NULL,
    error text
  ) PARTITION BY LIST (keep_days);
  CREATE TABLE monitor_checks_7d PARTITION OF monitor_checks FOR VALUES IN (7) PARTITION BY RANGE (at);
  CREATE TABLE monitor_checks_30d PARTITION OF monitor_checks FOR VALUES IN (30) PARTITION BY RANGE (at);
  CREATE TABLE monitor_checks_90d PARTITION OF monitor_checks FOR VALUES IN (90) PARTITION BY RANGE (at);
  CREATE TABLE monitor_checks_365d PARTITION OF monitor_checks FOR VALUES IN (365) PARTITION BY RANGE (at);
  COMMENT ON COLUMN monitor_checks.keep_days IS 'by the plan of its owner when it was stored';
  COMMENT ON COLUMN monitor_checks.at IS 'when it was due, by server time';
  COMMENT ON COLUMN monitor_checks.late_ms IS 'delay of its start';
  COMMENT ON COLUMN monitor_checks.outcome IS '0 ok, 1 degraded, 2 failed';
  COMMENT ON COLUMN monitor_checks.flags IS '1 superseded: the monitor was assigned to another node by then; 2 requested by a user; 4 arrived late';
  CREATE INDEX ON monitor_checks (monitor_key, at);
  CREATE INDEX ON monitor_checks USING brin (at) WITH (pages_per_range = 32, autosummarize = on);

  CREATE TABLE check_details (
    at timestamptz NOT NULL,
    monitor_key integer NOT NULL,
    node_key integer NOT NULL,
    details json NOT NULL,
    PRIMARY KEY (monitor_key, at, node_key)
  ) PARTITION BY RANGE (at);
  COMMENT ON COLUMN check_details.at IS 'when its check was due';

  CREATE TABLE missed_slots (
    monitor_key integer NOT NULL,
    node_key integer NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    slots integer NOT NULL,
    reason text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  ) PARTITION BY RANGE (last_at);
  COMMENT ON TABLE missed_slots IS 'slots at even distances from first_at to last_at, both included';
  CREATE INDEX ON missed_slots (monitor_key, last_at);

  CREATE TABLE late_checks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    monitor_id text COLLATE "C" NOT NULL,
    from_at timestamptz NOT NULL,
    to_at timestamptz NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    due_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '15 s'
  );
  COMMENT ON COLUMN late_checks.due_at IS 'delayed, because more results of the same range usually follow';
  CREATE INDEX ON late_checks (due_at, id);
  CREATE INDEX ON late_checks (monitor_id);
`;
