import { randomUUID } from 'node:crypto';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import { type NodeState, reduceCheck, streakOf, unchecked } from '@vantage/shared/monitor-state/node-reducer.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import type { Test } from 'tap';
import { ensurePartitions } from '../../src/db/partitions.js';
import type { EventKind, PayloadOf } from '../../src/events/index.js';
import type { Delivered } from '../../src/modules/monitors/checks/check-store.js';
import { measureUptime } from '../../src/modules/monitors/history/uptime.js';
import { readEpisodes } from '../../src/modules/monitors/history/uptime-store.js';
import { Judging } from '../../src/modules/monitors/judging/judging.js';
import { claimDue } from '../../src/modules/monitors/judging/state-store.js';
import { lateResults } from '../../src/modules/monitors/late/late-results.js';
import { maintenanceReads } from '../../src/modules/monitors/maintenance/maintenance-reads.js';
import type { Rounds } from '../../src/runtime/background.js';
import { createTestDatabase } from './database.js';
import { aCheck, insertMonitor, type StoredMonitor, store } from './stored-monitor.js';
import { insertNode } from './stored-node.js';

export const INTERVAL_MS = 60_000;
const RULE = { consecutiveFail: 2, consecutiveOk: 1 };

/** An event in the form that tests compare. */
export interface StoredEvent {
  readonly type: string;
  /** Milliseconds since the beginning. */
  readonly from: number;
  readonly to: number | null;
}

/**
 * A monitor checked by three linked nodes, hours ago; its checks are stored and judged as they arrive, and its events
 * corrected.
 */
export class LateMonitor {
  readonly #states = new Map<string, NodeState>();
  /** Last report of each node in time. */
  readonly #reported = new Map<string, string>();
  #nowMs: number;

  private constructor(
    readonly db: Knex,
    /** Instant at which it begins. */
    readonly startMs: number,
    readonly nodeIds: readonly string[],
    readonly monitor: StoredMonitor,
  ) {
    this.#nowMs = startMs;
  }

  /** Creates it in a database of its own, beginning the given number of minutes ago. */
  static async create(t: Test, minutesAgo: number): Promise<LateMonitor> {
    const { db } = await createTestDatabase(t);
    const startMs = Math.floor(Date.now() / INTERVAL_MS - minutesAgo) * INTERVAL_MS;
    await ensurePartitions(db, startMs);
    const at = new Date(startMs - INTERVAL_MS);
    const nodeIds = await Promise.all([1, 2, 3].map(() => insertNode(db, { session_id: randomUUID() })));
    const monitor = await insertMonitor(db, nodeIds);
    await db('monitor_assignments').update({ assigned_at: at });
    await db('monitor_states').update({ not_before: at, same_rule_since: at });
    return new LateMonitor(db, startMs, nodeIds, monitor);
  }

  /** Creates another monitor of the same nodes. */
  async another(): Promise<LateMonitor> {
    const { db, startMs, nodeIds } = this;
    const at = new Date(startMs - INTERVAL_MS);
    const monitor = await insertMonitor(db, nodeIds);
    await db('monitor_assignments').where({ monitor_id: monitor.id }).update({ assigned_at: at });
    await db('monitor_states').where({ monitor_id: monitor.id }).update({ not_before: at, same_rule_since: at });
    return new LateMonitor(db, startMs, nodeIds, monitor);
  }

