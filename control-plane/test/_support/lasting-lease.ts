import type { Knex } from 'knex';

/**
 * Keeps all replicas alive for an hour after they registered or renewed their leases: one whose clock stands still never
 * renews its own, one on a busy machine may be late, and PostgreSQL measures leases by the time of the machine.
 */
export async function lastingLeases(db: Knex): Promise<void> {
  await db.raw(`
    CREATE FUNCTION lasting_lease() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.heartbeat_at := now() + interval '1 hour'; RETURN NEW; END $$;
    CREATE TRIGGER lasting_lease BEFORE INSERT OR UPDATE ON replicas FOR EACH ROW EXECUTE FUNCTION lasting_lease();
    UPDATE replicas SET heartbeat_at = now();
  `);
}
