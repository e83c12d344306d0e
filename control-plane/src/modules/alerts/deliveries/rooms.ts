import type { Knex } from 'knex';
import type { ChannelTypes } from '../types/registry.js';
import { bucketsOfDelivery } from './attempt.js';
import { readTaken } from './bucket-store.js';
import { type KeyedBucket, roomWithin, type Taken } from './buckets.js';
import { countUntried } from './delivery-store.js';
import type { Destination } from './destination.js';

/** Instants between which messages are to leave. */
interface Span {
  readonly nowMs: number;
  readonly withinMs: number;
}

/** Room of channels in their limits. */
export class Rooms {
  constructor(private readonly options: { readonly types: ChannelTypes; readonly key: Uint8Array }) {}

  /** Number of messages that each of these channels may get within a time, besides those that wait already; Infinity: any. */
  async read(trx: Knex, destinations: readonly Destination[], span: Span): Promise<ReadonlyMap<string, number>> {
    if (destinations.length === 0) return new Map();
    const channels = destinations.map((destination) => ({ destination, buckets: this.#bucketsOf(destination) }));
    const keys = channels.flatMap(({ buckets }) => buckets.flatMap(({ own }) => own.map(({ key }) => key)));
    const taken = await readTaken(trx, [...new Set(keys)]);
    const untried = await countUntried(
      trx,
      destinations.map(({ channelId }) => channelId),
      span.nowMs,
    );
    const waitingOf = new Map<string, Waiting[]>();
    for (const one of untried) {
      const own = waitingOf.get(one.channel_id);
      if (own === undefined) waitingOf.set(one.channel_id, [one]);
      else own.push(one);
    }
    return new Map(
      channels.map(({ destination: { channelId }, buckets }) => {
        const waiting = waitingOf.get(channelId) ?? [];
        return [channelId, roomOf(buckets, { waiting, taken, span })];
      }),
    );
  }

  #bucketsOf(destination: Destination): Buckets[] {
    const { channelId, type, recipients } = destination;
    const all = recipients === null ? [null] : recipients.map(({ to }) => to);
    return all.map((recipient) => ({
      recipient,
      own: bucketsOfDelivery({ channel_id: channelId, type, recipient }, destination, this.options),
    }));
  }
}

/** Messages to one recipient that wait for their first attempt. */
interface Waiting {
  readonly recipient: string | null;
  readonly count: number;
}

/** Buckets of a message to one recipient. */
interface Buckets {
  readonly recipient: string | null;
  readonly own: readonly KeyedBucket[];
}

/** A message takes one place in the buckets of each recipient, and one for each recipient in those that they share. */
function roomOf(
  buckets: readonly Buckets[],
  {
    waiting,
    taken,
    span,
  }: {
    readonly waiting: readonly Waiting[];
    readonly taken: ReadonlyMap<string, Taken>;
    readonly span: Span;
  },
): number {
  const all = waiting.reduce((sum, { count }) => sum + count, 0);
  const rooms = buckets.map(({ recipient, own }) => {
    const mine = waiting.find((one) => one.recipient === recipient)?.count ?? 0;
    const alone = roomWithin(own.filter(isOfRecipient), taken, span) - mine;
    const shared =
      roomWithin(
        own.filter((bucket) => !isOfRecipient(bucket)),
        taken,
        span,
      ) - all;
    return Math.min(alone, Math.floor(shared / buckets.length));
  });
  return Math.max(0, Math.min(Number.POSITIVE_INFINITY, ...rooms));
}

function isOfRecipient({ of }: KeyedBucket): boolean {
  return of === 'recipient';
}