  /** Makes the check of a node (0 to 2) in a minute, its slot; checks must be made in the order of the slots. */
  make(node: number, minute: number, outcome: CheckReport['outcome']): Delivered<CheckReport> {
    const nodeId = this.nodeIds[node] as string;
    const slotMs = this.slotMs(node, minute);
    const state = reduceCheck(this.#states.get(nodeId) ?? unchecked, { slot: slotMs, outcome }, RULE);
    this.#states.set(nodeId, state);
    const said = { verdict: state.verdict, since_ms: state.since ?? slotMs, streak: streakOf(state) };
    return aCheck(this.monitor.id, nodeId, { slot_ms: slotMs, outcome, state: said });
  }

  /** Checks of the three nodes from one minute to another, in the order of their slots; `isDown` gives their outcomes. */
  checks(fromMinute: number, toMinute: number, isDown: (minute: number) => boolean): Delivered<CheckReport>[] {
    const checks: Delivered<CheckReport>[] = [];
    for (let minute = fromMinute; minute < toMinute; minute += 1)
      for (const node of [0, 1, 2]) checks.push(this.make(node, minute, isDown(minute) ? 'failed' : 'ok'));
    return checks;
  }

  /** Nodes check 20 s apart. */
  slotMs(node: number, minute: number): number {
    return this.startMs + minute * INTERVAL_MS + node * 20_000;
  }

  /** Stores checks together, and judges what is due then, a second after the newest of all. */
  async arrive(checks: readonly Delivered<CheckReport>[]): Promise<void> {
    this.#nowMs = Math.max(this.#nowMs, ...checks.map(({ body }) => body.slot_ms + 1_000));
    await store(this.db, checks);
    await this.judge();
  }

  /** Stores checks in the order of their slots; a check that changes what its node reports arrives alone. */
  async inTime(checks: readonly Delivered<CheckReport>[]): Promise<void> {
    const same: Delivered<CheckReport>[] = [];
    const arriveSame = async () => {
      if (same.length > 0) await this.arrive(same.splice(0));
    };
    for (const check of checks) {
      const { state } = check.body;
      const reported = `${state?.verdict} ${state?.since_ms}`;
      if (this.#reported.get(check.nodeId) === reported) {
        same.push(check);
      } else {
        this.#reported.set(check.nodeId, reported);
        await arriveSame();
        await this.arrive([check]);
      }
    }
    await arriveSame();
  }

  /** Lets time pass. */
  async passUntil(minute: number): Promise<void> {
    this.#nowMs = this.startMs + minute * INTERVAL_MS;
    await this.db('monitor_due').insert({ monitor_id: this.monitor.id });
    await this.judge();
  }

  async judge(): Promise<void> {
    const judging = new Judging({ maintenance: maintenanceReads.now });
    await this.db.transaction(async (trx) => {
      const ids = (await claimDue(trx, 1_000)).map(({ id }) => id);
      if (ids.length > 0) await judging.judge(trx, ids, this.#nowMs);
    });
  }

  /** Mails to its owner, oldest first. */
  async notified(): Promise<string[]> {
    return (await this.db('outbox').orderBy('id')).flatMap(mailOf);
  }

  /** Corrects events, by the clock of the checks so far. */
  lateResults(): Rounds {
    const log = pino({ level: 'silent' });
    return lateResults({ db: this.db, maintenance: maintenanceReads, clock: new FakeClock(this.#nowMs), log });
  }

  /** Corrects events until nothing is left to correct, by two replicas at once. */
  async correct(): Promise<void> {
    const replicas = [this.lateResults(), this.lateResults()];
    for (let before = '[]'; ; ) {
      const left = await this.db('late_checks').update({ due_at: new Date(0) }, ['monitor_id', 'from_at', 'to_at']);
      const now = JSON.stringify(left.map((range) => JSON.stringify(range)).sort());
      if (now === before) return;
      before = now;
      await Promise.all(replicas.map((one) => one.run()));
    }
  }

  /** Events as the uptime API reports them. */
  async events(): Promise<StoredEvent[]> {
    const rows = await this.db('monitor_events')
      .where({ monitor_id: this.monitor.id, disputed: false })
      .orderBy('started_at');
    return rows.map(({ type, started_at, ended_at }) => ({
      type,
      from: started_at.getTime() - this.startMs,
      to: ended_at === null ? null : ended_at.getTime() - this.startMs,
    }));
  }

  /** Time that it was down in its first minutes, as uptime counts it; milliseconds. */
  async downMs(minutes: number): Promise<number> {
    const asked = { fromMs: this.startMs, toMs: this.slotMs(0, minutes) };
    const downs = (await readEpisodes(this.db, [this.monitor.id], asked)).get(this.monitor.id)?.downs ?? [];
    return measureUptime({ asked, firstCheckMs: this.startMs, downs, unwatched: [] }).downMs;
  }

  async state(): Promise<object> {
    return this.db('monitor_states')
      .where({ monitor_id: this.monitor.id })
      .first('version', 'health', 'failing_nodes', 'resolved_type');
  }
}

/** The event as the consumer that mails the owner sees it; none for an event that is reported as flapping. */
function mailOf({ kind, payload }: { readonly kind: string; readonly payload: PayloadOf<EventKind> }): string[] {
  if ('is_up' in payload) return [`${payload.is_flapping ? 'flapping' : 'settled'} ${payload.is_up ? 'up' : 'not up'}`];
  if (!('is_flapping' in payload) || payload.is_flapping) return [];
  return [`${kind} ${payload.event.started_at}`];
}
