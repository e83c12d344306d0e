import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import type { Declared } from './peer-agent.js';
import { type Ending, Program, type ProgramOptions, runProgram } from './program.js';
import type { TestApi } from './stack.js';
import { temporaryDirectory } from './temporary-directory.js';

export const AGENT_SCRIPT = fileURLToPath(new URL('../../../../agent/bin/vantage-agent.js', import.meta.url));

/** Output of `vantage-agent status --json`; the part that tests read. */
export interface AgentStatus {
  readonly is_running: boolean;
  readonly is_connected: boolean;
  readonly agent: { readonly spool: { readonly rows: number; readonly dropped: number } } | null;
}

/** Runs a command of vantage-agent to its end. */
export function runAgentCommand(options: ProgramOptions): Promise<Ending> {
  return runProgram(AGENT_SCRIPT, options);
}

export interface EnrollOptions {
  readonly name?: string;
  readonly declared?: Pick<Declared, 'country' | 'asn'>;
}

/** Ways in which an agent may be run that differ from this checkout with its default settings. */
export interface LaunchOptions {
  /** The installed program; default: this checkout's. */
  readonly script?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A node whose agent is the real program, enrolled and run as its operator would. */
export class RealAgent {
  #program: Program | null = null;

  private constructor(
    private readonly t: Test,
    private readonly api: TestApi,
    readonly nodeId: string,
    readonly stateDir: string,
  ) {}

  /** Enrolls a node by the command line, with a token of the caller of `api`, and runs it until it is online. */
  static async start(t: Test, api: TestApi, options: EnrollOptions = {}): Promise<RealAgent> {
    const agent = await RealAgent.enroll(t, api, options);
    await agent.run();
    return agent;
  }

  /** Enrolls a node by the command line. */
  static async enroll(t: Test, api: TestApi, { name = 'real', declared = {} }: EnrollOptions = {}): Promise<RealAgent> {
    const stateDir = path.join(temporaryDirectory(t), 'agent');
    const { body } = await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} });
    const place = Object.entries(declared).flatMap(([field, value]) => [`--${field}`, String(value)]);
    const ending = await runAgentCommand({
      args: ['enroll', '--url', api.url, '--token', '-', '--name', name, '--state-dir', stateDir, '--json', ...place],
      input: body.data.token,
    });
    if (ending.code !== 0) throw new Error(`enrollment failed: ${ending.stderr}`);
    return new RealAgent(t, api, JSON.parse(ending.stdout).node_id, stateDir);
  }

  /** Starts the agent's process without waiting for anything. */
  launch({ script = AGENT_SCRIPT, environment = {} }: LaunchOptions = {}): Program {
    this.#program = Program.start(this.t, script, {
      args: ['run', '--state-dir', this.stateDir],
      environment: { VANTAGE_ALLOW_TARGETS: '127.0.0.0/8,::1/128', ...environment },
    });
    return this.#program;
  }

  /** Starts the agent's process and waits until the control plane reports the node as online. */
  async run(options: LaunchOptions = {}): Promise<Program> {
    const program = this.launch(options);
    await this.waitUntilOnline();
    return program;
  }

  /** Waits until the control plane at `api` reports the node as online. */
  async waitUntilOnline(api: TestApi = this.api): Promise<void> {
    await until('the agent to be online', async () => {
      const { body } = await api.call('GET', `/v1/nodes/${this.nodeId}`);
      return body.data?.status === 'online';
    });
  }

  get program(): Program {
    if (this.#program === null) throw new Error('the agent was not started');
    return this.#program;
  }

  /** kill -9; returns the time of it, in milliseconds since the epoch. */
  async kill(): Promise<number> {
    const killedAt = Date.now();
    await this.program.kill();
    return killedAt;
  }

  /** Status as the operator sees it. */
  async status(): Promise<AgentStatus> {
    const { stdout } = await runAgentCommand({ args: ['status', '--json', '--state-dir', this.stateDir] });
    return JSON.parse(stdout);
  }

  /**
   * Waits until the agent reports that its link is open, or closed, and that its spool holds the given number of
   * results.
   */
  async waitForStatus({ isConnected, rows }: { isConnected: boolean; rows: number }): Promise<void> {
    await until(`a ${isConnected ? 'linked' : 'lonely'} agent with ${rows} results in its spool`, () => {
      const status = this.#readStatusFile();
      if (status?.pid !== this.program.pid) return false;
      return (status.link.state === 'open') === isConnected && status.spool.rows === rows;
    });
  }

  /**
   * The command's output, without a process for every read; an earlier process may have left it. Null before the first.
   */
  #readStatusFile(): { pid: number; link: { state: string }; spool: { rows: number } } | null {
    const file = path.join(this.stateDir, 'status.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  }

  /** The measuring process, the older one while it is being replaced; null while there is none. */
  get measuringPid(): number | null {
    const { pid } = this.program;
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return child ? Number(child) : null;
  }
}
