import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { afterCommit } from '../../../db/after-commit.js';
import { publish } from '../../../events/index.js';
import type { CountEvent } from '../definition/monitor-counts.js';
import { eventFields, monitorName, subjectOf } from '../events/event-fields.js';
import { changeEventType, closeEvent, type EventRow, insertEvent, markEventNotified } from '../events/event-store.js';
import type { JudgedRow } from './state-store.js';
import type { Effect } from './transition.js';

/** Fields of a monitor that are published with its events. */
export type PublishedMonitor = Pick<
  JudgedRow,
  'id' | 'owner_id' | 'is_test' | 'name' | 'type' | 'target' | 'tags' | 'group_id'
>;

/** Performs the effects of a transition in order and publishes those that are notified, in one transaction. */
export async function performEffects(
  trx: Knex,
  monitor: PublishedMonitor,
  {
    effects,
    reasonOf,
    countEvent,
    isFlapping = false,
  }: {
    readonly effects: readonly Effect[];
    /** Reason that is shown for a new event or a change of its type; given the affected nodes. */
    readonly reasonOf: (affectedNodes: readonly string[]) => string;
    /** Counts changes of events; absent: they are not counted. */
    readonly countEvent?: CountEvent | undefined;
    /** True if the change belongs to a period of flapping. */
    readonly isFlapping?: boolean;
  },
): Promise<void> {
  for (const effect of effects) {
    const event = await write(trx, monitor, effect, reasonOf);
    if (event === null) continue;
    if (effect.kind === 'open' || effect.kind === 'close')
      afterCommit(trx, () => countEvent?.(event.type, effect.kind === 'close' ? 'closed' : 'opened'));
    const kind = eventKindOf(effect, effects);
    if (kind === null) continue;
    const payload = { monitor: monitorName(monitor), event: eventFields(event), is_flapping: isFlapping };
    await publish(trx, { kind, ...subjectOf(monitor), payload });
  }
}

async function write(
  trx: Knex,
  monitor: PublishedMonitor,
  effect: Effect,
  reasonOf: (affectedNodes: readonly string[]) => string,
): Promise<EventRow | null> {
  switch (effect.kind) {
    case 'close':
      return closeEvent(trx, monitor.id, new Date(effect.endedAtMs));
    case 'change': {
      const { type, atMs, affectedNodes } = effect;
      const change = { type, at: new Date(atMs), affectedNodes, reason: reasonOf(affectedNodes) };
      return changeEventType(trx, monitor.id, change);
    }
    case 'notify':
      return markEventNotified(trx, monitor.id);
    case 'open':
      return open(trx, monitor, effect, reasonOf(effect.affectedNodes));
  }
}

/** Kind of the notification for an effect, or null. */
function eventKindOf(
  effect: Effect,
  all: readonly Effect[],
): 'monitor.down' | 'monitor.degraded' | 'monitor.up' | null {
  if (effect.kind === 'change') return null;
  if (effect.kind !== 'close') return `monitor.${effect.type}`;
  // a change from down to degraded closes one event and opens another, but sends one notification: degraded
  return all.length > 1 ? null : 'monitor.up';
}

async function open(
  trx: Knex,
  monitor: PublishedMonitor,
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
    resolved_at: null,
    notes: null,
    backfilled: false,
    disputed: false,
    earlier_types: [],
    created_at: startedAt,
  };
}
