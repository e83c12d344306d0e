import type { Knex } from 'knex';
import { until } from './until.js';

/** Steps of transactions that can be made deadly: who takes one loses its connection there, as if its process was killed. */
export class DeadlySteps {
  #deathsBefore = 0;

  private constructor(private readonly db: Knex) {}

  /** Prepares tables, of which every row that is written is a step; nothing is deadly yet. */
  static async prepare(db: Knex, tables: readonly string[]): Promise<DeadlySteps> {
    await db.raw(`CREATE TABLE deadly (name regclass); CREATE SEQUENCE deaths;
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM deadly WHERE name = TG_RELID) THEN
          PERFORM nextval('deaths'), pg_terminate_backend(pg_backend_pid());
        END IF;
        RETURN NEW;
      END $$`);
    for (const table of tables)
      await db.raw(`CREATE TRIGGER die AFTER INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION die()`);
    return new DeadlySteps(db);
  }

  /** Whoever writes this table from now on dies of it. */
  async arm(table: string): Promise<void> {
    this.#deathsBefore = await this.#deaths();
    await this.db.raw('INSERT INTO deadly VALUES (?::regclass)', [table]);
  }

  /** Waits until somebody has died since it was armed. */
  async waitForDeath(): Promise<void> {
    await until('a death', async () => (await this.#deaths()) > this.#deathsBefore);
  }

  async disarm(): Promise<void> {
    await this.db('deadly').delete();
  }

  /** A sequence counts them: it goes on where a transaction is lost. */
  async #deaths(): Promise<number> {
    const { is_called, last_value } = await this.db('deaths').first();
    return is_called ? Number(last_value) : 0;
  }
}
