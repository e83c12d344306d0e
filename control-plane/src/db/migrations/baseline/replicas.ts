/** Replicas of the control plane, and the identity they share. */
export const replicas = `
  CREATE TABLE replicas (
    id text COLLATE "C" PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    heartbeat_at timestamptz NOT NULL DEFAULT now(),
    url text,
    is_draining boolean NOT NULL DEFAULT false
  );
  COMMENT ON COLUMN replicas.url IS 'origin at which agents reach this replica directly; null: only the public one';
  COMMENT ON COLUMN replicas.is_draining IS 'it sends its agents to other replicas, so no replica sends agents to it';

  CREATE TABLE server_identity (
    id integer PRIMARY KEY CHECK (id = 1),
    public_key bytea NOT NULL,
    sealed_private_key bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
`;
