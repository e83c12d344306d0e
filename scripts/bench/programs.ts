import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiClient } from 'vantage-control/client/api-client.js';
import { ADMINISTRATOR_SCOPES } from '../administrator-scopes.js';
import { installedFlags } from '../demo/installed-flags.js';
import { Program, runToEnd } from '../demo/program.js';
import { BenchError, type Stops } from './harness.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const controlScript = join(root, 'control-plane', 'bin', 'vantage-control.js');
/** The installed command of the agent. */
export const agentScript = join(root, 'agent', 'bin', 'vantage-agent.js');
const EMAIL = 'bench@example.com';
const ONLINE_WITHIN_MS = 30_000;
/** Limits are counted as for any account, and never reached. */
export const UNREACHED = 1_000_000_000;

/** Environment of a process, by variable. */
export type Environment = Readonly<Record<string, string>>;

/** A control plane as it is installed, on loopback, in a process of its own. */
export class ControlPlane {
  readonly #settings: Environment;
  #server: Program | null = null;
  url = '';

  /** `settings`: by variable; they name a data directory. */
  constructor(settings: Environment) {
    const common = { VANTAGE_LISTEN: '127.0.0.1:0', VANTAGE_METRICS_LISTEN: 'off', VANTAGE_LOG_LEVEL: 'warn' };
    this.#settings = { ...common, ...settings };
  }

  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  /** Starts the server; resolves when it is ready. */
  async start(): Promise<void> {
    const environment = { ...this.#settings, VANTAGE_LOG_LEVEL: 'info' };
    this.#server = new Program('serve', controlScript, ['serve'], environment);
    this.url = await this.#server.waitForLine((line) =>
      line.includes('"ready"') ? (JSON.parse(line) as { url: string }).url : null,
    );
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  /** Kills the server with SIGKILL and starts the next one; resolves when it is ready. */
  async restart(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.#server?.ended;
    await this.start();
  }

  /** Runs a command of it to its end, and returns its output. */
  async run(...args: readonly string[]): Promise<string> {
    return (await runToEnd(controlScript, args, this.#settings)).trim();
  }

  /** Creates the administrator, and returns a token of theirs. */
  async createAdministrator(): Promise<string> {
    await this.run('user', 'create', '--email', EMAIL, '--role', 'admin');
    return this.run('token', 'create', '--user', EMAIL, '--scopes', ADMINISTRATOR_SCOPES);
  }
}

/** Process id of the PostgreSQL whose data directory is in `dataDir`. */
export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Agent as it is installed, with its state in a directory. */
export interface AgentOptions {
  readonly url: string;
  /** Token of the administrator. */
  readonly token: string;
  readonly stateDir: string;
  readonly settings: Environment;
}

/** Enrolls an agent, and starts it. */
export async function startAgent(
  { url, token, stateDir, settings }: AgentOptions,
  stops: Stops,
): Promise<{ readonly pid: number; readonly startedAt: number }> {
  const environment = { VANTAGE_LOG_LEVEL: 'warn', ...settings };
  const client = new ApiClient({ url, token });
  const { token: enrollment } = await client.call<{ token: string }>('POST', '/v1/nodes/enrollment-tokens', {});
  const state = ['--state-dir', stateDir];
  await runToEnd(agentScript, ['enroll', '--url', url, '--token', '-', ...state], environment, enrollment);
  const flags = installedFlags(agentScript);
  const startedAt = performance.now();
  const agent = new Program('agent', agentScript, ['run', ...state], environment, flags);
  stops.push(() => agent.stop());
  return { pid: agent.pid, startedAt };
}

/** Resolves when as many nodes are online. @throws BenchError after half a minute */
export async function untilOnline({ url, token }: Pick<AgentOptions, 'url' | 'token'>, count: number): Promise<void> {
  const client = new ApiClient({ url, token });
  for (const deadline = performance.now() + ONLINE_WITHIN_MS; performance.now() < deadline; await pause(10)) {
    const { items } = await client.call<{ readonly items: readonly object[] }>('GET', '/v1/nodes?status=online');
    if (items.length === count) return;
  }
  throw new BenchError(`not all of ${count} agents were online within ${ONLINE_WITHIN_MS / 1_000} s`);
}

/** Forks a program of a benchmark, and waits for its first message. @throws BenchError when it ends before */
export async function startChild<T>(
  script: URL,
  args: readonly string[],
  { environment = {}, stops }: { readonly environment?: Environment; readonly stops: Stops },
): Promise<{ readonly child: ChildProcess; readonly pid: number; readonly message: T }> {
  const child = fork(fileURLToPath(script), [...args], { env: { ...process.env, ...environment } });
  const exited = once(child, 'exit');
  stops.push(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  const ended = exited.then(([code]) => {
    throw new BenchError(`${script.pathname.split('/').at(-1)} ended with ${code}`);
  });
  ended.catch(() => undefined);
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [T];
  return { child, pid: child.pid ?? 0, message };
}

/** Starts one of the servers of servers.ts. */
export async function startServer(
  name: string,
  stops: Stops,
  environment: Environment = {},
): Promise<{ readonly child: ChildProcess; readonly pid: number; readonly port: number; readonly url: string }> {
  const script = new URL('./servers.js', import.meta.url);
  const { message, ...started } = await startChild<{ port: number }>(script, [name], { environment, stops });
  return { ...started, port: message.port, url: `http://127.0.0.1:${message.port}` };
}
