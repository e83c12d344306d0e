import type { Clock } from '@vantage/shared/clock.js';
import type { Lane } from '@vantage/shared/protocol/lanes.js';
import type { SelfTestCheck } from '@vantage/shared/self-test.js';
import type { ClockSync } from './link/clock-sync.js';
import type { Jobs } from './link/jobs.js';
import type { Link, LinkStatus } from './link/link.js';
import type { MeasuringProcess } from './measuring/measuring-process.js';
import type { Schedule } from './schedule/schedule.js';
import type { SelfTest } from './self-test/self-test.js';
import type { Spool } from './spool/spool.js';
import { describeSpool, type SpoolStatus } from './spool-status.js';
import { AGENT_VERSION } from './version.js';

/**
 * Counters of the scheduler: checks and slots since the start, and the latest start of the last minute in
 * milliseconds after its slot.
 */
interface ScheduleStatus {
  readonly assignments: number;
  readonly running: number;
  readonly checks_done: number;
  readonly slots_missed: number;
  readonly worst_start_late_ms: number;
}

/** Status that a running agent writes; `vantage-agent status` prints it. Field names are part of that command. */
export interface AgentStatus {
  readonly pid: number;
  readonly version: string;
  readonly node_id: string;
  /** Generation of the newest connection; 0 before the first. */
  readonly generation: number;
  /** ISO 8601. */
  readonly started_at: string;
  readonly updated_at: string;
  readonly link: {
    readonly state: LinkStatus['state'];
    readonly url: string | null;
    readonly since: string;
    /** Time of the next dial; null unless the link is waiting. */
    readonly next_try_at: string | null;
    /** Rows of each lane that may be in flight; null while no link is open. */
    readonly credits: Readonly<Record<Lane, number>> | null;
    readonly last_end: { readonly reason: string; readonly message: string; readonly at: string } | null;
  };
  /** Server time minus this machine's; uncertainty -1: never exchanged. */
  readonly clock: { readonly offset_ms: number; readonly uncertainty_ms: number };
  readonly spool: SpoolStatus;
  /** Probes in flight. */
  readonly running: number;
  readonly schedule: ScheduleStatus;
  readonly capabilities: readonly string[];
  /** Newest self-test; null before the first. */
  readonly self_test: { readonly finished_at: string; readonly checks: readonly SelfTestCheck[] } | null;
}

/** The status as an agent of any version wrote it: those before monitors said nothing of them. */
export type ReadAgentStatus = Omit<AgentStatus, 'schedule'> & Partial<Pick<AgentStatus, 'schedule'>>;

/** The status of an agent that consists of these parts, now. */
export function describeAgent(parts: {
  readonly nodeId: string;
  readonly startedAt: number;
  readonly link: Link;
  readonly spool: Spool;
  readonly jobs: Jobs;
  readonly schedule: Schedule;
  readonly measuring: MeasuringProcess;
  readonly selfTest: SelfTest;
  readonly clockSync: ClockSync;
  readonly clock: Clock;
}): AgentStatus {
  const { state, url, since, nextTryAt, generation, lastEnd } = parts.link.status;
  const { offsetMs, uncertaintyMs } = parts.clockSync.estimate();
  return {
    pid: process.pid,
    version: AGENT_VERSION,
    node_id: parts.nodeId,
    generation,
    started_at: isoTime(parts.startedAt),
    updated_at: isoTime(parts.clock.now()),
    link: {
      state,
      url,
      since: isoTime(since),
      next_try_at: nextTryAt === null ? null : isoTime(nextTryAt),
      credits: parts.link.credits,
      last_end: lastEnd === null ? null : { reason: lastEnd.kind, message: lastEnd.message, at: isoTime(lastEnd.at) },
    },
    clock: { offset_ms: offsetMs, uncertainty_ms: uncertaintyMs },
    spool: describeSpool(parts.spool),
    running: parts.jobs.running,
    schedule: describeSchedule(parts.schedule),
    capabilities: parts.measuring.capabilities,
    self_test: parts.selfTest.latest && {
      finished_at: isoTime(parts.selfTest.latest.finishedAt),
      checks: parts.selfTest.latest.checks,
    },
  };
}

function describeSchedule(schedule: Schedule): ScheduleStatus {
  const { assignments, running, checksDone, slotsMissed, worstStartLateMs } = schedule.stats;
  return {
    assignments,
    running,
    checks_done: checksDone,
    slots_missed: slotsMissed,
    worst_start_late_ms: worstStartLateMs,
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
