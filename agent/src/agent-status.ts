import type { Clock } from '@vantage/shared/clock.js';
import type { SelfTestCheck } from '@vantage/shared/self-test.js';
import type { ClockSync } from './link/clock-sync.js';
import type { Jobs } from './link/jobs.js';
import type { Link, LinkStatus } from './link/link.js';
import type { MeasuringProcess } from './measuring/measuring-process.js';
import type { SelfTest } from './self-test/self-test.js';
import type { Spool } from './spool/spool.js';
import { AGENT_VERSION } from './version.js';

/** What a running agent says of itself; `vantage-agent status` prints it. Field names are part of that command. */
export interface AgentStatus {
  readonly pid: number;
  readonly version: string;
  readonly node_id: string;
  /** ISO 8601. */
  readonly started_at: string;
  readonly updated_at: string;
  readonly link: {
    readonly state: LinkStatus['state'];
    readonly url: string | null;
    readonly since: string;
    readonly last_end: { readonly reason: string; readonly message: string; readonly at: string } | null;
  };
  /** Server time minus this machine's; uncertainty -1: never exchanged. */
  readonly clock: { readonly offset_ms: number; readonly uncertainty_ms: number };
  readonly spool: {
    readonly rows: number;
    readonly bytes: number;
    readonly oldest_at: string | null;
    readonly dropped: number;
    readonly problem: string | null;
  };
  /** Probes in flight. */
  readonly running: number;
  readonly capabilities: readonly string[];
  /** Null before the first. */
  readonly self_test: { readonly finished_at: string; readonly checks: readonly SelfTestCheck[] } | null;
}

/** The status of an agent that consists of these parts, now. */
export function describeAgent(parts: {
  readonly nodeId: string;
  readonly startedAt: number;
  readonly link: Link;
  readonly spool: Spool;
  readonly jobs: Jobs;
  readonly measuring: MeasuringProcess;
  readonly selfTest: SelfTest;
  readonly clockSync: ClockSync;
  readonly clock: Clock;
}): AgentStatus {
  const { state, url, since, lastEnd } = parts.link.status;
  const { offsetMs, uncertaintyMs } = parts.clockSync.estimate();
  const { oldestAt, rows, bytes, dropped, problem } = parts.spool.stats();
  return {
    pid: process.pid,
    version: AGENT_VERSION,
    node_id: parts.nodeId,
    started_at: isoTime(parts.startedAt),
    updated_at: isoTime(parts.clock.now()),
    link: {
      state,
      url,
      since: isoTime(since),
      last_end: lastEnd === null ? null : { reason: lastEnd.kind, message: lastEnd.message, at: isoTime(lastEnd.at) },
    },
    clock: { offset_ms: offsetMs, uncertainty_ms: uncertaintyMs },
    spool: { rows, bytes, oldest_at: oldestAt === null ? null : isoTime(oldestAt), dropped, problem },
    running: parts.jobs.running,
    capabilities: parts.measuring.capabilities,
    self_test: parts.selfTest.latest && {
      finished_at: isoTime(parts.selfTest.latest.finishedAt),
      checks: parts.selfTest.latest.checks,
    },
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
