import { randomUUID } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError, limitReached } from '../../../http/errors.js';
import type { Limit, RateLimiter } from '../../../http/rate-limit.js';
import { Slices } from '../../../runtime/slices.js';
import type { DeliveryRow } from '../deliveries/delivery.js';
import { findDelivery, insertDeliveries } from '../deliveries/delivery-store.js';
import type { Destination } from '../deliveries/destination.js';
import { queueLanes } from '../deliveries/lane-store.js';
import { planDeliveries, type WritingFor } from '../deliveries/new-deliveries.js';
import { LEASE_MS, type Sender } from '../deliveries/sender.js';
import type { ShownRequest } from '../deliveries/shown-request.js';
import { type ChannelTypes, findType } from '../types/registry.js';
import { type TestKind, testMessage } from '../types/texts/service-messages.js';
import type { ChannelAct } from './channel-act.js';
import type { ChannelDestinations } from './channel-destinations.js';
import type { UsedChannelRow } from './channel-row.js';
import { findChannel } from './channel-store.js';
import { dryRun } from './dry-run.js';

const MINUTE_MS = 60_000;
const TESTS_PER_MINUTE = 6;

interface TestSendOptions {
  readonly types: ChannelTypes;
  readonly db: Knex;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly sealer: Sealer;
  readonly limiter: Pick<RateLimiter, 'consume' | 'isExhausted'>;
  readonly destinations: ChannelDestinations;
  readonly sender: Pick<Sender, 'sendNow'>;
}

interface Tested extends Destination {
  /** True if an enabled policy names the channel. */
  readonly isUsed: boolean;
}

/** Caller of a test; the operator has no account. */
interface TestAct extends Pick<ChannelAct, 'actor'> {
  readonly account: Pick<ChannelAct['account'], 'owner'>;
}

/** Result of a test message to a channel. */
export interface TestResult extends Pick<UsedChannelRow, 'used_by'> {
  readonly ok: boolean;
  /** Null for a dry run. */
  readonly delivery: DeliveryRow | null;
  /** Null unless it was a dry run. */
  readonly request: ShownRequest | null;
  /** Reason why no alert reaches the channel, and the remedy; null if a policy names it. */
  readonly advice: string | null;
}

const UNUSED =
  'no enabled alert policy names the channel: add its id to channel_ids of your default policy by PATCH /v1/alert-policies/{id}, or name it in another policy';

function limitOf(ownerId: string): Limit {
  return { key: `alert-tests:${ownerId}`, limit: TESTS_PER_MINUTE, windowMs: MINUTE_MS };
}

/** Sends test messages, and waits for the result. */
export class TestSend {
  constructor(private readonly options: TestSendOptions) {}

  /** Refuses an account that has no test left in this minute. @throws ApiError RATE_LIMIT_EXCEEDED */
  async refuseExhausted(account: TestAct['account'] | null): Promise<void> {
    const { limiter } = this.options;
    const limit = account === null ? null : limitOf(account.owner.id);
    const allowance = limit !== null && limiter.isExhausted(limit) ? await limiter.consume(limit) : null;
    if (allowance?.isAllowed === false) throw limitReached('RATE_LIMIT_EXCEEDED', allowance);
  }

  /**
   * Sends one message to a channel, to its first verified recipient. A test key gets a dry run.
   * @throws ApiError ALERT_CHANNEL_NOT_FOUND, RATE_LIMIT_EXCEEDED
   */
  async run(
    id: string,
    { kind, isDryRun }: { readonly kind: TestKind; readonly isDryRun: boolean },
    act: TestAct,
  ): Promise<TestResult> {
    const { db, destinations, limiter } = this.options;
    const { owner } = act.account;
    const row = await findChannel(db, id, owner);
    if (row === null) throw new ApiError('ALERT_CHANNEL_NOT_FOUND');
    const allowance = await limiter.consume(limitOf(owner.id));
    if (!allowance.isAllowed) throw limitReached('RATE_LIMIT_EXCEEDED', allowance);
    const { used_by } = row;
    const isUsed = used_by.length > 0;
    const uses = { used_by, advice: isUsed ? null : UNUSED };
    const tested = { ...destinations.of(row), isUsed };
    if (isDryRun || owner.isTest || row.is_test)
      return { ok: true, delivery: null, request: await this.#dryRun(tested, kind), ...uses };
    const delivery = await this.#send(tested, kind, act);
    return { ok: delivery.status === 'sent', delivery, request: null, ...uses };
  }

  async #dryRun(destination: Tested, kind: TestKind): Promise<ShownRequest | null> {
    const { types, clock } = this.options;
    const type = findType(types, destination.type);
    const { locale, timezone } = destination;
    const recipient = firstRecipient(destination);
    const id = newId(idPrefixes.alertDelivery, clock.now());
    const message = this.#message({ id, locale, timezone, recipient }, destination, kind);
    const run = { destination, recipient, isPlain: false, clock };
    return type === null ? null : dryRun(type, message, run);
  }

