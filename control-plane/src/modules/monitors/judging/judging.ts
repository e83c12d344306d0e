import { FLAP_RESULTS, isFlapping } from '@vantage/shared/monitor-state/flapping.js';
import { judgeQuorum, parseQuorum, type QuorumJudgment } from '@vantage/shared/monitor-state/quorum.js';
import type { Knex } from 'knex';
import { publish } from '../../../events/index.js';
import type { CountEvent } from '../definition/monitor-counts.js';
import { HEARTBEAT } from '../definition/type-names.js';
import { monitorName, subjectOf } from '../events/event-fields.js';
import { listSpansSince } from '../events/event-store.js';
import type { MaintenanceAt, MaintenanceNow } from '../maintenance/maintenance-reads.js';
import { eligibleVotes } from './eligibility.js';
import { performEffects } from './episodes.js';
import { eventReason } from './event-reason.js';
import { publishNoData } from './no-data.js';
import { recentHealth, withEffects } from './recent-health.js';
import {
  endPause,
  insertDue,
  type JudgedRow,
  type NewState,
  openEventOf,
  readJudged,
  updateState,
} from './state-store.js';
import { type Effect, type MonitorState, transition } from './transition.js';

interface JudgingOptions {
  readonly maintenance: MaintenanceAt;
  /** Counts changes of events; absent: they are not counted. */
  readonly countEvent?: CountEvent;
}

const NO_MAINTENANCE: MaintenanceNow = { isNow: false, untilMs: null, endedAtMs: null };

/** Judges monitors from the votes of their nodes, and writes the changes in one transaction: state, monitor event and its notification. */
export class Judging {
  constructor(private readonly options: JudgingOptions) {}

  /** Judges monitors in the caller's transaction. @returns monitors that another replica has judged meanwhile: they are due again */
  async judge(trx: Knex, monitorIds: readonly string[], nowMs: number): Promise<string[]> {
    const rows = await readJudged(trx, monitorIds);
    // heartbeats are judged from their pings, in heartbeat-judging.ts
    const active = rows.filter(({ status, type }) => status === 'active' && type !== HEARTBEAT);
    const maintenance = await this.options.maintenance(trx, active, nowMs);
    const overtaken: string[] = [];
    for (const row of active) {
      const isWritten = await this.#judgeOne(trx, row, {
        maintenance: maintenance.get(row.id) ?? NO_MAINTENANCE,
        nowMs,
      });
      if (!isWritten) overtaken.push(row.id);
    }
    await insertDue(trx, overtaken);
    return overtaken;
  }

  async #judgeOne(
    trx: Knex,
    row: JudgedRow,
    { maintenance, nowMs }: { readonly maintenance: MaintenanceNow; readonly nowMs: number },
  ): Promise<boolean> {
    const quorum = parseQuorum(row.fail_node_quorum);
    if (quorum === null) throw new RangeError(`monitor "${row.id}" has no quorum`);
    const votes = eligibleVotes(row.votes, row.interval_s, nowMs);
    const judgment = judgeQuorum(quorum, votes, row.votes.length);
    const event = openEventOf(row);
    const notBeforeMs = Math.max(row.not_before.getTime(), maintenance.endedAtMs ?? 0);
    const { state, effects } = transition(
      { health: row.health, event, resolved: row.resolved_type },
      { judgment, isInMaintenance: maintenance.isNow, notBeforeMs },
    );
    const flaps = await this.#flaps(trx, row, { effects, nowMs });
    const next = newStateOf(row, judgment, { ...state, isFlapping: flaps });
    if (next === null && effects.length === 0) return true;
    if (!(await updateState(trx, next ?? unchanged(row)))) return false;
    if (row.health === 'unknown' && judgment.decidedAtMs !== null)
      await endPause(trx, row.id, new Date(judgment.decidedAtMs));
    await performEffects(trx, row, {
      effects,
      reasonOf: (affected) => reasonOf(row, affected, judgment),
      countEvent: this.options.countEvent,
      isFlapping: flaps || row.is_flapping,
    });
    if (row.no_data_at !== null && state.health !== 'unknown')
      await publishNoData(trx, row, { since: row.no_data_at, isOver: true });
    if (flaps !== row.is_flapping) {
      const payload = { monitor: monitorName(row), is_flapping: flaps, is_up: state.event === null };
      await publish(trx, { kind: 'monitor.flapping', ...subjectOf(row), payload });
    }
    return true;
  }

  /** True if a monitor flaps now. */
  async #flaps(
    trx: Knex,
    { id, interval_s, is_flapping }: JudgedRow,
    { effects, nowMs }: { readonly effects: readonly Effect[]; readonly nowMs: number },
  ): Promise<boolean> {
    if (effects.length === 0 && !is_flapping) return false;
    const intervalMs = interval_s * 1_000;
    const events = await listSpansSince(trx, id, new Date(nowMs - FLAP_RESULTS * intervalMs));
    const health = recentHealth(withEffects(events, effects), intervalMs, nowMs);
    return isFlapping(is_flapping, health);
  }
}

function reasonOf({ votes }: JudgedRow, affected: readonly string[], { eligible }: QuorumJudgment): string {
  const errors = votes.flatMap(({ node_id, error }) => (error !== null && affected.includes(node_id) ? [error] : []));
  return eventReason(affected.length, eligible, errors);
}

/** State after a judgment; null if nothing changes, as in most judgments. */
function newStateOf(
  row: JudgedRow,
  judgment: QuorumJudgment,
  { health, resolved, isFlapping: flaps }: MonitorState & { readonly isFlapping: boolean },
): NewState | null {
  // below the quorum; above it the event names them
  const failingNodes = health === 'up' || health === 'degraded' ? judgment.failingNodes : [];
  const isFirst = row.first_check_at === null && judgment.decidedAtMs !== null;
  const isSame =
    health === row.health &&
    resolved === row.resolved_type &&
    flaps === row.is_flapping &&
    String(failingNodes) === String(row.failing_nodes);
  if (isSame && !isFirst) return null;
  const decidedAt = judgment.decidedAtMs === null ? null : new Date(judgment.decidedAtMs);
  return {
    ...unchanged(row),
    health,
    resolvedType: resolved,
    failingNodes,
    isFlapping: flaps,
    firstCheckAt: isFirst ? decidedAt : null,
    decidedAt,
  };
}

function unchanged(row: JudgedRow): NewState {
  return {
    monitorId: row.id,
    version: row.version,
    health: row.health,
    resolvedType: row.resolved_type,
    failingNodes: row.failing_nodes,
    isFlapping: row.is_flapping,
    firstCheckAt: null,
    decidedAt: null,
  };
}
