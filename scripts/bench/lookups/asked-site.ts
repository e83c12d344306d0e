import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiClient } from 'vantage-control/client/api-client.js';
import { ADMINISTRATOR_SCOPES } from '../../administrator-scopes.js';
import { Program, runToEnd } from '../../demo/program.js';

const root = dirname(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))));
const controlScript = join(root, 'control-plane', 'bin', 'vantage-control.js');
const agentScript = join(root, 'agent', 'bin', 'vantage-agent.js');
const LOOPBACK = '127.0.0.0/8';
const EMAIL = 'bench@example.com';
const READY_MS = 30_000;

/** A control plane with its own PostgreSQL and real agents, each a process, on loopback. */
export interface AskedSite {
  readonly url: string;
  /** Token of the administrator who owns the agents. */
  readonly token: string;
  stop(): Promise<void>;
}

/** Environment of each program, besides what every site has. */
export interface AskedSiteOptions {
  readonly agents: number;
  readonly controlPlane?: Readonly<Record<string, string>>;
  readonly agent: Readonly<Record<string, string>>;
}

/** Starts a site; resolves when its agents are online. */
export async function startAskedSite(options: AskedSiteOptions): Promise<AskedSite> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  const stops: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  const stop = async () => {
    for (let next = stops.pop(); next; next = stops.pop()) await next();
  };
  try {
    return { ...(await build(directory, options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(
  directory: string,
  { agents, controlPlane, agent }: AskedSiteOptions,
  stops: (() => unknown)[],
): Promise<Omit<AskedSite, 'stop'>> {
  const environment = {
    VANTAGE_DATA_DIR: join(directory, 'control-plane'),
    VANTAGE_LISTEN: '127.0.0.1:0',
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_LOG_LEVEL: 'info',
    VANTAGE_ALLOW_TARGETS: LOOPBACK,
    VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32',
    // counted as for any account, and never reached
    VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": 1000000000, "node_tests_per_day": 1000000000}}',
    ...controlPlane,
  };
  const server = new Program('serve', controlScript, ['serve'], environment);
  stops.push(() => server.stop());
  const url = await server.waitForLine((line) =>
    line.includes('"ready"') ? (JSON.parse(line) as { url: string }).url : null,
  );
  await runToEnd(controlScript, ['user', 'create', '--email', EMAIL, '--role', 'admin'], environment);
  const create = ['token', 'create', '--user', EMAIL, '--scopes', ADMINISTRATOR_SCOPES];
  const token = (await runToEnd(controlScript, create, environment)).trim();
  const client = new ApiClient({ url, token });
  const agentEnvironment = { VANTAGE_ALLOW_TARGETS: LOOPBACK, VANTAGE_LOG_LEVEL: 'warn', ...agent };
  for (let n = 1; n <= agents; n += 1) {
    const { token: enrollment } = await client.call<{ token: string }>('POST', '/v1/nodes/enrollment-tokens', {});
    const state = ['--state-dir', join(directory, `agent-${n}`)];
    await runToEnd(agentScript, ['enroll', '--url', url, '--token', '-', ...state], agentEnvironment, enrollment);
    const started = new Program(`agent ${n}`, agentScript, ['run', ...state], agentEnvironment);
    stops.push(() => started.stop());
  }
  await allOnline(client, agents);
  return { url, token };
}

async function allOnline(client: ApiClient, agents: number): Promise<void> {
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; ) {
    const { items } = await client.call<{ readonly items: readonly object[] }>('GET', '/v1/nodes?status=online');
    if (items.length === agents) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not all of ${agents} agents were online within ${READY_MS / 1_000} s`);
}
