// Hot tables (probe_*, superseded_results, ingest_marks) have no foreign keys: ingest must never fail because an owner was
// deleted meanwhile.

/** Probe tasks. */
export const probes = `
  CREATE TABLE probe_tasks (
    id text COLLATE "C" PRIMARY KEY,
    owner_id text COLLATE "C",
    is_test boolean NOT NULL DEFAULT false,
    probe_type text NOT NULL,
    target text NOT NULL,
    spec json NOT NULL,
    created_at timestamptz NOT NULL
  ) PARTITION BY RANGE (id);
  CREATE INDEX ON probe_tasks (owner_id, id) WHERE owner_id IS NOT NULL;

  CREATE TABLE probe_node_tasks (
    id text COLLATE "C" PRIMARY KEY,
    task_id text COLLATE "C" NOT NULL,
    node_id text COLLATE "C" NOT NULL,
    probe_type text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done', 'lost')),
    expires_at timestamptz NOT NULL,
    target_keys text[],
    opening bigint,
    result json,
    success boolean,
    finished_at timestamptz,
    lost_code text,
    late boolean NOT NULL DEFAULT false
  ) PARTITION BY RANGE (id);
  COMMENT ON COLUMN probe_node_tasks.target_keys IS 'keys of the per-target budget; null for exempt targets';
  COMMENT ON COLUMN probe_node_tasks.opening IS 'newest link of its node when it was stored; null: stored by a version that did not record it';
  COMMENT ON COLUMN probe_node_tasks.task_id IS 'its id begins with the same millisecond: node tasks of a task are found by a range of ids';
  CREATE INDEX ON probe_node_tasks (node_id) WHERE state = 'pending';
  CREATE INDEX ON probe_node_tasks (expires_at) WHERE state = 'pending';
  CREATE INDEX ON probe_node_tasks USING gin (target_keys) WITH (fastupdate = off) WHERE state = 'pending' AND target_keys IS NOT NULL;

  CREATE TABLE target_buckets (
    key text PRIMARY KEY,
    tokens double precision NOT NULL,
    updated_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);

  -- Numbers of nodes that requests get, in their order: each takes its weight of tokens for every node from all of its keys, which refill
  -- meanwhile, and adds its nodes to those at work. asked: keys of each request, separated by spaces. since: id that is less than those of all
  -- work in progress. A function, so that rows of popular targets are locked for as long as one statement takes and never while a
  -- client thinks; each of its statements sees what those who held the locks before have stored. Whoever holds one for longer, such as a
  -- replica that was stopped within a transaction, keeps no other target waiting for long.
  CREATE FUNCTION take_target_budgets(
    asked text[], wanted int[], weights double precision[], since text, rate double precision, burst double precision, most_at_once int
  ) RETURNS int[] LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
  DECLARE
    names text[];
    tokens_left double precision[];
    nodes_left int[];
    granted int[] := '{}';
    request_keys text[];
    name text;
    place int;
    got int;
  BEGIN
    WITH held AS (
      INSERT INTO target_buckets AS b (key, tokens, updated_at)
      SELECT k.key, burst, clock_timestamp()
      FROM (SELECT DISTINCT key FROM unnest(asked) request, unnest(string_to_array(request, ' ')) key) k ORDER BY k.key
      ON CONFLICT (key) DO UPDATE SET updated_at = clock_timestamp(),
        tokens = least(burst, b.tokens + rate * greatest(0, extract(epoch FROM clock_timestamp() - b.updated_at)::double precision))
      RETURNING b.key, b.tokens
    )
    SELECT array_agg(h.key), array_agg(h.tokens) INTO names, tokens_left FROM held h;

    SELECT array_agg(most_at_once - (
        SELECT count(*)::int FROM probe_node_tasks t
        WHERE t.state = 'pending' AND t.target_keys IS NOT NULL AND t.target_keys @> ARRAY[n.key] AND t.id > since COLLATE "C"
      ) ORDER BY n.at)
    INTO nodes_left FROM unnest(names) WITH ORDINALITY AS n(key, at);

    FOR request IN 1 .. cardinality(asked) LOOP
      request_keys := string_to_array(asked[request], ' ');
      got := wanted[request];
      FOREACH name IN ARRAY request_keys LOOP
        place := array_position(names, name);
        got := least(got, nodes_left[place], floor(tokens_left[place] / weights[request])::int);
      END LOOP;
      got := greatest(got, 0);
      FOREACH name IN ARRAY request_keys LOOP
        place := array_position(names, name);
        nodes_left[place] := nodes_left[place] - got;
        tokens_left[place] := tokens_left[place] - got * weights[request];
      END LOOP;
      granted := granted || got;
    END LOOP;

    UPDATE target_buckets b SET tokens = s.tokens FROM unnest(names, tokens_left) AS s(key, tokens) WHERE b.key = s.key;
    RETURN granted;
  END $$;
`;

/** How far each spool was stored, and what went wrong with it. */
export const ingest = `
  CREATE TABLE ingest_marks (
    node_id text COLLATE "C" NOT NULL,
    epoch bytea NOT NULL,
    lane smallint NOT NULL,
    mark bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (node_id, epoch, lane)
  ) WITH (fillfactor = 50);

  CREATE TABLE superseded_results (
    id text COLLATE "C" PRIMARY KEY,
    node_id text COLLATE "C" NOT NULL,
    result json NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  ) PARTITION BY RANGE (id);
  COMMENT ON TABLE superseded_results IS 'second result of a node task that had already ended; a third is not stored, since only hostile nodes send it';

  CREATE TABLE dead_letters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node_id text COLLATE "C" NOT NULL,
    epoch bytea NOT NULL,
    lane smallint NOT NULL,
    sequence bigint NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    payload bytea NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON dead_letters (node_id);

  CREATE TABLE spool_gaps (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node_id text COLLATE "C" NOT NULL,
    epoch bytea NOT NULL,
    lane smallint NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    reason text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON spool_gaps (node_id);

  CREATE TABLE newest_states (
    node_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    slot_ms bigint NOT NULL,
    body json NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (node_id, kind, subject)
  );
  COMMENT ON TABLE newest_states IS 'one row per node and subject: of two states the one with the newer slot stays';
  COMMENT ON COLUMN newest_states.slot_ms IS 'when the check was due, server time, milliseconds since the epoch';
`;
