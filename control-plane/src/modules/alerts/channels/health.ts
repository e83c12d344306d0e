import type { ChannelEffect } from '../deliveries/destination.js';
import type { ChannelRow } from './channel-row.js';

const DAY_MS = 86_400_000;

type HealthColumns = Pick<
  ChannelRow,
  'health' | 'health_since' | 'failed_since' | 'last_error' | 'last_sent_at' | 'verified_at' | 'warned_at'
>;

/** Change of a channel after an attempt. */
export interface HealthChange {
  readonly columns: Partial<HealthColumns>;
  /** True if the owner is to be mailed: once a day while the channel fails. */
  readonly warns: boolean;
}

/** Decides on the health of a channel: it fails after a permanent refusal, or when nothing was accepted for 24 hours. */
export function judgeHealth(
  channel: HealthColumns,
  { result, atMs, error }: Omit<ChannelEffect, 'channelId'>,
): HealthChange {
  const at = new Date(atMs);
  if (result === 'none') return { columns: { last_error: error }, warns: false };
  if (result === 'accepted') {
    const since = channel.health === 'ok' ? {} : { health: 'ok' as const, health_since: at };
    const verified = channel.verified_at === null ? { verified_at: at } : {};
    return {
      columns: { ...since, ...verified, failed_since: null, last_error: null, last_sent_at: at, warned_at: null },
      warns: false,
    };
  }
  const failedSince = channel.failed_since ?? at;
  const isFailing = result === 'refused' || channel.health === 'failing' || atMs - failedSince.getTime() >= DAY_MS;
  const warns = isFailing && (channel.warned_at === null || atMs - channel.warned_at.getTime() >= DAY_MS);
  const since = isFailing && channel.health !== 'failing' ? { health: 'failing' as const, health_since: at } : {};
  return {
    columns: { ...since, failed_since: failedSince, last_error: error, ...(warns ? { warned_at: at } : {}) },
    warns,
  };
}
