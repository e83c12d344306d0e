import type { Site } from './link/site.js';

/** One statement of the control plane, however often it ran. */
export interface Statement {
  readonly query: string;
  readonly calls: number;
  /** Time in PostgreSQL, all calls. */
  readonly totalMs: number;
}

/** Statements that PostgreSQL counts, by pg_stat_statements. */
export interface StatementCounter {
  reset(): Promise<void>;
  /** Those since the last reset, the longest first; not the counter's own. */
  read(): Promise<Statement[]>;
}

/** Has PostgreSQL count statements: it and the control plane start again for that. @throws Error where the extension is not installed */
export async function countStatements(site: Site): Promise<StatementCounter> {
  await site.database.query("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'");
  const startAgain = await site.stopDatabase();
  await startAgain();
  await site.restartServer();
  await site.database.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  return {
    async reset() {
      await site.database.query('SELECT pg_stat_statements_reset()');
    },
    async read() {
      const { rows } = await site.database.query<{ query: string; calls: string; total_ms: number }>(
        `SELECT query, sum(calls) AS calls, sum(total_exec_time) AS total_ms FROM pg_stat_statements
         WHERE query !~ 'pg_stat_statements' GROUP BY query ORDER BY total_ms DESC`,
      );
      return rows.map(({ query, calls, total_ms: totalMs }) => ({ query, calls: Number(calls), totalMs }));
    },
  };
}
