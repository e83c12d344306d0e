import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { happened } from '../../../audit-log/happened.js';
import type { MonitorStatus } from '../definition/schema.js';
import { type MonitorRow, type PausedReason, updateStatus } from '../definition/store.js';
import { HEARTBEAT } from '../definition/type-names.js';
import { monitorName, subjectOf } from '../events/event-fields.js';
import { closeEvent } from '../events/event-store.js';
import type { HeartbeatActs } from '../heartbeats/heartbeat-acts.js';
import { resetState } from '../judging/state-store.js';

/** Change of the status of a monitor. */
interface StatusChange {
  readonly status: MonitorStatus;
  /** Default: its owner wants it. */
  readonly reason?: PausedReason;
  readonly at: Date;
  readonly actor: Actor;
  readonly heartbeats: Pick<HeartbeatActs, 'suspend' | 'resume'>;
}

const kinds = { active: 'monitor.resumed', paused: 'monitor.paused', archived: 'monitor.archived' } as const;

/** Writes another status of a locked monitor: its health is unknown and its open event ends. The caller places it. */
export async function writeStatus(
  trx: Knex,
  monitor: MonitorRow,
  { status, reason, at, actor, heartbeats }: StatusChange,
): Promise<void> {
  const { id, owner_id: accountId, type } = monitor;
  const why = reason === undefined ? {} : { reason };
  if (type === HEARTBEAT) await heartbeats.suspend(trx, id);
  await updateStatus(trx, id, { status, ...why, at });
  if (type === HEARTBEAT && status === 'active') await heartbeats.resume(trx, id);
  await resetState(trx, id, at);
  await closeEvent(trx, id, at);
  const kind = kinds[status];
  const event = { kind, ...subjectOf(monitor), payload: { monitor: monitorName(monitor) } };
  await happened(trx, { actor, accountId, action: kind, subject: id, details: why, event });
}
