import type { DecodedAgentFrame } from '@vantage/shared/protocol/codec.js';

type Heartbeat = NonNullable<DecodedAgentFrame['heartbeat']>;

/** What an agent said of its spool in its last heartbeat: its word, not measured here. */
export interface AgentSpool {
  /** Rows it holds unacknowledged. */
  readonly rows: number;
  /** Payload bytes of these rows. */
  readonly bytes: number;
  /** How long the oldest of them has waited, milliseconds; 0: none waits. */
  readonly oldestMs: number;
  /** Rows it gave up since its spool file was made. */
  readonly dropped: number;
  /** Why its disk takes no rows at present, one line; null: it does. */
  readonly problem: string | null;
}

/** Before the first heartbeat. */
export const emptyAgentSpool: AgentSpool = { rows: 0, bytes: 0, oldestMs: 0, dropped: 0, problem: null };

const MAX_PROBLEM_LENGTH = 200;

/** The spool as a heartbeat tells it; a node may say anything, an agent of an older version says less. */
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
