import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { publish } from '../../../events/index.js';
import { Rounds, workOff } from '../../../runtime/rounds.js';
import { changePresence } from './presence-store.js';

const LOOK_MS = 5_000;
/**
 * Time without a link after which `node.offline` is published, because the agent or the replica may only have been restarted.
 * The status of the node changes at once.
 */
const GRACE_MS = 60_000;
const AT_ONCE = 100;

interface PresenceOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Publishes events when nodes come online, or have been without a link for a minute. */
export class Presence {
  readonly #rounds: Rounds;

  constructor(private readonly options: PresenceOptions) {
    const { clock, log } = options;
    this.#rounds = new Rounds({
      name: 'presence',
      everyMs: LOOK_MS,
      turn: (isStopped) => this.run(isStopped),
      onFailed: (error) => log.warn({ err: error }, 'cannot determine which nodes are online, retrying'),
      clock,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Publishes all present changes. */
  run(isStopped = () => false): Promise<void> {
    return workOff(isStopped, AT_ONCE, () =>
      this.options.db.transaction(async (trx) => {
        const changed = await changePresence(trx, { graceMs: GRACE_MS, limit: AT_ONCE });
        const now = new Date(this.options.clock.now());
        for (const { id, owner_id: ownerId, name, is_online: isOnline, left_at: leftAt } of changed) {
          const since = isOnline ? now : (leftAt ?? now);
          const payload = { node: { id, name }, reason: null, since: since.toISOString() };
          const kind = isOnline ? 'node.online' : 'node.offline';
          await publish(trx, { kind, ownerId, isTest: false, subject: id, payload });
        }
        return changed.length;
      }),
    );
  }
}
