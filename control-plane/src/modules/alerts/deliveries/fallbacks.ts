import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Sealer } from '../../../crypto/sealing.js';
import type { DeliveryCounts } from './counts.js';
import { areNotified, listGroup } from './delivery-store.js';
import type { Destinations } from './destination.js';
import { decideFallback, fallbackNote } from './fallback-decision.js';
import { takeFallbacks } from './fallback-store.js';
import { openMessage } from './message-seal.js';
import type { Outgoing } from './outgoing.js';

const AT_ONCE = 100;
/** Time before a digest in which another channel may have been notified of its alerts. */
const NOTIFIED_WITHIN_MS = 86_400_000;

interface FallbacksOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly destinations: Destinations;
  readonly outgoing: Outgoing;
  readonly counts: DeliveryCounts;
}

/** Sends firing messages that no channel accepted in time to the address of the account. */
export class Fallbacks {
  constructor(private readonly options: FallbacksOptions) {}

  /** Handles those that are due. @returns how many there were */
  run(): Promise<number> {
    const { db, clock } = this.options;
    return db.transaction(async (trx) => {
      const due = await takeFallbacks(trx, clock.now(), AT_ONCE);
      for (const { messageGroup, ownerId } of due) await this.#decide(trx, messageGroup, ownerId);
      return due.length;
    });
  }

  async #decide(trx: Knex, messageGroup: string, ownerId: string): Promise<void> {
    const { clock, sealer, destinations, outgoing, counts } = this.options;
    const rows = await listGroup(trx, messageGroup, clock.now());
    const destination = await destinations.readFallback(trx, ownerId);
    const [first] = rows;
    const address = destination?.recipients?.[0]?.to;
    if (first === undefined || destination === null || address === undefined) return;
    const failures = decideFallback(rows, address);
    if (failures === null) return;
    // each channel has digests of its own, and one that waits for its limit has failed no one
    const sinceMs = first.created_at.getTime() - NOTIFIED_WITHIN_MS;
    if (first.kind === 'digest' && (await areNotified(trx, { alertIds: first.alert_ids, ownerId, sinceMs }))) return;
    const message = openMessage(first.message, sealer);
    const note = [message.note, fallbackNote(failures, destination.locale)].filter(Boolean).join(' ');
    await outgoing.enqueue(trx, [
      {
        destination,
        messageGroup: `${messageGroup} fallback`,
        kind: first.kind,
        alertIds: first.alert_ids,
        alertCount: first.alert_count,
        isFallback: true,
        ...(message.monitor === undefined ? {} : { monitorId: message.monitor.id }),
        // the texts of a channel have no place for the note
        write: ({ id }) => ({ ...message, id, note, customText: null }),
      },
    ]);
    counts.countFallback();
  }
}
