import type { Knex } from 'knex';

/** Time that is added to each wait, in milliseconds. */
export const PUT_OFF_MS = 3_600_000;

/** From now on, jobs that fail wait an hour more: a test on a busy machine may look at them in between. */
export async function putOffRetries(db: Knex): Promise<void> {
  await db.raw(
    `CREATE FUNCTION put_off_retry() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       NEW.run_at := NEW.run_at + interval '${PUT_OFF_MS} milliseconds';
       RETURN NEW;
     END $$`,
  );
  await db.raw(
    `CREATE TRIGGER put_off_retry BEFORE UPDATE ON vantage_jobs._private_jobs FOR EACH ROW
     WHEN (NEW.last_error IS DISTINCT FROM OLD.last_error AND NEW.attempts < NEW.max_attempts)
     EXECUTE FUNCTION put_off_retry()`,
  );
}
