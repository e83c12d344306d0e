import { setTimeout as pause } from 'node:timers/promises';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import { oneQuery } from './one-query.js';
import { runProbe, submit } from './probes.js';
import { RealAgent } from './real-agent.js';
import { createAdminByCommand, type RealServer, startServer } from './real-server.js';
import { SlowTarget } from './slow-target.js';
import type { TestApi } from './stack.js';
import { temporaryDirectory } from './temporary-directory.js';

const PROBES = 24;
const LONGEST_MS = 700;

/** One control plane with one agent, both real programs, and a target for the probes. */
export interface Installation {
  readonly t: Test;
  readonly environment: Readonly<Record<string, string>>;
  readonly api: TestApi;
  readonly agent: RealAgent;
  readonly target: SlowTarget;
  server: RealServer;
}

/** Installs them on the database that `database` configures; the embedded one by default. */
export async function install(t: Test, database: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const environment = {
    VANTAGE_DATA_DIR: temporaryDirectory(t),
    VANTAGE_LISTEN: `127.0.0.1:${await lastingPort()}`,
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    ...database,
  };
  const server = await startServer(t, environment);
  const api = await createAdminByCommand(server.url, environment);
  const agent = await RealAgent.start(t, api);
  const target = await SlowTarget.start(t);
  // the first probe of an agent is slow: the server would be killed only after all are submitted
  await runProbe(api, 'http', { target: target.url('/first') });
  return { t, environment, api, agent, target, server };
}

/**
 * Submits probes, kills the server at a random moment while they run, and restarts it. Resolves when all tasks have
 * ended, with the ids of the tasks whose submission was confirmed.
 */
export async function killServerMidProbes(installation: Installation): Promise<string[]> {
  const { t, environment, api, agent, target, server } = installation;
  const accepted: string[] = [];
  const before = target.requests.length;
  const submissions = submitAll(installation, accepted);
  await target.waitForRequests(before + 1);
  // the kill may interrupt any step of any probe
  const killAfterMs = Math.round(Math.random() * LONGEST_MS);
  await pause(killAfterMs);
  await server.program.kill();
  await submissions;
  t.comment(`killed after ${killAfterMs} ms, ${accepted.length} of ${PROBES} probes accepted`);
  installation.server = await startServer(t, environment);
  await until('every task to end', async () => (await listTasks(api)).every(({ status }) => status !== 'running'));
  await agent.waitForStatus({ isConnected: true, rows: 0 });
  const status = await agent.status();
  // the output explains the failure, which a failed match would not show
  if (!status.is_connected) throw new Error(`${JSON.stringify(status)}\n${agent.program.stderr.slice(-4000)}`);
  t.match(status, { agent: { spool: { rows: 0, dropped: 0 } } });
  return accepted;
}

/** Checks that each accepted task ended with the real result of a probe that ran once, and that nothing else exists. */
export async function checkNothingLost({ t, api, target }: Installation, accepted: readonly string[]): Promise<void> {
  const tasks = await listTasks(api);
  const ids = new Set(tasks.map(({ task_id }) => task_id));
  t.strictSame(
    accepted.filter((id) => !ids.has(id)),
    [],
    'every accepted task exists',
  );
  const isReal = ({ status, node_results: [result] }: ListedTask) =>
    status === 'completed' && result?.success === true && result.status_code === 200;
  t.strictSame(
    tasks.filter((task) => !isReal(task)),
    [],
    `each of ${tasks.length} tasks has its result`,
  );
  t.equal(new Set(target.requests).size, target.requests.length, 'no probe ran twice');
  t.equal(target.requests.length, tasks.length, 'the number of probes equals the number of tasks');
}

/** Checks that no task had been given up when its result arrived. */
export async function checkNothingLate({ t, api }: Installation): Promise<void> {
  const tasks = await listTasks(api);
  t.strictSame(
    tasks.filter(({ node_results: [result] }) => result?.late === true),
    [],
    'no result is late',
  );
}

/** Checks that the database holds every result once and no result without a task. */
export async function checkRows({ t, target }: Installation, databaseUrl: string): Promise<void> {
  const count = target.requests.length;
  const rows = await oneQuery(
    databaseUrl,
    `SELECT (SELECT count(*)::int FROM probe_node_tasks WHERE state = 'done') AS done,
            (SELECT count(*)::int FROM probe_node_tasks WHERE state <> 'done') AS others,
            (SELECT sum(mark)::int FROM ingest_marks) AS delivered,
            (SELECT count(*)::int FROM superseded_results) AS superseded,
            (SELECT count(*)::int FROM dead_letters) AS dead_letters,
            (SELECT count(*)::int FROM spool_gaps) AS gaps`,
  );
  t.strictSame(rows, [{ done: count, others: 0, delivered: count, superseded: 0, dead_letters: 0, gaps: 0 }]);
}

async function submitAll({ api, target }: Installation, accepted: string[]): Promise<void> {
  const round = target.requests.length;
  for (let index = 0; index < PROBES; index += 1) {
    const ms = Math.round((LONGEST_MS * ((index * 7) % PROBES)) / PROBES);
    const body = { target: target.url(`/after/${ms}?probe=${round}.${index}`), params: { timeout_ms: 30_000 } };
    // requests to a dead server fail, as they should
    const created = await submit(api, 'http', body).catch(() => null);
    if (created !== null) accepted.push(created.taskId);
    await pause(LONGEST_MS / PROBES);
  }
}

interface ListedTask {
  readonly task_id: string;
  readonly status: string;
  readonly node_results: readonly { readonly success: boolean; readonly status_code: number; readonly late?: true }[];
}

async function listTasks(api: TestApi): Promise<ListedTask[]> {
  const { body } = await api.call('GET', '/v1/probe/tasks?page_size=200');
  return body.data.items;
}
