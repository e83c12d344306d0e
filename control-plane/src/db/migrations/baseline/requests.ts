/** The audit log, what requests took of limits, and responses that may be asked for again. */
export const requests = `
  CREATE TABLE audit_log (
    id text COLLATE "C" PRIMARY KEY,
    at timestamptz NOT NULL,
    account_id text COLLATE "C",
    user_id text COLLATE "C",
    credential_id text,
    address text,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}',
    request_id text
  );
  COMMENT ON COLUMN audit_log.account_id IS 'account whose log contains it; user_id is the actor';
  CREATE INDEX ON audit_log (account_id, id);

  CREATE TABLE rate_windows (
    key text COLLATE "C" PRIMARY KEY,
    window_start timestamptz NOT NULL,
    window_end timestamptz NOT NULL,
    used bigint NOT NULL,
    granted bigint NOT NULL
  ) WITH (fillfactor = 50);
  COMMENT ON TABLE rate_windows IS 'units of each limit that replicas took in the current window';
  COMMENT ON COLUMN rate_windows.granted IS 'units granted to the last statement, for RETURNING';
  CREATE INDEX ON rate_windows (window_end);

  CREATE TABLE idempotency_keys (
    key_hash bytea PRIMARY KEY,
    fingerprint bytea NOT NULL,
    claim bytea NOT NULL,
    sealed_response bytea,
    created_at timestamptz NOT NULL,
    locked_until timestamptz NOT NULL
  );
  COMMENT ON TABLE idempotency_keys IS 'sealed_response null: the first request is still running';
  COMMENT ON COLUMN idempotency_keys.claim IS 'identifies the request that may store the response: random, changed whenever the row is claimed';
  CREATE INDEX ON idempotency_keys (created_at);
`;
