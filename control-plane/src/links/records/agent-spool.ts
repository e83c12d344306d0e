import type { DecodedAgentFrame } from '@vantage/shared/protocol/codec.js';

type Heartbeat = NonNullable<DecodedAgentFrame['heartbeat']>;

/** Spool of an agent as its last heartbeat reported it; not measured here. */
export interface AgentSpool {
  /** Rows it holds unacknowledged. */
  readonly rows: number;
  /** Payload bytes of these rows. */
  readonly bytes: number;
  /** Age of the oldest of them, in milliseconds; 0: none. */
  readonly oldestMs: number;
  /** Rows dropped since the spool file was created. */
  readonly dropped: number;
  /** Reason why its disk takes no rows at present, one line; null if it takes them. */
  readonly problem: string | null;
}

/** Spool before the first heartbeat. */
export const emptyAgentSpool: AgentSpool = { rows: 0, bytes: 0, oldestMs: 0, dropped: 0, problem: null };

const MAX_PROBLEM_LENGTH = 200;

/** Spool as a heartbeat reports it; a node may send anything, and an agent of an older version sends less. */
export function parseAgentSpool(heartbeat: Heartbeat): AgentSpool {
  const problem = heartbeat.spoolProblem.slice(0, MAX_PROBLEM_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, ' ');
  return {
    rows: heartbeat.spoolRows,
    bytes: Math.max(0, heartbeat.spoolBytes),
    oldestMs: Math.max(0, heartbeat.spoolOldestMs),
    dropped: Math.max(0, heartbeat.spoolDropped),
    problem: problem === '' ? null : problem,
  };
}
