import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiClient } from 'vantage-control/client/api-client.js';
import { ADMINISTRATOR_SCOPES } from '../../administrator-scopes.js';
import { installedFlags } from '../../demo/installed-flags.js';
import { Program, runToEnd } from '../../demo/program.js';
import type { RoadOptions } from '../bare-road/start.js';
import { BenchError } from '../bench-error.js';
import { processTree } from '../processes.js';
import { type CallerName, createKey } from './callers.js';
import type { Road } from './road.js';
import { usageOf, usageOfChildren, usageOfTree } from './usage.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const controlScript = join(root, 'control-plane', 'bin', 'vantage-control.js');
const agentScript = join(root, 'agent', 'bin', 'vantage-agent.js');
const ALLOWED = '127.0.0.0/8,::1/128';
const EMAIL = 'bench@example.com';
const ONLINE_WITHIN_MS = 30_000;

/** The programs as they are installed, with what is measured of them beside the road. */
export interface VantageRoad extends Road {
  /** Creates the account of a caller, and returns its API key; null: it has no credentials. */
  createKey(caller: CallerName): Promise<string | null>;
  readonly serverPid: number;
  readonly postmasterPid: number;
  readonly agentPids: readonly number[];
  /** From its start until it is ready, its database started too. */
  readonly serverReadyMs: number;
  /** Start of the last agent that was started, by performance.now(). */
  agentStartedAt(): number;
}

/** Starts a control plane with these plans and its own PostgreSQL. */
export async function startVantageRoad(
  plans: string,
  { directory, environment: extra, stops }: RoadOptions,
): Promise<VantageRoad> {
  const dataDir = join(directory, 'control-plane');
  const environment = {
    VANTAGE_DATA_DIR: dataDir,
    VANTAGE_LISTEN: '127.0.0.1:0',
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: ALLOWED,
    VANTAGE_LOG_LEVEL: 'warn',
    VANTAGE_PLANS: plans,
  };
  const run = (...args: string[]) => runToEnd(controlScript, args, environment);
  const start = async () => {
    const server = new Program('serve', controlScript, ['serve'], {
      ...environment,
      ...extra,
      VANTAGE_LOG_LEVEL: 'info',
    });
    stops.push(() => server.stop());
    const url = await server.waitForLine((line) =>
      line.includes('"ready"') ? (JSON.parse(line) as { url: string }).url : null,
    );
    return { server, url };
  };
  // creates the database, so that the start that is measured does not contain it
  const first = await start();
  await first.server.stop();
  const startedAt = performance.now();
  const { server, url } = await start();
  const serverReadyMs = performance.now() - startedAt;
  await run('user', 'create', '--email', EMAIL, '--role', 'admin');
  const token = (await run('token', 'create', '--user', EMAIL, '--scopes', ADMINISTRATOR_SCOPES)).trim();
  const client = new ApiClient({ url, token });
  const postmasterPid = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const agentPids: number[] = [];
  let agentStartedAt = Number.NaN;
  return {
    name: 'vantage',
    url,
    createKey: (caller) => createKey(caller, { script: controlScript, environment, url }),
    serverPid: server.pid,
    postmasterPid,
    agentPids,
    serverReadyMs,
    agentStartedAt: () => agentStartedAt,
    usage: () => ({
      'control plane': usageOf([server.pid]),
      PostgreSQL: usageOfTree(postmasterPid),
      agent: usageOf(agentPids),
      'measuring child': usageOfChildren(agentPids),
    }),
    programs: () => [server.pid, ...agentPids.flatMap(processTree)],
    async haveAgents(count) {
      while (agentPids.length < count) {
        const state = ['--state-dir', join(directory, `agent-${agentPids.length}`)];
        const settings = { VANTAGE_ALLOW_TARGETS: ALLOWED, VANTAGE_LOG_LEVEL: 'warn' };
        const { token: enrollment } = await client.call<{ token: string }>('POST', '/v1/nodes/enrollment-tokens', {});
        await runToEnd(agentScript, ['enroll', '--url', url, '--token', '-', ...state], settings, enrollment);
        const flags = installedFlags(agentScript);
        agentStartedAt = performance.now();
        const agent = new Program('agent', agentScript, ['run', ...state], { ...settings, ...extra }, flags);
        stops.push(() => agent.stop());
        agentPids.push(agent.pid);
      }
      await allOnline(client, count);
    },
  };
}

async function allOnline(client: ApiClient, count: number): Promise<void> {
  for (const deadline = performance.now() + ONLINE_WITHIN_MS; performance.now() < deadline; ) {
    const { items } = await client.call<{ readonly items: readonly object[] }>('GET', '/v1/nodes?status=online');
    if (items.length === count) return;
    await pause(10);
  }
  throw new BenchError(`not all of ${count} agents were online within ${ONLINE_WITHIN_MS / 1_000} s`);
}
