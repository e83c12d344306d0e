import { ruleOf } from './heartbeat-config.js';
import { alertAfterMs, catchUp, type HeartbeatState, type Ping, type Rule, type Step } from './heartbeat-state.js';
import type { HeartbeatRow, PingRow, StateColumns } from './store.js';

/** Steps that a cron expression takes to read, and to find a time by. */
const CRON_STEPS = 1_000;

/** Steps that `judged` takes, as slices of long work count them. */
export function judgingSteps({ config, pings }: HeartbeatRow): number {
  return 10 + pings.length + (config.mode === 'cron' ? CRON_STEPS : 0);
}

/** State of a stored heartbeat at an instant, after its pings that have not been judged yet. */
export function judged(row: HeartbeatRow, nowMs: number): Step & { readonly rule: Rule } {
  const rule = ruleOf(row.config);
  if (!row.is_active) return { state: stateOf(row), effects: [], rule };
  return { ...catchUp(stateOf(row), rule, { pings: row.pings.map(toPing), nowMs }), rule };
}

/** The state of a row, as of the last judgment. */
export function stateOf(row: HeartbeatRow): HeartbeatState {
  const { phase, expected_at, started_at, started_rid, earlier_runs, down_at, down_reason } = row;
  return {
    phase,
    expectedAtMs: expected_at?.getTime() ?? null,
    run: started_at === null ? null : { startedAtMs: started_at.getTime(), rid: started_rid },
    earlierRuns: (earlier_runs ?? []).map(({ at, rid }) => ({ startedAtMs: Date.parse(at), rid })),
    down: down_at === null ? null : { atMs: down_at.getTime(), reason: down_reason ?? '' },
  };
}

/** Columns in which a state is stored. */
export function toColumns(state: HeartbeatState, rule: Rule): StateColumns {
  const { phase, expectedAtMs, run, earlierRuns, down } = state;
  const earlier = earlierRuns.map(({ startedAtMs, rid }) => ({ at: new Date(startedAtMs).toISOString(), rid }));
  return {
    phase,
    expected_at: toDate(expectedAtMs),
    alert_after: toDate(alertAfterMs(state, rule)),
    started_at: toDate(run?.startedAtMs ?? null),
    started_rid: run?.rid ?? null,
    earlier_runs: earlier.length === 0 ? null : earlier,
    down_at: toDate(down?.atMs ?? null),
    down_reason: down?.reason ?? null,
  };
}

/** The first instant at which the deadline of a state has passed. */
export function dueAt(columns: StateColumns): Date | null {
  return columns.alert_after === null ? null : new Date(columns.alert_after.getTime() + 1);
}

function toPing({ seq, kind, at, exit_code, lacks_text, rid }: PingRow): Ping {
  return { seq, kind, atMs: Date.parse(at), exitCode: exit_code, lacksText: lacks_text, rid };
}

function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
