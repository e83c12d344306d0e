import { randomUUID } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type Actor, program } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Sealer } from '../../../crypto/sealing.js';
import type { RateLimiter } from '../../../http/rate-limit.js';
import type { Recipient } from '../deliveries/destination.js';
import type { Outgoing } from '../deliveries/outgoing.js';
import { type ChannelTypes, findType } from '../types/registry.js';
import { verificationMessage } from '../types/texts/service-messages.js';
import type { ChannelDestinations } from './channel-destinations.js';
import { channelInvalid } from './channel-refusals.js';
import type { ChannelRow } from './channel-row.js';
import { lockAnyChannel } from './channel-store.js';
import { recipientsOf } from './channel-view.js';
import { hashCode, judgeCode, newCode } from './codes.js';
import { type LinkRight, openLink, sealLink } from './link-tokens.js';
import {
  countTry,
  lockCode,
  markResubscribed,
  markUnsubscribed,
  markVerified,
  resumeMonitor,
  stopMonitor,
  upsertCode,
} from './recipient-store.js';

const HOUR_MS = 3_600_000;
/** Codes that one mailbox or number is sent per hour, no matter who asks for them. */
const CODES_PER_HOUR = 3;
/** Codes that one account may have sent per hour: they go to people who did not ask for them. */
const CODES_PER_ACCOUNT = 100;

interface VerificationOptions {
  readonly types: ChannelTypes;
  readonly db: Knex;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly limiter: Pick<RateLimiter, 'consume'>;
  readonly outgoing: Outgoing;
  readonly destinations: ChannelDestinations;
  readonly linkSealer: Sealer;
  /** Key of the hashes of codes and of the names of limits. */
  readonly key: Uint8Array;
}

/** Right of a link, with its channel and its recipient there. */
export interface KnownLink {
  readonly right: LinkRight;
  readonly row: ChannelRow;
  readonly recipient: Recipient;
}

/** Verifies that recipients want the messages of a channel, and lets them unsubscribe. */
export class Verification {
  constructor(private readonly options: VerificationOptions) {}

