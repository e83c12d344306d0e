import type { Clock } from '@vantage/shared/clock.js';
import type { Suspension } from '../../../owners/index.js';
import { endAllAssignments } from '../definition/assignment-store.js';
import { lockMonitorsOf } from '../definition/store.js';
import type { HeartbeatActs } from '../heartbeats/heartbeat-acts.js';
import { queuePlacement } from '../placement/placement-store.js';
import { writeStatus } from './status-change.js';

const reason = 'account_deleting';

/** Pauses the active monitors of an account that is to be erased; those of a restored one are resumed, and soon have nodes again. */
export function monitorSuspension(options: {
  readonly clock: Clock;
  readonly heartbeats: Pick<HeartbeatActs, 'suspend' | 'resume'>;
}): Suspension {
  const { clock, heartbeats } = options;
  return {
    suspend: async (trx, { id: ownerId }, actor) => {
      const at = new Date(clock.now());
      const monitors = await lockMonitorsOf(trx, ownerId, { status: 'active', reason: null });
      await writeStatus(trx, monitors, { status: 'paused', reason, at, actor, heartbeats });
      await endAllAssignments(
        trx,
        monitors.map(({ id }) => id),
      );
    },
    resume: async (trx, { id: ownerId }, actor) => {
      const at = new Date(clock.now());
      const monitors = await lockMonitorsOf(trx, ownerId, { status: 'paused', reason });
      await writeStatus(trx, monitors, { status: 'active', at, actor, heartbeats });
      await queuePlacement(
        trx,
        monitors.map(({ id }) => id),
      );
    },
  };
}
