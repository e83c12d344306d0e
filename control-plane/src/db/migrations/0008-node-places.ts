import type { Knex } from 'knex';

/** Name in the table of applied migrations. */
export const name = '0008-node-places';

/** Where nodes are by what they declare and by their addresses, and how long they were linked on each day. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(places);
  await trx.raw(linkDays);
}

// The columns that were there before (country, city, asn, …) stay what everybody sees and selection uses.
const places = `
  ALTER TABLE nodes
    ADD COLUMN declared_place jsonb,
    ADD COLUMN derived_place jsonb,
    ADD COLUMN confirmed_against jsonb,
    ADD COLUMN location_source text NOT NULL DEFAULT 'declared' CHECK (location_source IN ('declared', 'derived', 'confirmed')),
    ADD COLUMN geo_mismatch boolean NOT NULL DEFAULT false,
    ADD COLUMN uptime_percent_30d double precision;
  COMMENT ON COLUMN nodes.declared_place IS 'what the node declared: {country, province, region, city, asn, provider}; null: the columns of these names';
  COMMENT ON COLUMN nodes.derived_place IS 'what its address says: {country, province, city, latitude, longitude, asn, isp, provider}; null: nothing';
  COMMENT ON COLUMN nodes.confirmed_against IS 'the {country, asn} of its address when an admin confirmed what it declares; null: nobody did';
  COMMENT ON COLUMN nodes.location_source IS 'whose word its country is';
`;

// A trigger, since links end in several ways: closed, replaced by a newer one, lost with their replica.
const linkDays = `
  CREATE TABLE node_link_days (
    node_id text COLLATE "C" NOT NULL,
    day date NOT NULL,
    seconds double precision NOT NULL,
    PRIMARY KEY (node_id, day)
  );
  COMMENT ON TABLE node_link_days IS 'seconds of a day in UTC with a link, of links that have ended';
  CREATE INDEX ON node_link_days (day);

  CREATE FUNCTION record_link_days() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    began timestamp := OLD.connected_at AT TIME ZONE 'UTC';
    ended timestamp := now() AT TIME ZONE 'UTC';
  BEGIN
    INSERT INTO node_link_days AS d (node_id, day, seconds)
    SELECT OLD.id, day::date,
           extract(epoch FROM least(ended, day + interval '1 day') - greatest(began, day))
    FROM generate_series(date_trunc('day', greatest(began, ended - interval '90 days')), ended, interval '1 day') AS day
    WHERE ended > began
    ON CONFLICT (node_id, day) DO UPDATE SET seconds = least(86400, d.seconds + excluded.seconds);
    RETURN NULL;
  END $$;
  CREATE TRIGGER record_link_days AFTER UPDATE OF session_id ON nodes FOR EACH ROW
    WHEN (OLD.session_id IS NOT NULL AND OLD.connected_at IS NOT NULL AND NEW.session_id IS DISTINCT FROM OLD.session_id)
    EXECUTE FUNCTION record_link_days();
`;