  /** Sends a code to each of these recipients, except to those that had three within the hour. @returns those that it was sent to */
  async sendCodes(trx: Knex, row: ChannelRow, addresses: readonly string[]): Promise<string[]> {
    const sent: string[] = [];
    for (const address of addresses) if (await this.#sendCode(trx, row, address)) sent.push(address);
    return sent;
  }

  /** Checks a code. @throws ApiError ALERT_CHANNEL_INVALID for a wrong code, or one that is no longer accepted */
  async confirm(
    row: ChannelRow,
    { to, code }: { readonly to: string; readonly code: string },
    actor: Actor,
  ): Promise<void> {
    const { db, clock, key } = this.options;
    const nowMs = clock.now();
    const judgment = await db.transaction(async (trx) => {
      const stored = await lockCode(trx, row.id, to);
      const given = hashCode({ channelId: row.id, address: to, code }, key);
      const known =
        stored === null
          ? null
          : {
              hash: stored.code_hash,
              expiresAtMs: stored.code_expires_at?.getTime() ?? null,
              tries: stored.code_tries,
            };
      const result = judgeCode(known, given, nowMs);
      if (result === 'wrong') await countTry(trx, row.id, to);
      if (result === 'accepted') {
        await markVerified(trx, row.id, to, new Date(nowMs));
        const entry = { actor, accountId: row.owner_id, subject: row.id } as const;
        await insertAuditEntry(trx, { ...entry, action: 'alert_channel.recipient_verified', details: { to } });
      }
      return result;
    });
    if (judgment === 'wrong') throw channelInvalid('code', 'is not the code that was sent');
    if (judgment === 'ended')
      throw channelInvalid('code', 'is no longer accepted: request a new one by sending no code');
  }

  /** Right that a link gives, with its channel; null if the link is not valid, or its recipient is not one any more. */
  async findLink(token: string, act: LinkRight['act']): Promise<KnownLink | null> {
    const { db, linkSealer, types } = this.options;
    const right = openLink(token, act, linkSealer);
    if (right === null) return null;
    const row = await db.transaction((trx) => lockAnyChannel(trx, right.channelId));
    const recipient = row === null ? undefined : recipientsOf(row, types)?.find(({ to }) => to === right.to);
    return row === null || recipient === undefined ? null : { right, row, recipient };
  }

  /** Ends messages to a recipient, until it resubscribes or the owner of the channel verifies it again. */
  async unsubscribe({ right, row }: Pick<KnownLink, 'right' | 'row'>): Promise<void> {
    const { db, clock } = this.options;
    await db.transaction(async (trx) => {
      if (!(await markUnsubscribed(trx, row.id, right.to, new Date(clock.now())))) return;
      const entry = { actor: program, accountId: row.owner_id, subject: row.id } as const;
      await insertAuditEntry(trx, {
        ...entry,
        action: 'alert_channel.recipient_unsubscribed',
        details: { to: right.to },
      });
    });
  }

  /** Sends messages to a recipient again that unsubscribed by the same link. */
  async resubscribe({ right, row }: Pick<KnownLink, 'right' | 'row'>): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      if (!(await markResubscribed(trx, row.id, right.to))) return;
      const entry = { actor: program, accountId: row.owner_id, subject: row.id } as const;
      const details = { to: right.to };
      await insertAuditEntry(trx, { ...entry, action: 'alert_channel.recipient_resubscribed', details });
    });
  }

  /** Ends messages to a recipient about the monitor of a link, until the owner of the channel resumes them. */
  async stop({ right, row }: Pick<KnownLink, 'right' | 'row'>): Promise<void> {
    const { to, monitor } = right;
    if (monitor === undefined) return;
    await this.options.db.transaction(async (trx) => {
      if (!(await stopMonitor(trx, { channelId: row.id, address: to, monitorId: monitor.id }))) return;
      const entry = { actor: program, accountId: row.owner_id, subject: row.id } as const;
      const details = { to, monitor: monitor.id };
      await insertAuditEntry(trx, { ...entry, action: 'alert_channel.monitor_stopped', details });
    });
  }

  /** Sends messages about a monitor to a recipient again. @throws ApiError ALERT_CHANNEL_INVALID if they were not stopped */
  async resume(
    row: ChannelRow,
    { to, monitorId }: { readonly to: string; readonly monitorId: string },
    actor: Actor,
  ): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      if (!(await resumeMonitor(trx, { channelId: row.id, address: to, monitorId })))
        throw channelInvalid('monitor_id', 'is not in stopped_monitors of this recipient', 'not_found');
      const entry = { actor, accountId: row.owner_id, subject: row.id } as const;
      const details = { to, monitor: monitorId };
      await insertAuditEntry(trx, { ...entry, action: 'alert_channel.monitor_resumed', details });
    });
  }

  async #sendCode(trx: Knex, row: ChannelRow, address: string): Promise<boolean> {
    const { types, clock, outgoing, destinations, linkSealer, publicUrl, key } = this.options;
    const type = findType(types, row.type);
    if (type?.verification === undefined || row.is_test) return false;
    if (!(await this.#mayAsk(row.owner_id, type.limitedBy?.(address) ?? address))) return false;
    const { digits, lifeMs, hasLink } = type.verification;
    const code = newCode(digits);
    const nowMs = clock.now();
    const hash = hashCode({ channelId: row.id, address, code }, key);
    await upsertCode(trx, { channelId: row.id, address, hash, expiresAt: new Date(nowMs + lifeMs) });
    const token = sealLink({ act: 'verify', channelId: row.id, to: address, code }, linkSealer);
    const url = hasLink ? new URL(`/alert-channels/verify/${token}`, publicUrl).href : null;
    await outgoing.enqueue(trx, [
      {
        destination: destinations.of(row),
        to: [address],
        messageGroup: randomUUID(),
        kind: 'verification',
        alertIds: [],
        alertCount: 0,
        write: ({ id, ...audience }) =>
          verificationMessage({ id, thread: id, payload: {}, code, validMs: lifeMs, nowMs, url }, audience),
      },
    ]);
    return true;
  }

  async #mayAsk(ownerId: string, receiver: string): Promise<boolean> {
    const { limiter, key } = this.options;
    const name = hashCode({ channelId: '', address: receiver, code: '' }, key).toString('base64url');
    const limits = [
      { key: `alert-codes-of:${ownerId}`, limit: CODES_PER_ACCOUNT, windowMs: HOUR_MS },
      { key: `alert-codes:${name}`, limit: CODES_PER_HOUR, windowMs: HOUR_MS },
    ];
    for (const limit of limits) if (!(await limiter.consume(limit)).isAllowed) return false;
    return true;
  }
}
