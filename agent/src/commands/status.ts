import { accessSync, constants, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import { jsonText } from '@vantage/shared/terminal/plain-text.js';
import { withProgramCalls } from '@vantage/shared/terminal/program-call.js';
import { screenOf } from '@vantage/shared/terminal/screen.js';
import type { ReadAgentStatus } from '../agent-status.js';
import { type AgentConfig, readEnv } from '../config.js';
import { CommandError, type ExitName } from '../exit-codes.js';
import { findIdentity } from '../identity/identity.js';
import { isStateDirectoryInUse } from '../identity/state-directory.js';
import { SpoolOpenError } from '../spool/errors.js';
import { inspectSpool } from '../spool/inspect.js';
import { describeStoredSpool, type SpoolStatus } from '../spool-status.js';
import { readStatus } from '../status-file.js';
import type { StatusReport } from './status-report.js';
import { readableStatus } from './status-text.js';

/** A status older than this is of an agent that hangs or whose disk takes nothing, milliseconds. */
const MAX_AGE_MS = 30_000;
/** The status file needs a block or two. */
const LEAST_FREE_BYTES = 16 * 1024;

/** Facts collected before anything is judged. */
export interface StatusFacts {
  readonly stateDir: string;
  readonly identity: { readonly nodeId: string; readonly controlUrls: readonly string[] } | null;
  /** True if a process holds the state directory. */
  readonly isInUse: boolean;
  readonly agent: ReadAgentStatus | null;
  /** Reason why no status file can be written, as far as that can be determined; null if none was found. */
  readonly diskProblem: string | null;
  readonly readSpool: () => SpoolStatus | null;
  readonly nowMs: number;
}

/** Prints what the agent of this state directory is doing. */
export async function status(config: AgentConfig, options: { readonly json: boolean }): Promise<ExitName> {
  const env = readEnv();
  const nowMs = systemClock.now();
  const report = judgeStatus(await collectFacts(config.stateDir, nowMs));
  process.stdout.write(
    options.json
      ? `${jsonText(report)}\n`
      : withProgramCalls(readableStatus(report, nowMs, screenOf(process.stdout, env)), env),
  );
  if (report.node_id === null) return 'notEnrolled';
  return report.is_connected ? 'ok' : 'failed';
}

/** Pure but for readSpool: what these facts mean. */
export function judgeStatus(facts: StatusFacts): StatusReport {
  const { stateDir, identity, isInUse, agent } = facts;
  const problem = findProblem(facts);
  const isHeard = isInUse && problem === null;
  return {
    is_running: isInUse,
    is_connected: isHeard && agent?.link.state === 'open',
    state_dir: stateDir,
    node_id: identity?.nodeId ?? null,
    control_urls: identity?.controlUrls ?? [],
    problem,
    agent,
    stored_spool: isHeard ? null : facts.readSpool(),
  };
}

function findProblem({ stateDir, identity, isInUse, agent, diskProblem, nowMs }: StatusFacts): string | null {
  if (identity === null) return `this machine is not enrolled: run \`vantage-agent enroll\`, or use --state-dir`;
  if (!isInUse && agent === null) return 'no agent runs with this state directory';
  if (!isInUse) return `the agent ended unexpectedly (process ${agent?.pid}, last heard from ${agent?.updated_at})`;
  const because = diskProblem === null ? '' : `: ${diskProblem}`;
  if (agent === null) return `an agent uses "${stateDir}" and has not reported anything yet${because}`;
  const ageMs = nowMs - Date.parse(agent.updated_at);
  if (ageMs > MAX_AGE_MS) return `the agent has not reported anything for ${Math.round(ageMs / 1000)} s${because}`;
  return null;
}

/** Facts about the agent of a state directory, now. @throws CommandError when this user may not read it */
export async function collectFacts(stateDir: string, nowMs: number): Promise<StatusFacts> {
  try {
    return {
      stateDir,
      identity: await findIdentity(stateDir),
      isInUse: isStateDirectoryInUse(stateDir),
      agent: await readStatus(stateDir),
      diskProblem: findDiskProblem(stateDir),
      readSpool: () => readSpool(stateDir),
      nowMs,
    };
  } catch (error) {
    if (!isRefused(error)) throw error;
    throw new CommandError(
      'failed',
      `"${stateDir}" cannot be read by this user: run this command as the user of the agent, or as root`,
      {
        cause: error,
      },
    );
  }
}

/** Status of the stored spool; null without one. A damaged one is moved aside by the agent when it starts. */
function readSpool(stateDir: string): SpoolStatus | null {
  try {
    return describeStoredSpool(inspectSpool(join(stateDir, 'spool')));
  } catch (error) {
    if (error instanceof SpoolOpenError) return null;
    throw error;
  }
}

function findDiskProblem(stateDir: string): string | null {
  try {
    const disk = statfsSync(stateDir);
    if (disk.bavail * disk.bsize < LEAST_FREE_BYTES) return 'its disk is full';
    accessSync(stateDir, constants.W_OK);
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS' ? 'its disk is read-only' : null;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}
