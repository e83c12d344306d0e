import type { Knex } from 'knex';
import { Slices } from '../../../runtime/slices.js';
import type { CountEvent } from '../definition/monitor-counts.js';
import { performEffects } from '../judging/episodes.js';
import {
  endPause,
  type JudgedRow,
  type NewState,
  openEventOf,
  readJudged,
  updateState,
} from '../judging/state-store.js';
import { type Effect, transition } from '../judging/transition.js';
import type { MaintenanceAt, MaintenanceNow } from '../maintenance/maintenance-reads.js';
import type { HeartbeatEffect, HeartbeatState } from './heartbeat-state.js';
import { type HeartbeatRow, readHeartbeats, updateDurations, updateJudged } from './store.js';
import { dueAt, judged, judgingSteps, toColumns } from './stored-state.js';

interface HeartbeatJudgingOptions {
  /** Reads which monitors are inside a maintenance window at an instant, and when the last window of each ended. */
  readonly maintenance: MaintenanceAt;
  /** Counts changes of events; absent: they are not counted. */
  readonly countEvent?: CountEvent;
}

interface Context {
  readonly maintenance: MaintenanceNow;
  readonly nowMs: number;
}

/** Change of health caused by pings or their absence. */
type Verdict = Extract<HeartbeatEffect, { kind: 'up' | 'down' }>;

const NO_MAINTENANCE: MaintenanceNow = { isNow: false, untilMs: null, endedAtMs: null };
/** Interval at which a heartbeat that is down inside a maintenance window is judged, since an event opens at its end. */
const MAINTENANCE_LOOK_MS = 10_000;

/** Judges heartbeats from their pings and the time, and writes the changes in one transaction, as for other monitors. */
export class HeartbeatJudging {
  constructor(private readonly options: HeartbeatJudgingOptions) {}

  /** Judges heartbeats in the transaction in which the caller has locked them. */
  async judge(trx: Knex, monitorIds: readonly string[], nowMs: number): Promise<void> {
    const monitors = await readJudged(trx, monitorIds);
    const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
    const heartbeats = await readHeartbeats(trx, monitorIds);
    const maintenance = await this.options.maintenance(trx, monitors, nowMs);
    const written = [];
    const slices = new Slices();
    for (const row of heartbeats) {
      await slices.spend(judgingSteps(row));
      const monitor = byId.get(row.monitor_id);
      if (monitor === undefined) continue;
      const context = { maintenance: maintenance.get(row.monitor_id) ?? NO_MAINTENANCE, nowMs };
      written.push(await this.#judgeOne(trx, { monitor, row }, context));
    }
    await updateJudged(trx, written);
  }

  async #judgeOne(trx: Knex, { monitor, row }: { monitor: JudgedRow; row: HeartbeatRow }, context: Context) {
    const { state, effects, rule } = judged(row, context.nowMs);
    const columns = toColumns(state, rule);
    const isHeld = row.is_active && (await this.#publish(trx, monitor, { effects, state, context }));
    await updateDurations(trx, durationsOf(row, effects));
    return {
      monitor_id: row.monitor_id,
      ...columns,
      judged_seq: row.pings.at(-1)?.seq ?? row.judged_seq,
      due_at: isHeld ? new Date(context.nowMs + MAINTENANCE_LOOK_MS) : dueAt(columns),
    };
  }

  /** Writes and publishes verdicts. @returns true if the heartbeat is down without an event because of a maintenance window */
  async #publish(
    trx: Knex,
    monitor: JudgedRow,
    { effects, state, context }: { effects: readonly HeartbeatEffect[]; state: HeartbeatState; context: Context },
  ): Promise<boolean> {
    const happened = effects.filter((effect): effect is Verdict => effect.kind !== 'measured');
    const { state: known, steps } = follow(monitor, verdictsOf(happened, state), context);
    const firstCheckAt = monitor.first_check_at ?? firstOf(happened);
    const isSame = known.health === monitor.health && known.resolved === monitor.resolved_type && steps.length === 0;
    const isChanged = !isSame || firstCheckAt !== monitor.first_check_at;
    const decidedAt = firstOf(happened);
    if (monitor.health === 'unknown' && decidedAt !== null) await endPause(trx, monitor.id, decidedAt);
    if (isChanged)
      await this.#write(trx, monitor, {
        health: known.health,
        resolvedType: known.resolved,
        firstCheckAt,
        decidedAt: firstOf(happened.slice(-1)),
      });
    for (const { effects: wanted, reason } of steps) {
      const { countEvent } = this.options;
      await performEffects(trx, monitor, { effects: wanted, reasonOf: () => reason, countEvent });
    }
    return known.health === 'down' && known.event === null && known.resolved === null;
  }

  async #write(
    trx: Knex,
    { id: monitorId, version }: JudgedRow,
    state: Pick<NewState, 'health' | 'resolvedType' | 'firstCheckAt' | 'decidedAt'>,
  ): Promise<void> {
    const isWritten = await updateState(trx, { monitorId, version, failingNodes: [], isFlapping: false, ...state });
    // a user who resolves the event writes the state too: the heartbeat is judged again shortly
    if (!isWritten) throw new Error(`state of heartbeat "${monitorId}" changed under its lock`);
  }
}

/** Verdicts to apply; a heartbeat that is down repeats its verdict, since a maintenance window may have held back its event. */
function verdictsOf(happened: readonly Verdict[], { down }: HeartbeatState): readonly Verdict[] {
  return down === null || happened.at(-1)?.kind === 'down' ? happened : [...happened, { kind: 'down', ...down }];
}

function firstOf([first]: readonly Verdict[]): Date | null {
  return first === undefined ? null : new Date(first.atMs);
}

/** Applies verdicts to the state of the monitor, one after another. */
function follow(monitor: JudgedRow, verdicts: readonly Verdict[], { maintenance }: Context) {
  const { health, resolved_type: resolved } = monitor;
  const notBeforeMs = Math.max(monitor.not_before.getTime(), maintenance.endedAtMs ?? 0);
  const steps: { readonly effects: readonly Effect[]; readonly reason: string }[] = [];
  let state: Parameters<typeof transition>[0] = { health, event: openEventOf(monitor), resolved };
  for (const verdict of verdicts) {
    const judgment = { health: verdict.kind, decidedAtMs: verdict.atMs, failingNodes: [], impairedNodes: [] };
    const next = transition(state, { judgment, isInMaintenance: maintenance.isNow, notBeforeMs });
    state = next.state;
    if (next.effects.length > 0)
      steps.push({ effects: next.effects, reason: verdict.kind === 'down' ? verdict.reason : '' });
  }
  return { state, steps };
}

function durationsOf({ monitor_key, pings }: HeartbeatRow, effects: readonly HeartbeatEffect[]) {
  const at = new Map(pings.map((ping) => [ping.seq, new Date(ping.at)]));
  return effects.flatMap((effect) => {
    const came = effect.kind === 'measured' ? at.get(effect.seq) : undefined;
    if (effect.kind !== 'measured' || came === undefined) return [];
    return [{ monitor_key, seq: effect.seq, at: came, duration_ms: effect.durationMs }];
  });
}
