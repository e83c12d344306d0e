import type { Static } from 'typebox';
import type { Recipient } from '../deliveries/destination.js';
import { type ChannelTypes, findType } from '../types/registry.js';
import type { ChannelRow, UsedChannelRow } from './channel-row.js';
import type { AlertChannelSchema } from './channel-schema.js';

/** Recipients of a channel with their state; null for types without recipients. */
export function recipientsOf(row: ChannelRow, types: ChannelTypes): Recipient[] | null {
  const type = findType(types, row.type);
  if (type?.recipients === undefined) return null;
  const addresses = row.is_default ? addressOfAccount(row) : type.recipients(row.config as never);
  const states = new Map(row.recipients.map((recipient) => [recipient.address, recipient]));
  return addresses.map((to) => {
    const isOwn = to === row.account_email && row.is_account_verified;
    const state = states.get(to);
    return {
      to,
      isVerified: isOwn || (!row.is_default && state?.is_verified === true),
      isUnsubscribed: state?.is_unsubscribed === true,
      stoppedMonitors: state?.stopped_monitors ?? [],
    };
  });
}

function addressOfAccount({ account_email: email }: ChannelRow): string[] {
  return email === null ? [] : [email];
}

/** True if every recipient has confirmed; for types without codes, once a message was accepted. */
function isVerified(row: ChannelRow, recipients: readonly Recipient[] | null, hasCodes: boolean): boolean {
  if (row.is_default) return row.is_account_verified;
  if (recipients === null || !hasCodes) return row.verified_at !== null;
  return recipients.every((recipient) => recipient.isVerified && !recipient.isUnsubscribed);
}

/** A channel as the API shows it, without secrets. */
export function channelView(row: UsedChannelRow, types: ChannelTypes): Static<typeof AlertChannelSchema> {
  const recipients = recipientsOf(row, types);
  const hasCodes = findType(types, row.type)?.verification !== undefined;
  return {
    id: row.id,
    user_id: row.owner_id,
    is_test: row.is_test,
    name: row.name,
    type: row.type,
    config: row.is_default ? { to: addressOfAccount(row) } : { ...row.config },
    verified: isVerified(row, recipients, hasCodes),
    enabled: row.is_enabled,
    is_default: row.is_default,
    locale: row.locale,
    timezone: row.timezone,
    max_per_minute: row.max_per_minute,
    template: row.template,
    recipients: (recipients ?? []).map(({ to, isVerified, isUnsubscribed, stoppedMonitors }) => ({
      to,
      verified: hasCodes ? isVerified : row.verified_at !== null,
      unsubscribed: isUnsubscribed,
      stopped_monitors: [...stoppedMonitors],
    })),
    health: {
      status: row.health,
      since: row.health_since?.toISOString() ?? null,
      last_error: row.last_error,
      last_sent_at: row.last_sent_at?.toISOString() ?? null,
    },
    used_by: [...row.used_by],
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
