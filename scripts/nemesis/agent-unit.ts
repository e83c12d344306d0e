import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from '../demo/program.js';
import { subjectOfExported } from '../invariants/slot-reports.js';
import type { Line } from './line.js';
import type { Recorder } from './recorder.js';
import { SmallDisk } from './small-disk.js';
import { ALLOWED } from './targets.js';
import { Unit } from './unit.js';

const script = fileURLToPath(new URL('../../../agent/bin/vantage-agent.js', import.meta.url));
const SPOOL_DISK = { mebibytes: 24 };
/** Exit code of an agent that is banned (agent/src/exit-codes.ts). */
const BANNED = 3;

/** Output of `vantage-agent status`, as far as it is used here. */
export interface AgentStatus {
  readonly pid: number;
  readonly link: { readonly state: string };
  /** Probes in flight. */
  readonly running: number;
  readonly spool: { readonly rows: number; readonly bytes: number; readonly dropped: number };
  readonly clock: { readonly offset_ms: number; readonly uncertainty_ms: number };
}

export interface AgentUnitOptions {
  readonly index: number;
  readonly stateDir: string;
  readonly logFile: string;
  /** URL at which it enrolls and to which it links. */
  readonly url: string;
  /** Lines to each replica. */
  readonly lines: readonly Line[];
  readonly recorder: Recorder;
}

/** The address an agent's links come from: it distinguishes them. */
export function agentAddress(index: number): string {
  return `127.0.1.${index + 1}`;
}

/** A node whose agent is the real program. */
export class AgentUnit {
  readonly name: string;
  readonly unit: Unit;
  readonly lines: readonly Line[];
  nodeId = '';
  /** Banned now: it may end by itself. */
  isBanned = false;
  readonly #options: AgentUnitOptions;
  #spoolDisk: SmallDisk | null = null;
  #isLinked = false;

  constructor(options: AgentUnitOptions) {
    this.#options = options;
    this.lines = options.lines;
    this.name = `agent-${options.index + 1}`;
    mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
    this.unit = new Unit({
      name: this.name,
      script,
      args: ['run', '--state-dir', options.stateDir],
      environment: this.#environment(),
      logFile: options.logFile,
      recorder: options.recorder,
      onLine: (line) => this.#take(line),
      onEnded: () => this.#said('offline'),
      mayEnd: (code) => (code === BANNED && this.isBanned ? 'stay-down' : 'no'),
    });
  }

  /** Enrolls it as a node, with the command that an operator types. */
  async enroll(token: string): Promise<void> {
    const { url, stateDir } = this.#options;
    const args = ['enroll', '--url', url, '--token', '-', '--name', this.name, '--state-dir', stateDir, '--json'];
    const answer = await runToEnd(script, args, this.#environment(), token);
    this.nodeId = (JSON.parse(answer) as { node_id: string }).node_id;
  }

  /**
   * True if the agent itself reports a link: the control plane knows of a link a moment before the agent that opened
   * it.
   */
  get isLinked(): boolean {
    return this.#isLinked;
  }

  /** True if the current process, not an earlier one, reports that nothing is measured or waits for delivery. */
  get isDelivered(): boolean {
    const status = this.status();
    if (status === null || status.pid !== this.unit.pid) return false;
    return status.running === 0 && status.spool.rows === 0;
  }

  /** File system of its spool, if that is separate. */
  get spoolDisk(): SmallDisk | null {
    return this.#spoolDisk;
  }

  /** Gives its spool a small file system of its own, before the agent runs. @returns a function that removes it */
  mountSpoolDisk(): () => Promise<void> {
    const disk = SmallDisk.mount(join(this.#options.stateDir, 'spool'), SPOOL_DISK);
    this.#spoolDisk = disk;
    return async () => disk.unmount();
  }

  /** Writes down which results are on the disk of an agent that is down: from now on they may not vanish. */
  async witnessSpool(): Promise<void> {
    const { stateDir, recorder } = this.#options;
    const args = ['spool', 'export', '--json', '--state-dir', stateDir];
    const lines = await runToEnd(script, args, this.#environment()).catch(() => '');
    for (const line of lines.split('\n')) {
      const subject = exportedSubject(line, this.nodeId);
      if (subject !== null) recorder.record('durable', { subject, nodeId: this.nodeId });
    }
  }

  /** Newest status of the agent; null when there is none that can be read. */
  status(): AgentStatus | null {
    try {
      return JSON.parse(readFileSync(join(this.#options.stateDir, 'status.json'), 'utf8')) as AgentStatus;
    } catch {
      return null;
    }
  }

  #environment(): Record<string, string> {
    return { VANTAGE_AGENT_BIND: agentAddress(this.#options.index), VANTAGE_ALLOW_TARGETS: ALLOWED };
  }

  #take(line: string): void {
    const message = messageOf(line);
    if (message === 'link open') this.#said('online');
    // the message of these lines depends on the reason
    else if (reasonOf(line) !== null) this.#said('offline');
  }

  #said(type: 'online' | 'offline'): void {
    this.#isLinked = type === 'online';
    if (this.nodeId !== '') this.#options.recorder.record(type, { nodeId: this.nodeId });
  }
}

/** Subject of a row of a spool; null for a line without one. */
function exportedSubject(line: string, nodeId: string): string | null {
  const kind = read(line, 'kind');
  if (kind === null) return null;
  return kind === '' ? read(line, 'task_id') : subjectOfExported(JSON.parse(line), nodeId);
}

function messageOf(line: string): string | null {
  return read(line, 'msg');
}

/** Reason why a link ended, from its log line. */
function reasonOf(line: string): string | null {
  return read(line, 'retryInMs') === null ? null : read(line, 'reason');
}

function read(line: string, field: string): string | null {
  try {
    const value = (JSON.parse(line) as Record<string, unknown>)[field];
    return value === undefined || value === null ? null : String(value);
  } catch {
    return null;
  }
}
