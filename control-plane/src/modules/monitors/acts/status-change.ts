import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { allHappened } from '../../../audit-log/happened.js';
import type { MonitorStatus } from '../definition/schema.js';
import { type MonitorRow, type PausedReason, updateStatus } from '../definition/store.js';
import { HEARTBEAT } from '../definition/type-names.js';
import { monitorName, subjectOf } from '../events/event-fields.js';
import { closeEvents } from '../events/event-store.js';
import type { HeartbeatActs } from '../heartbeats/heartbeat-acts.js';
import { resetStates } from '../judging/state-store.js';

/** Change of the status of monitors. */
interface StatusChange {
  readonly status: MonitorStatus;
  /** Default: its owner wants it. */
  readonly reason?: PausedReason;
  readonly at: Date;
  readonly actor: Actor;
  readonly heartbeats: Pick<HeartbeatActs, 'suspend' | 'resume'>;
}

const kinds = { active: 'monitor.resumed', paused: 'monitor.paused', archived: 'monitor.archived' } as const;

/**
 * Writes another status of locked monitors of one account: their health is unknown and their open events end. The caller places them. An
 * account may have thousands: the number of statements is the same.
 */
export async function writeStatus(
  trx: Knex,
  monitors: readonly MonitorRow[],
  { status, reason, at, actor, heartbeats }: StatusChange,
): Promise<void> {
  const ids = monitors.map(({ id }) => id);
  const beating = monitors.filter(({ type }) => type === HEARTBEAT).map(({ id }) => id);
  const why = reason === undefined ? {} : { reason };
  await heartbeats.suspend(trx, beating);
  await updateStatus(trx, ids, { status, ...why, at });
  if (status === 'active') await heartbeats.resume(trx, beating);
  await resetStates(trx, ids, at);
  await closeEvents(trx, ids, at);
  const kind = kinds[status];
  const acts = monitors.map((monitor) => {
    const event = { kind, ...subjectOf(monitor), payload: { monitor: monitorName(monitor) } };
    return { actor, accountId: monitor.owner_id, action: kind, subject: monitor.id, details: why, event };
  });
  await allHappened(trx, acts);
}
