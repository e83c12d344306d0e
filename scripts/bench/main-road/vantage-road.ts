import { join } from 'node:path';
import { ApiClient } from 'vantage-control/client/api-client.js';
import type { Stops } from '../harness.js';
import { usageOf, usageOfChildren, usageOfTree } from '../processes.js';
import { ControlPlane, postmasterPid, startAgent, UNREACHED, untilOnline } from '../programs.js';
import type { CallerName } from './parts.js';
import type { Road } from './road.js';

const ALLOWED = '127.0.0.0/8,::1/128';
const planOf = { key: 'business', 'key-quota': 'pro' } as const;

/** The programs as they are installed, with what is measured of them in addition to the road. */
export interface VantageRoad extends Road {
  /** Creates the account of a caller, and returns its API key; null if it has no credentials. */
  createKey(caller: CallerName): Promise<string | null>;
  readonly serverPid: number;
  readonly postmasterPid: number;
  readonly agentPids: readonly number[];
  /** From its start until it is ready, its database started too. */
  readonly serverReadyMs: number;
  /** Start of the last agent that was started, by performance.now(). */
  agentStartedAt(): number;
}

/** Starts a control plane with its own PostgreSQL, whose anonymous callers have a day quota or none. */
export async function startVantageRoad(
  directory: string,
  { hasAnonymousQuota }: { readonly hasAnonymousQuota: boolean },
  stops: Stops,
): Promise<VantageRoad> {
  const dataDir = join(directory, 'control-plane');
  const server = new ControlPlane({
    VANTAGE_DATA_DIR: dataDir,
    VANTAGE_ALLOW_TARGETS: ALLOWED,
    VANTAGE_PLANS: plansWith(hasAnonymousQuota),
  });
  // creates the database, so that the start that is measured does not contain it
  await server.start();
  await server.stop();
  const startedAt = performance.now();
  await server.start();
  const serverReadyMs = performance.now() - startedAt;
  stops.push(() => server.stop());
  const { url } = server;
  const token = await server.createAdministrator();
  const postmaster = postmasterPid(dataDir);
  const agentPids: number[] = [];
  let agentStartedAt = Number.NaN;
  return {
    name: 'vantage',
    url,
    createKey: (caller) => createKey(server, caller),
    serverPid: server.pid,
    postmasterPid: postmaster,
    agentPids,
    serverReadyMs,
    agentStartedAt: () => agentStartedAt,
    usage: () => ({
      'control plane': usageOf([server.pid]),
      PostgreSQL: usageOfTree(postmaster),
      agent: usageOf(agentPids),
      'measuring child': usageOfChildren(agentPids),
    }),
    async haveAgents(count) {
      while (agentPids.length < count) {
        const stateDir = join(directory, `agent-${agentPids.length}`);
        const agent = await startAgent({ url, token, stateDir, settings: { VANTAGE_ALLOW_TARGETS: ALLOWED } }, stops);
        agentStartedAt = agent.startedAt;
        agentPids.push(agent.pid);
      }
      await untilOnline({ url, token }, count);
    },
  };
}

/** Plans by which the caller decides how many requests and node tests are allowed; the limit of waiting GETs follows from that of requests. */
function plansWith(hasAnonymousQuota: boolean): string {
  const plan = (hasDayQuota: boolean) => ({
    requests_per_minute: UNREACHED,
    node_tests_per_day: hasDayQuota ? UNREACHED : null,
  });
  return JSON.stringify({
    anonymous: plan(hasAnonymousQuota),
    [planOf.key]: plan(false),
    [planOf['key-quota']]: plan(true),
  });
}

async function createKey(server: ControlPlane, caller: CallerName): Promise<string | null> {
  if (caller === 'anonymous' || caller === 'anonymous-quota') return null;
  const plan = planOf[caller];
  const email = `${plan}@example.com`;
  await server.run('user', 'create', '--email', email);
  await server.run('user', 'set-plan', '--email', email, '--plan', plan);
  const token = await server.run('token', 'create', '--user', email, '--scopes', 'probe,account');
  const client = new ApiClient({ url: server.url, token });
  const { key } = await client.call<{ key: string }>('POST', '/v1/account/api-keys', { name: plan, scopes: ['probe'] });
  return key;
}
