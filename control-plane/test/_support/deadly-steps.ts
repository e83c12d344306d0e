import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';

/**
 * Steps of transactions that can be made fatal: a session that takes one loses its connection, as if its process had
 * been killed.
 */
export class DeadlySteps {
  #deathsBefore = 0;

  private constructor(private readonly db: Knex) {}

  /** Prepares tables in which every row that is written or deleted is a step; none is fatal yet. */
  static async prepare(db: Knex, tables: readonly string[]): Promise<DeadlySteps> {
    await db.raw(`CREATE TABLE deadly (name regclass); CREATE SEQUENCE deaths;
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM deadly WHERE name IN (TG_RELID, pg_partition_root(TG_RELID))) THEN
          PERFORM nextval('deaths'), pg_terminate_backend(pg_backend_pid());
        END IF;
        RETURN NEW;
      END $$`);
    for (const table of tables)
      await db.raw(
        `CREATE TRIGGER die AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION die()`,
      );
    return new DeadlySteps(db);
  }

  /** Makes writes to this table fatal from now on. */
  async arm(table: string): Promise<void> {
    this.#deathsBefore = await this.#deaths();
    await this.db.raw('INSERT INTO deadly VALUES (?::regclass)', [table]);
  }

  /** Waits until a session has been ended since arm() was called, and has left its locks. */
  async waitForDeath(): Promise<void> {
    await until('a death', async () => (await this.#deaths()) > this.#deathsBefore);
    await until('the end of its transaction', async () => {
      const { rows } = await this.db.raw(
        "SELECT FROM pg_locks JOIN deadly ON relation = name WHERE mode = 'RowExclusiveLock' LIMIT 1",
      );
      return rows.length === 0;
    });
  }

  async disarm(): Promise<void> {
    await this.db('deadly').delete();
  }

  /** A sequence counts the deaths, because it advances even if the transaction is lost. */
  async #deaths(): Promise<number> {
    const { is_called, last_value } = await this.db('deaths').first();
    return is_called ? Number(last_value) : 0;
  }
}
