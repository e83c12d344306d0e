import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { AgentStatus } from '../agent-status.js';
import type { AgentConfig } from '../config.js';
import { readStatus } from '../status-file.js';

/** A status older than this is of an agent that hangs or whose disk is full, milliseconds. */
const MAX_AGE_MS = 30_000;

/** What `status` tells: the agent's own word, and whether it can still be believed. */
export interface StatusReport {
  readonly is_running: boolean;
  readonly is_connected: boolean;
  readonly state_dir: string;
  /** Why `agent` is null or out of date. */
  readonly problem: string | null;
  readonly agent: AgentStatus | null;
}

/** Prints what the agent of this state directory is doing. */
export async function status(
  config: AgentConfig,
  options: { readonly json: boolean; readonly nowMs: number },
): Promise<'ok' | 'failed'> {
  const report = judgeStatus(config.stateDir, await readStatus(config.stateDir), options.nowMs, isProcessAlive);
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : readableStatus(report));
  return report.is_connected ? 'ok' : 'failed';
}

/** Pure: what a status file of this content means at `nowMs`. */
export function judgeStatus(
  stateDir: string,
  agent: AgentStatus | null,
  nowMs: number,
  isAlive: (pid: number) => boolean,
): StatusReport {
  const base = { state_dir: stateDir, agent };
  if (agent === null)
    return { ...base, is_running: false, is_connected: false, problem: 'no agent runs with this state directory' };
  if (!isAlive(agent.pid))
    return {
      ...base,
      is_running: false,
      is_connected: false,
      problem: `the agent ended without a word (process ${agent.pid})`,
    };
  const ageMs = nowMs - Date.parse(agent.updated_at);
  if (ageMs > MAX_AGE_MS)
    return {
      ...base,
      is_running: true,
      is_connected: false,
      problem: `the agent has said nothing for ${Math.round(ageMs / 1000)} s`,
    };
  return { ...base, is_running: true, is_connected: agent.link.state === 'open', problem: null };
}

function readableStatus({ problem, agent, is_running, state_dir }: StatusReport): string {
  const rows: [string, string][] = [['state', problem ?? 'running']];
  if (agent !== null && is_running) rows.push(...agentRows(agent));
  rows.push(['state directory', state_dir]);
  return `${rows.map(([name, text]) => `${name.padEnd(20)}${text}`).join('\n')}\n`;
}

function agentRows({ link, clock, spool, ...agent }: AgentStatus): [string, string][] {
  const rows: [string, string][] = [
    ['node', agent.node_id],
    ['process', `${agent.pid}, since ${agent.started_at}, version ${agent.version}`],
    ['link', `${link.state}${link.url === null ? '' : ` (${link.url})`}, since ${link.since}`],
  ];
  if (link.last_end !== null)
    rows.push(['last link end', `${link.last_end.reason} at ${link.last_end.at}: ${textCell(link.last_end.message)}`]);
  rows.push(['clock', readableClock(clock)]);
  rows.push([
    'spool',
    `${spool.rows} results (${spool.bytes} bytes) not delivered, ${spool.dropped} dropped${spool.problem === null ? '' : `; ${spool.problem}`}`,
  ]);
  rows.push(['probes running', String(agent.running)]);
  for (const check of agent.self_test?.checks ?? [])
    rows.push([`self-test ${check.name}`, `${check.status}: ${textCell(check.detail)}`]);
  rows.push(['capabilities', agent.capabilities.join(', ') || 'none beyond plain sockets']);
  return rows;
}

function readableClock({ offset_ms, uncertainty_ms }: AgentStatus['clock']): string {
  if (uncertainty_ms < 0) return 'not compared yet';
  const side = offset_ms >= 0 ? 'behind' : 'ahead of';
  return `${Math.abs(offset_ms).toFixed(1)} ms ${side} the control plane, ± ${uncertainty_ms.toFixed(1)} ms`;
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // it is there, but somebody else's
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
