import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import type { DeliveryRow } from '../deliveries/delivery.js';
import {
  type DeliveryFilter,
  findDelivery,
  type ListedDeliveries,
  listDeliveries,
  type SentDelivery,
} from '../deliveries/delivery-store.js';
import { openMessage } from '../deliveries/message-seal.js';
import type { Outgoing } from '../deliveries/outgoing.js';
import type { ChannelAct } from './channel-act.js';
import type { ChannelDestinations } from './channel-destinations.js';

interface DeliveryActsOptions {
  readonly db: Knex;
  readonly sealer: Sealer;
  readonly outgoing: Outgoing;
  readonly destinations: ChannelDestinations;
}

/** Reads and retries deliveries of an account. */
export class DeliveryActs {
  constructor(private readonly options: DeliveryActsOptions) {}

  /** Deliveries, newest first. */
  list({ owner }: Account, filter: DeliveryFilter): Promise<ListedDeliveries> {
    return listDeliveries(this.options.db, owner, filter);
  }

  /** Delivery with the request of its last attempt. @throws ApiError NOT_FOUND */
  async get(id: string, { owner }: Account): Promise<SentDelivery> {
    const row = await findDelivery(this.options.db, id, owner);
    if (row === null) throw new ApiError('NOT_FOUND');
    return row;
  }

  /** Queues the message of a delivery that ended without success again. @throws ApiError NOT_FOUND, CONFLICT */
  async retry(id: string, { account, actor }: ChannelAct): Promise<DeliveryRow> {
    const row = await this.get(id, account);
    if (row.status !== 'dead' && row.status !== 'dropped')
      throw conflict(`is ${row.status}: only dead and dropped deliveries can be retried`);
    if (row.kind === 'verification') throw conflict('holds a code: request a new one instead');
    const { db, destinations, sealer, outgoing } = this.options;
    return db.transaction(async (trx) => {
      const destination = (await destinations.read(trx, [row.channel_id])).get(row.channel_id);
      if (destination === undefined) throw conflict('belongs to a channel that was deleted');
      const message = openMessage(row.message, sealer);
      const [retried] = await outgoing.enqueue(trx, [
        {
          destination,
          ...(row.recipient === null ? {} : { to: [row.recipient] }),
          messageGroup: randomUUID(),
          kind: row.kind,
          alertIds: row.alert_ids,
          alertCount: row.alert_count,
          isRetry: true,
          ...(message.monitor === undefined ? {} : { monitorId: message.monitor.id }),
          write: ({ id: newId }) => ({ ...message, id: newId }),
        },
      ]);
      if (retried === undefined) throw conflict('belongs to a recipient that the channel no longer has');
      const entry = { actor, accountId: row.owner_id, subject: row.id, action: 'alert_delivery.retried' } as const;
      await insertAuditEntry(trx, { ...entry, details: { delivery: retried.id } });
      return retried;
    });
  }
}

function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', { details: { status: [{ code: 'conflict', message }] } });
}
