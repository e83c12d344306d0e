import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import type { Test } from 'tap';
import { createTestDatabase } from './database.js';
import { type Load, startLoad } from './load.js';
import { runProbe } from './probes.js';
import { RealAgent } from './real-agent.js';
import { createAdminByCommand, type RealServer, startServer } from './real-server.js';
import { SlowTarget } from './slow-target.js';
import { apiOf, SECRET_KEY, type TestApi } from './stack.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Three replicas and two agents that know the addresses of all, each a process of the real program. */
export interface ReplicaTrio {
  readonly db: Knex;
  readonly target: SlowTarget;
  readonly agents: readonly RealAgent[];
  readonly servers: RealServer[];
  readonly apis: readonly TestApi[];
  /** Restarts a replica at the same address. */
  restart(index: number): Promise<void>;
  /** Requests to every replica; those to a stopped one fail, as they should. */
  startLoads(): Load[];
}

/** Starts them; everything ends with the test. */
export async function startTrio(t: Test): Promise<ReplicaTrio> {
  const { url: databaseUrl, db } = await createTestDatabase(t);
  const ports = [await lastingPort(), await lastingPort(), await lastingPort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const environments = ports.map((port) => ({
    VANTAGE_DATABASE_URL: databaseUrl,
    VANTAGE_DATA_DIR: temporaryDirectory(t),
    VANTAGE_SECRET_KEY: SECRET_KEY,
    VANTAGE_LISTEN: `127.0.0.1:${port}`,
    VANTAGE_PUBLIC_URL: urls[0] ?? '',
    VANTAGE_CONTROL_URLS: urls.join(','),
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
  }));
  const servers = await Promise.all(environments.map((environment) => startServer(t, environment)));
  const admin = await createAdminByCommand(urls[0] ?? '', environments[0] ?? {});
  const apis = urls.map((url) => apiOf(url, admin.token, admin.userId));
  const target = await SlowTarget.start(t);
  const agents = [await RealAgent.start(t, admin, { name: 'one' }), await RealAgent.start(t, admin, { name: 'two' })];
  // the first probe of an agent is slow
  await runProbe(admin, 'http', { target: target.url('/first') });
  return {
    db,
    target,
    agents,
    servers,
    apis,
    async restart(index) {
      servers[index] = await startServer(t, environments[index] ?? {});
    },
    startLoads: () => apis.map((api, index) => startLoad(api, target, { callers: 2, name: `r${index}` })),
  };
}

/**
 * Checks that all tasks end and that every measured result is stored, once. @returns number of node tasks that were
 * given up because no replica had a link to their node
 */
export async function checkTrio(t: Test, { db, target, agents }: ReplicaTrio, loads: readonly Load[]): Promise<number> {
  await until('every task to end', async () => (await db('probe_node_tasks').where({ state: 'pending' })).length === 0);
  for (const agent of agents) await agent.waitForStatus({ isConnected: true, rows: 0 });
  const accepted = loads.flatMap((load) => load.accepted);
  const { rows: tasks } = await db.raw(
    'SELECT state, success, lost_code, count(*) FROM probe_node_tasks GROUP BY 1, 2, 3',
  );
  const [done, ...others] = tasks.sort((a: { state: string }, b: { state: string }) => a.state.localeCompare(b.state));
  t.strictSame(
    done,
    { state: 'done', success: true, lost_code: null, count: target.requests.length },
    'nothing was measured twice',
  );
  const lost = others[0]?.count ?? 0;
  t.strictSame(others, lost === 0 ? [] : [{ state: 'lost', success: null, lost_code: 'node_lost', count: lost }]);
  const known = await db('probe_tasks').whereIn('id', accepted);
  t.equal(known.length, accepted.length, 'every accepted task exists');
  const [rows] = (
    await db.raw(
      `SELECT (SELECT sum(mark)::int FROM ingest_marks) AS delivered, (SELECT count(*)::int FROM superseded_results) AS superseded,
              (SELECT count(*)::int FROM dead_letters) AS dead_letters, (SELECT count(*)::int FROM spool_gaps) AS gaps`,
    )
  ).rows;
  t.strictSame(rows, { delivered: target.requests.length, superseded: 0, dead_letters: 0, gaps: 0 });
  return lost;
}