  async #send(destination: Tested, kind: TestKind, { account, actor }: TestAct): Promise<DeliveryRow> {
    const { db, clock, sealer, sender } = this.options;
    const nowMs = clock.now();
    const recipient = firstRecipient(destination);
    const [planned] = await planDeliveries(
      {
        destination,
        ...(recipient === null ? {} : { to: [recipient] }),
        messageGroup: randomUUID(),
        kind: 'test',
        alertIds: [],
        alertCount: 0,
        write: (context) => this.#message(context, destination, kind),
      },
      { nowMs, sealer, slices: new Slices() },
    );
    if (planned === undefined) throw new ApiError('ALERT_CHANNEL_INVALID');
    const isWaiting = planned.finished_at === null;
    // if this process dies, any replica sends it when a lease would have run out
    const laterMs = nowMs + LEASE_MS;
    const row: DeliveryRow = isWaiting
      ? { ...planned, status: 'sending', next_attempt_at: new Date(laterMs) }
      : planned;
    await db.transaction(async (trx) => {
      await insertDeliveries(trx, [row]);
      if (isWaiting) await queueLanes(trx, [destination], laterMs);
      const { channelId: subject } = destination;
      const entry = { actor, accountId: account.owner.id, subject, action: 'alert_channel.tested' } as const;
      await insertAuditEntry(trx, { ...entry, details: { delivery: row.id } });
    });
    if (isWaiting) await sender.sendNow(row, destination);
    return (await findDelivery(db, row.id, account.owner)) ?? row;
  }

  #message({ id, ...audience }: WritingFor, { channelId, name, isUsed }: Tested, kind: TestKind) {
    const { clock, publicUrl } = this.options;
    const nowMs = clock.now();
    const payload = testPayload({ id, kind, channel: { id: channelId, name }, nowMs });
    // one thread for all tests of a channel: a test of an end ends the incident that a test began
    return testMessage(
      { id, thread: `test ${channelId}`, payload, kind, channelName: name, isUsed, nowMs, url: publicUrl },
      audience,
    );
  }
}

/** Event of a test as webhooks get it: of no alert. */
function testPayload({
  id,
  kind,
  channel,
  nowMs,
}: {
  readonly id: string;
  readonly kind: TestKind;
  readonly channel: { readonly id: string; readonly name: string };
  readonly nowMs: number;
}) {
  const at = new Date(nowMs).toISOString();
  const monitor = { id: null, name: 'example', type: 'https', target: 'https://example.com/' };
  const alert = { id: null, sequence: 0, status: 'firing', type: 'down', severity: 'critical', monitor, policy: null };
  const digest = { kind: 'digest', alert: null, monitor: null, policy: null, group: null, count: 1 };
  return {
    id,
    type: kind === 'resolved' ? 'alert.resolved' : 'alert.firing',
    version: 1,
    timestamp: at,
    sequence: 0,
    test: true,
    data:
      kind === 'digest'
        ? { ...digest, alerts: [{ ...alert, started_at: at }], channel }
        : { alert: null, monitor, policy: null, channel },
  };
}

/** First recipient that messages may go to, or else the first one; null for types without recipients. */
function firstRecipient({ recipients }: Destination): string | null {
  const usable = recipients?.find(({ isVerified, isUnsubscribed }) => isVerified && !isUnsubscribed);
  return (usable ?? recipients?.[0])?.to ?? null;
}
