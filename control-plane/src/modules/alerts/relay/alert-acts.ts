import type { AlertTrigger, TimelineEntry } from '@vantage/shared/alerts/decision.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import type { ListedDelivery } from '../deliveries/delivery.js';
import { listDeliveriesOfAlert } from '../deliveries/delivery-store.js';
import type { AlertRow } from '../events/alert-row.js';
import {
  type AlertFilter,
  type AlertPage,
  findAlert,
  listAlerts,
  lockAlert,
  lockFiring,
} from '../events/alert-store.js';
import { listTimeline } from '../events/timeline-store.js';
import type { Relay } from './relay.js';

/** Alerts that one transaction acknowledges. */
const AT_ONCE = 1_000;

interface AlertActsOptions {
  readonly db: Knex;
  readonly relay: Pick<Relay, 'act'>;
}

/** Author of an act, and its rights. */
export interface AlertAct {
  readonly account: Account;
  readonly actor: Actor;
}

/** Acknowledgement by the link of a message. */
export interface LinkAct {
  /** Masked recipient, or the channel. */
  readonly by: string;
  /** Text for the timeline; null if there is none. */
  readonly note: string | null;
  readonly actor: Actor;
}

export interface AlertHistory {
  readonly row: AlertRow;
  readonly timeline: readonly TimelineEntry[];
  /** Oldest first. */
  readonly deliveries: readonly ListedDelivery[];
}

type ActTrigger = Extract<AlertTrigger, { kind: 'acknowledge' | 'resolve' }>;

/** Reads, acknowledges and resolves alert events. */
export class AlertActs {
  constructor(private readonly options: AlertActsOptions) {}

  /** Alerts, newest first, and the number of all. */
  list({ owner }: Account, request: AlertFilter & AlertPage): Promise<{ rows: AlertRow[]; total: number }> {
    return listAlerts(this.options.db, owner, request);
  }

  /** @throws ApiError NOT_FOUND */
  async get(id: string, { owner }: Account): Promise<AlertHistory> {
    const { db } = this.options;
    const row = await findAlert(db, id, owner);
    if (row === null) throw new ApiError('NOT_FOUND');
    return {
      row,
      timeline: await listTimeline(db, id),
      deliveries: await listDeliveriesOfAlert(db, {
        alertId: id,
        ownerId: row.owner_id,
        sinceMs: row.created_at.getTime(),
      }),
    };
  }

  /** Acknowledges an alert; one that is acknowledged does not change. @throws ApiError NOT_FOUND, CONFLICT */
  acknowledge(id: string, note: string | null, { account, actor }: AlertAct): Promise<AlertRow> {
    const trigger: ActTrigger = { kind: 'acknowledge', by: nameOf(account), via: 'api' };
    return this.#act(id, { owner: account.owner, actor, trigger, note });
  }

  /** Resolves an alert; one that is resolved does not change. @throws ApiError NOT_FOUND */
  resolve(id: string, { account, actor }: AlertAct): Promise<AlertRow> {
    const trigger: ActTrigger = { kind: 'resolve', by: nameOf(account) };
    return this.#act(id, { owner: account.owner, actor, trigger, note: null });
  }

  /** Acknowledges an alert for the recipient of a message; null if there is no such alert. @throws ApiError CONFLICT */
  async acknowledgeByLink(id: string, { by, note, actor }: LinkAct): Promise<AlertRow | null> {
    try {
      return await this.#act(id, { owner: null, actor, trigger: { kind: 'acknowledge', by, via: 'link' }, note });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  /** Acknowledges those of several alerts that fire, for the recipient of the delivery `subject`. */
  async acknowledgeAllByLink(
    ids: readonly string[],
    { by, note, actor, subject }: LinkAct & { readonly subject: string },
  ): Promise<void> {
    const { db, relay } = this.options;
    for (let from = 0; from < ids.length; from += AT_ONCE)
      await db.transaction(async (trx) => {
        const rows = await lockFiring(trx, ids.slice(from, from + AT_ONCE));
        const [first] = rows;
        if (first === undefined) return;
        await relay.act(trx, rows, { kind: 'acknowledge', by, via: 'link' }, note);
        const entry = { actor, accountId: first.owner_id, subject, action: 'alert_event.acknowledged' } as const;
        await insertAuditEntry(trx, { ...entry, details: { alerts: rows.length, by } });
      });
  }

  #act(
    id: string,
    {
      owner,
      actor,
      trigger,
      note,
    }: {
      readonly owner: Account['owner'] | null;
      readonly actor: Actor;
      readonly trigger: ActTrigger;
      readonly note: string | null;
    },
  ): Promise<AlertRow> {
    const { db, relay } = this.options;
    return db.transaction(async (trx) => {
      const row = await lockAlert(trx, id, owner);
      if (row === null) throw new ApiError('NOT_FOUND');
      if (row.status === 'resolved' && trigger.kind === 'acknowledge') throw isResolved();
      if (row.status === 'resolved' || (row.status === 'acknowledged' && trigger.kind === 'acknowledge')) return row;
      await relay.act(trx, [row], trigger, note);
      const action = trigger.kind === 'acknowledge' ? 'alert_event.acknowledged' : 'alert_event.resolved';
      const entry = { actor, accountId: row.owner_id, subject: id, action } as const;
      await insertAuditEntry(trx, { ...entry, details: { monitor: row.monitor_id, by: trigger.by } });
      return (await lockAlert(trx, id, null)) ?? row;
    });
  }
}

function isResolved(): ApiError {
  const details = { status: [{ code: 'conflict' as const, message: 'is resolved: it can no longer be acknowledged' }] };
  return new ApiError('CONFLICT', { details });
}

/** Id of the caller: the user, or the key of a team. */
function nameOf({ user, credentialId }: Account): string {
  return user?.id ?? credentialId;
}
