import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { publish } from '../../../events/index.js';
import { type BackgroundParts, background, type Rounds, workOff } from '../../../runtime/background.js';
import { changePresence } from './presence-store.js';

const LOOK_MS = 5_000;
/**
 * Time without a link after which `node.offline` is published, because the agent or the replica may only have been restarted.
 * The status of the node changes at once.
 */
const GRACE_MS = 60_000;
const AT_ONCE = 100;

/** Publishes events when nodes come online, or have been without a link for a minute. */
export function presence({ db, clock, log }: BackgroundParts): Rounds {
  return background({
    name: 'presence',
    everyMs: LOOK_MS,
    look: (isStopped) => workOff(isStopped, AT_ONCE, () => publishSome(db, clock)),
    failing: 'cannot determine which nodes are online, retrying',
    clock,
    log,
  });
}

/** @returns the number of nodes that changed */
function publishSome(db: Knex, clock: Clock): Promise<number> {
  return db.transaction(async (trx) => {
    const changed = await changePresence(trx, { graceMs: GRACE_MS, limit: AT_ONCE });
    const now = new Date(clock.now());
    for (const { id, owner_id: ownerId, name, is_online: isOnline, left_at: leftAt } of changed) {
      const since = isOnline ? now : (leftAt ?? now);
      const payload = { node: { id, name }, reason: null, since: since.toISOString() };
      const kind = isOnline ? 'node.online' : 'node.offline';
      await publish(trx, { kind, ownerId, isTest: false, subject: id, payload });
    }
    return changed.length;
  });
}
