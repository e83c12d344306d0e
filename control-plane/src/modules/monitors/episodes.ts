import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { afterCommit } from '../../db/after-commit.js';
import { closeEvent, type EventRow, insertEvent, insertHappening, type MonitorHappening } from './event-store.js';
import { eventNews, monitorName } from './happening.js';
import type { CountEvent } from './monitor-counts.js';
import type { JudgedRow } from './state-store.js';
import type { Effect } from './transition.js';

/** What of a monitor is told with its events. */
export type ToldMonitor = Pick<JudgedRow, 'id' | 'user_id' | 'is_test' | 'name' | 'type' | 'target' | 'notifies_owner'>;

/** What is to be told of a monitor whose event began or ended. */
export interface EventNews {
  readonly monitor: ToldMonitor;
  readonly kind: Extract<MonitorHappening, 'monitor.down' | 'monitor.degraded' | 'monitor.up'>;
  readonly event: EventRow;
}

/** Tells the owner, in the transaction in which it happens. */
export type Notify = (trx: Knex, news: EventNews) => Promise<void>;

/** Tells the owner that a monitor begins to flap, or has settled, in the transaction in which it happens. */
export type NotifyFlapping = (
  trx: Knex,
  monitor: ToldMonitor,
  now: { readonly isFlapping: boolean; readonly isUp: boolean },
) => Promise<void>;

/** Performs what a transition asks for, in its order: events, outbox, and what the owner is told, in one transaction. */
export async function performEffects(
  trx: Knex,
  monitor: ToldMonitor,
  {
    effects,
    reasonOf,
    notify,
    countEvent,
    isFlapping = false,
  }: {
    readonly effects: readonly Effect[];
    /** Why an event begins, for people; given the nodes that say so. */
    readonly reasonOf: (affectedNodes: readonly string[]) => string;
    /** Null: of single events nobody is told. */
    readonly notify: Notify | null;
    /** Absent: nobody counts. */
    readonly countEvent?: CountEvent | undefined;
    readonly isFlapping?: boolean;
  },
): Promise<void> {
  for (const effect of effects) {
    const event =
      effect.kind === 'close'
        ? await closeEvent(trx, monitor.id, new Date(effect.endedAtMs))
        : await open(trx, monitor, effect, reasonOf(effect.affectedNodes));
    if (event === null) continue;
    afterCommit(trx, () => countEvent?.(event.type, effect.kind === 'close' ? 'closed' : 'opened'));
    const isFollowed = effect.kind === 'close' && effects.length > 1;
    // down that becomes degraded is one piece of news: that it is degraded
    if (isFollowed) continue;
    const kind = effect.kind === 'close' ? 'monitor.up' : (`monitor.${effect.type}` as const);
    const payload = { monitor: monitorName(monitor), event: eventNews(event), is_flapping: isFlapping };
    const about = { userId: monitor.user_id, isTest: monitor.is_test, monitorId: monitor.id };
    await insertHappening(trx, { kind, ...about, payload });
    await notify?.(trx, { monitor, kind, event });
  }
}

async function open(
  trx: Knex,
  monitor: ToldMonitor,
  { type, startedAtMs, affectedNodes }: Extract<Effect, { kind: 'open' }>,
  reason: string,
): Promise<EventRow> {
  const id = newId(idPrefixes.monitorEvent);
  const startedAt = new Date(startedAtMs);
  const common = { id, type, reason };
  await insertEvent(trx, { ...common, monitorId: monitor.id, startedAt, affectedNodes });
  return {
    ...common,
    monitor_id: monitor.id,
    started_at: startedAt,
    ended_at: null,
    affected_nodes: affectedNodes,
    is_false_positive: false,
    ack_at: null,
    acknowledged_by: null,
    resolved_by: null,
    notes: null,
    backfilled: false,
    disputed: false,
    created_at: startedAt,
  };
}
