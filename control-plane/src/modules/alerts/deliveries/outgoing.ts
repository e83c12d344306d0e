import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Sealer } from '../../../crypto/sealing.js';
import { afterCommit } from '../../../db/after-commit.js';
import { Slices } from '../../../runtime/slices.js';
import type { DeliveryRow } from './delivery.js';
import { insertDeliveries } from './delivery-store.js';
import { FALLBACK_AFTER_MS } from './fallback-decision.js';
import { insertFallbacks } from './fallback-store.js';
import { queueLanes } from './lane-store.js';
import { type NewMessage, planDeliveries } from './new-deliveries.js';

interface OutgoingOptions {
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Called when messages wait. */
  readonly onWaiting: () => void;
}

/** Entry point for messages of the rest of the module. */
export class Outgoing {
  constructor(private readonly options: OutgoingOptions) {}

  /** Queues messages in the transaction `trx`; they are sent after its commit, by any replica. */
  async enqueue(trx: Knex, messages: readonly NewMessage[]): Promise<DeliveryRow[]> {
    const { clock, sealer, onWaiting } = this.options;
    const nowMs = clock.now();
    const slices = new Slices();
    const rows: DeliveryRow[] = [];
    for (const message of messages) rows.push(...(await planDeliveries(message, { nowMs, sealer, slices })));
    await insertDeliveries(trx, rows);
    const waiting = rows.filter(({ finished_at: finishedAt }) => finishedAt === null);
    const retried = new Set(messages.filter(({ isRetry }) => isRetry).map(({ messageGroup }) => messageGroup));
    const digests = new Set(messages.filter(({ hasFallback }) => hasFallback).map(({ messageGroup }) => messageGroup));
    const watched = groupsWithFallback(rows, digests).filter(({ messageGroup }) => !retried.has(messageGroup));
    await insertFallbacks(trx, watched, nowMs + FALLBACK_AFTER_MS);
    await queueLanes(trx, waiting.map(laneOf), nowMs);
    if (waiting.length > 0) afterCommit(trx, onWaiting);
    return rows;
  }
}

function laneOf(row: DeliveryRow) {
  return { channelId: row.channel_id, ownerId: row.owner_id };
}

function groupsWithFallback(
  rows: readonly DeliveryRow[],
  digests: ReadonlySet<string>,
): { messageGroup: string; ownerId: string }[] {
  const watched = rows.filter(
    (row) =>
      (row.kind === 'firing' || digests.has(row.message_group)) &&
      !row.is_fallback &&
      !row.is_test &&
      row.reason !== 'test_mode',
  );
  const groups = new Map(watched.map((row) => [row.message_group, row.owner_id]));
  return [...groups].map(([messageGroup, ownerId]) => ({ messageGroup, ownerId }));
}
