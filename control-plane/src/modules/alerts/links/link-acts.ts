import { idPrefixes, isId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { ApiError } from '../../../http/errors.js';
import type { Destination, Destinations } from '../deliveries/destination.js';
import { readAlertNames } from '../events/alert-names.js';
import type { AlertRow } from '../events/alert-row.js';
import { type AlertColumns, readAlertColumns, readAlerts } from '../events/alert-store.js';
import { findAcknowledgeNote } from '../events/timeline-store.js';
import type { AlertActs, LinkAct } from '../relay/alert-acts.js';
import { findReceivedAlerts } from '../relay/digest-store.js';
import type { AcknowledgeLinks, AcknowledgeRight } from './acknowledge-links.js';

interface LinkActsOptions {
  readonly db: Knex;
  readonly links: Pick<AcknowledgeLinks, 'open'>;
  readonly acts: Pick<AlertActs, 'acknowledgeByLink' | 'acknowledgeAllByLink'>;
  readonly destinations: Pick<Destinations, 'read'>;
}

/** Subject of a link: an alert, or the alerts of a digest that are still kept. */
export type Linked =
  /** `acknowledgedBy`: name of who acknowledged it; null if no one has. `note`: of that person; null if there is none. */
  | {
      readonly kind: 'alert';
      readonly row: AlertRow;
      readonly acknowledgedBy: string | null;
      readonly note: string | null;
      /** IANA name: that of the channel. */
      readonly timezone: string;
    }
  | { readonly kind: 'digest'; readonly alerts: readonly AlertColumns[] };

/** Alerts as recipients of messages see and acknowledge them. */
export class LinkActs {
  constructor(private readonly options: LinkActsOptions) {}

  /** Alert or digest of a link; null if the link is not valid, or what it names is no longer kept. */
  async find(token: string): Promise<Linked | null> {
    const right = this.options.links.open(token);
    if (right === null) return null;
    if (isOfDigest(right)) return this.#findDigest(right.subjectId);
    const row = (await readAlerts(this.options.db, [right.subjectId])).get(right.subjectId);
    return row === undefined ? null : this.#shown(row, right);
  }

  /**
   * Acknowledges the alert of a link, or those of its digest that fire. @returns the same as `find` afterwards: alerts that have ended do
   * not change
   */
  async acknowledge(token: string, { note, actor }: Pick<LinkAct, 'note' | 'actor'>): Promise<Linked | null> {
    const { links, acts } = this.options;
    const right = links.open(token);
    if (right === null) return null;
    const { subjectId, channelId, recipient } = right;
    const channel = await this.#channel(channelId);
    const by = recipient ?? `channel:${channel?.name ?? channelId}`;
    if (isOfDigest(right)) {
      const digest = await this.#findDigest(subjectId);
      const firing = digest?.alerts.filter(({ status }) => status === 'firing') ?? [];
      const ids = firing.map(({ id }) => id);
      await acts.acknowledgeAllByLink(ids, { by, note, actor, subject: subjectId });
      return this.find(token);
    }
    try {
      const row = await acts.acknowledgeByLink(subjectId, { by, note, actor });
      return row === null ? null : await this.#shown(row, right);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'CONFLICT') return this.find(token);
      throw error;
    }
  }

  async #shown(row: AlertRow, { channelId }: AcknowledgeRight): Promise<Linked> {
    const { db } = this.options;
    const [names, channel, note] = await Promise.all([
      readAlertNames(db, [row]),
      this.#channel(channelId),
      row.status === 'acknowledged' ? findAcknowledgeNote(db, row.id) : null,
    ]);
    return {
      kind: 'alert',
      row,
      acknowledgedBy: names.acknowledgedBy(row),
      note,
      timezone: channel?.timezone ?? 'UTC',
    };
  }

  async #channel(id: string): Promise<Destination | undefined> {
    const { db, destinations } = this.options;
    return (await destinations.read(db, [id])).get(id);
  }

  async #findDigest(deliveryId: string): Promise<Extract<Linked, { kind: 'digest' }> | null> {
    const { db } = this.options;
    const ids = await findReceivedAlerts(db, deliveryId);
    if (ids === null) return null;
    const alerts = await readAlertColumns(db, ids);
    return alerts.size === 0 ? null : { kind: 'digest', alerts: [...alerts.values()] };
  }
}

function isOfDigest({ subjectId }: AcknowledgeRight): boolean {
  return isId(idPrefixes.alertDelivery, subjectId);
}
