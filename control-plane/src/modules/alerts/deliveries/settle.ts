import type { Knex } from 'knex';
import type { AttemptReport } from './attempt.js';
import type { DeliveryRow } from './delivery.js';
import { KEPT_ATTEMPTS } from './delivery.js';
import { type DeliveryChange, findNextDue, updateDelivery } from './delivery-store.js';
import type { ChannelEffect, Destination, Destinations } from './destination.js';
import { lockLane, releaseLane } from './lane-store.js';
import type { EndReason } from './needed.js';
import { decideNext } from './next-state.js';
import { requestedDelay } from './schedule.js';
import { insertFirst } from './thread-store.js';

/** Result of a claim of one delivery, and what it means for the lane of its channel. */
export interface Settlement {
  /** Change of the delivery; null if it goes on waiting as it was. */
  readonly change: DeliveryChange | null;
  /** Effect on the channel, or null. */
  readonly effect: ChannelEffect | null;
  /** Instant before which nothing else of the channel is sent; null to send at once. */
  readonly holdUntilMs: number | null;
}

/** Settlement of an attempt. `random`: 0 to 1. */
export function settleAttempt(
  row: DeliveryRow,
  { outcome, entry, mayHaveArrived, request }: AttemptReport,
  at: { readonly nowMs: number; readonly random: number; readonly destination: Destination },
): Settlement {
  const { nowMs, destination } = at;
  const tries = row.tries + 1;
  const tried = { kind: row.kind, createdAtMs: row.created_at.getTime(), tries, isPlain: row.is_plain };
  const next = decideNext(tried, outcome, at);
  const isWaiting = next.status === 'retrying';
  const change: DeliveryChange = {
    status: next.status,
    reason: next.status === 'dead' ? next.reason : null,
    attempts: [...row.attempts, entry].slice(-KEPT_ATTEMPTS),
    tries,
    isPlain: isWaiting ? next.isPlain : row.is_plain,
    mayHaveArrived: row.may_have_arrived || mayHaveArrived,
    providerId: outcome.kind === 'accepted' ? outcome.providerId : null,
    nextAttemptAtMs: isWaiting ? next.nextAttemptAtMs : null,
    finishedAtMs: isWaiting ? null : nowMs,
    request,
  };
  const delayMs = outcome.kind === 'retry' ? requestedDelay(outcome) : null;
  return {
    change,
    effect: effectOf(row, { outcome, nowMs, destination }),
    holdUntilMs: delayMs === null ? null : nowMs + delayMs,
  };
}

function effectOf(
  row: DeliveryRow,
  {
    outcome,
    nowMs,
    destination,
  }: {
    readonly outcome: AttemptReport['outcome'];
    readonly nowMs: number;
    readonly destination: Destination;
  },
): ChannelEffect {
  const base = { channelId: row.channel_id, atMs: nowMs };
  switch (outcome.kind) {
    case 'accepted':
      return {
        ...base,
        result: 'accepted',
        error: null,
        ...(outcome.config === undefined ? {} : { config: outcome.config }),
      };
    case 'retry':
      return { ...base, result: 'failed', error: outcome.error };
    case 'refused': {
      const isWhole = outcome.of === 'channel' || (outcome.of === 'recipient' && destination.recipients?.length === 1);
      return { ...base, result: isWhole ? 'refused' : 'none', error: outcome.error };
    }
  }
}

/** Settlement of a message that is not sent. */
export function settleDrop(row: DeliveryRow, reason: EndReason, nowMs: number): Settlement {
  const change: DeliveryChange = {
    ...unchanged(row),
    status: 'dropped',
    reason,
    nextAttemptAtMs: null,
    finishedAtMs: nowMs,
  };
  return { change, effect: null, holdUntilMs: null };
}

/** Settlement of a message that waits for its bucket. */
export function settleWait(row: DeliveryRow, untilMs: number, isOfRecipient: boolean): Settlement {
  const change: DeliveryChange = {
    ...unchanged(row),
    status: row.tries === 0 ? 'pending' : 'retrying',
    nextAttemptAtMs: isOfRecipient ? untilMs : (row.next_attempt_at?.getTime() ?? untilMs),
  };
  return { change, effect: null, holdUntilMs: isOfRecipient ? null : untilMs };
}

function unchanged(row: DeliveryRow): DeliveryChange {
  return {
    status: row.status,
    reason: null,
    attempts: row.attempts,
    tries: row.tries,
    isPlain: row.is_plain,
    mayHaveArrived: row.may_have_arrived,
    providerId: null,
    nextAttemptAtMs: row.next_attempt_at?.getTime() ?? null,
    finishedAtMs: null,
    request: null,
  };
}

/** Ends a lease under which no message was claimed. */
export async function releaseUnused(
  trx: Knex,
  channelId: string,
  { lease, nowMs }: { readonly lease: string; readonly nowMs: number },
): Promise<void> {
  if ((await lockLane(trx, channelId)) !== lease) return;
  await releaseLane(trx, channelId, { dueAt: await findNextDue(trx, channelId, nowMs), heldUntilMs: null });
}

/**
 * Records a settlement. A sender whose lease ran out changes nothing, unless its message was accepted: that ends the delivery,
 * no matter which replica sends it by now. `lease` is null if the message was sent outside of its lane.
 * @returns false if it changed nothing
 */
export async function recordSettlement(
  trx: Knex,
  row: DeliveryRow,
  {
    settlement,
    lease,
    nowMs,
    destinations,
  }: {
    readonly settlement: Settlement;
    readonly lease: string | null;
    readonly nowMs: number;
    readonly destinations: Pick<Destinations, 'note'>;
  },
): Promise<boolean> {
  const { change, effect, holdUntilMs } = settlement;
  const isMine = (await lockLane(trx, row.channel_id)) === lease;
  const mayChange = lease === null || isMine || change?.status === 'sent';
  const isChanged = mayChange && change !== null && (await updateDelivery(trx, row.id, change));
  if (isChanged && change.status === 'sent' && change.providerId !== null)
    await insertFirst(trx, row, { providerId: change.providerId, at: new Date(nowMs) });
  if (isChanged && effect !== null) await destinations.note(trx, effect);
  if (lease !== null && isMine) {
    const dueAt = await findNextDue(trx, row.channel_id, nowMs);
    await releaseLane(trx, row.channel_id, { dueAt, heldUntilMs: holdUntilMs });
  }
  return isChanged;
}
