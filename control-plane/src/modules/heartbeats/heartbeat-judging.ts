import type { Knex } from 'knex';
import {
  type CountEvent,
  type Effect,
  type JudgedRow,
  type MaintenanceAt,
  type MaintenanceNow,
  type NewState,
  type Notify,
  performEffects,
  readJudged,
  transition,
  updateState,
} from '../monitors/index.js';
import type { HeartbeatEffect, HeartbeatState } from './heartbeat-state.js';
import { type HeartbeatRow, readHeartbeats, updateDurations, updateJudged } from './store.js';
import { dueAt, judged, toColumns } from './stored-state.js';

interface HeartbeatJudgingOptions {
  /** Which of these monitors are inside a maintenance window at an instant, and when the last one of each ended. */
  readonly maintenance: MaintenanceAt;
  readonly notify: Notify;
  /** Absent: nobody counts. */
  readonly countEvent?: CountEvent;
}

interface Context {
  readonly maintenance: MaintenanceNow;
  readonly nowMs: number;
}

/** A change of health that pings or their absence made. */
type Verdict = Extract<HeartbeatEffect, { kind: 'up' | 'down' }>;

const NO_MAINTENANCE: MaintenanceNow = { isNow: false, endedAtMs: null };
/** What is down inside a maintenance window is looked at again so often: at its end an event opens. */
const MAINTENANCE_LOOK_MS = 10_000;

/** Judges heartbeats from their pings and the time, and writes what that changes in one transaction, as of other monitors. */
export class HeartbeatJudging {
  constructor(private readonly options: HeartbeatJudgingOptions) {}

  /** Within the transaction in which the caller has locked them. */
  async judge(trx: Knex, monitorIds: readonly string[], nowMs: number): Promise<void> {
    const monitors = await readJudged(trx, monitorIds);
    const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
    const heartbeats = await readHeartbeats(trx, monitorIds);
    const maintenance = await this.options.maintenance(trx, monitors, nowMs);
    const written = [];
    for (const row of heartbeats) {
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
    const isHeld = row.is_active && (await this.#tell(trx, monitor, { effects, state, context }));
    await updateDurations(trx, durationsOf(row, effects));
    return {
      monitor_id: row.monitor_id,
      ...columns,
      judged_seq: row.pings.at(-1)?.seq ?? row.judged_seq,
      due_at: isHeld ? new Date(context.nowMs + MAINTENANCE_LOOK_MS) : dueAt(columns),
    };
  }

  /** Events, outbox and mails of what happened. @returns whether it is down without an event, for a maintenance window */
  async #tell(
    trx: Knex,
    monitor: JudgedRow,
    { effects, state, context }: { effects: readonly HeartbeatEffect[]; state: HeartbeatState; context: Context },
  ): Promise<boolean> {
    const happened = effects.filter((effect): effect is Verdict => effect.kind !== 'measured');
    const { state: known, steps } = follow(monitor, verdictsOf(happened, state), context);
    const firstCheckAt = monitor.first_check_at ?? firstOf(happened);
    const isSame = known.health === monitor.health && known.resolved === monitor.resolved_type && steps.length === 0;
    const isNews = !isSame || firstCheckAt !== monitor.first_check_at;
    if (isNews) await this.#write(trx, monitor, { health: known.health, resolvedType: known.resolved, firstCheckAt });
    for (const { effects: wanted, reason } of steps) {
      const { notify, countEvent } = this.options;
      await performEffects(trx, monitor, { effects: wanted, reasonOf: () => reason, notify, countEvent });
    }
    return known.health === 'down' && known.event === null && known.resolved === null;
  }

  async #write(
    trx: Knex,
    { id: monitorId, version }: JudgedRow,
    news: Pick<NewState, 'health' | 'resolvedType' | 'firstCheckAt'>,
  ): Promise<void> {
    const isWritten = await updateState(trx, { monitorId, version, failingNodes: [], isFlapping: false, ...news });
    // a person who resolves an event changes it, too: it is judged again in a moment
    if (!isWritten) throw new Error(`state of heartbeat "${monitorId}" changed under its lock`);
  }
}

/** What is down stays to be told: its event may have been held back by a maintenance window. */
function verdictsOf(happened: readonly Verdict[], { down }: HeartbeatState): readonly Verdict[] {
  return down === null || happened.at(-1)?.kind === 'down' ? happened : [...happened, { kind: 'down', ...down }];
}

function firstOf([first]: readonly Verdict[]): Date | null {
  return first === undefined ? null : new Date(first.atMs);
}

/** Lets the monitor's state follow verdicts, one after another. */
function follow(monitor: JudgedRow, verdicts: readonly Verdict[], { maintenance }: Context) {
  const { event_type: type, event_started_at: startedAt, health, resolved_type: resolved } = monitor;
  const event = type === null || startedAt === null ? null : { type, startedAtMs: startedAt.getTime() };
  const notBeforeMs = Math.max(monitor.not_before.getTime(), maintenance.endedAtMs ?? 0);
  const steps: { readonly effects: readonly Effect[]; readonly reason: string }[] = [];
  let state: Parameters<typeof transition>[0] = { health, event, resolved };
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
