import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { ApiError } from '../../http/errors.js';
import { listFailing, readChannels } from './channels/channel-store.js';
import { countDead, countWaiting } from './deliveries/delivery-store.js';
import { countOpenAlerts } from './events/alert-store.js';

const DAY_MS = 86_400_000;
/** Failing channels that are listed. */
const MAX_LISTED = 100;

/** State of alerts over all accounts, as the operator sees it. Field names are those of its JSON. */
export interface AlertStatus {
  /** Alerts that are not resolved. */
  readonly open: readonly OpenAlerts[];
  /** Messages that are to be sent, by type of channel. */
  readonly pending: Readonly<Record<string, number>>;
  /** Messages that were created within a day and given up, by type of channel. */
  readonly dead_24h: Readonly<Record<string, number>>;
  /** The first hundred, those that have failed longest first. */
  readonly failing_channels: readonly FailingChannel[];
}

/** Number of alerts of one status and severity. */
export interface OpenAlerts {
  readonly status: string;
  readonly severity: string;
  readonly count: number;
}

export interface FailingChannel {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly owner_id: string;
  /** ISO 8601; null if unknown. */
  readonly since: string | null;
  readonly last_error: string | null;
}

/** Channels and messages of all accounts, for the operator. */
export class OperatorView {
  constructor(private readonly options: { readonly db: Knex; readonly clock: Clock }) {}

  async status(): Promise<AlertStatus> {
    const { db, clock } = this.options;
    const nowMs = clock.now();
    const [open, pending, dead, failing] = [
      await countOpenAlerts(db),
      await countWaiting(db, nowMs),
      await countDead(db, nowMs - DAY_MS),
      await listFailing(db, MAX_LISTED),
    ];
    return {
      open,
      pending,
      dead_24h: dead,
      failing_channels: failing.map(({ health_since: since, ...channel }) => ({
        ...channel,
        since: since?.toISOString() ?? null,
      })),
    };
  }

  /** Id of the owner of a channel, for an act of the operator on it. @throws ApiError ALERT_CHANNEL_NOT_FOUND */
  async getOwnerId(channelId: string): Promise<string> {
    const [row] = await readChannels(this.options.db, [channelId]);
    if (row === undefined) throw new ApiError('ALERT_CHANNEL_NOT_FOUND');
    return row.owner_id;
  }
}
