import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { KeptResponses } from '../../../limits/kept-responses.js';
import { type BackgroundParts, background, type Rounds } from '../../../runtime/background.js';
import { laterTurn } from '../../../runtime/slices.js';
import { type AttemptParts, type AttemptReport, attemptDelivery, bucketsOfDelivery } from './attempt.js';
import { takeFromBuckets } from './bucket-store.js';
import type { DeliveryCounts } from './counts.js';
import type { DeliveryRow } from './delivery.js';
import type { Destination, Destinations } from './destination.js';
import type { Fallbacks } from './fallbacks.js';
import { claimDeliveries } from './lane-store.js';
import { type EndReason, isAlwaysNeeded, type Needed } from './needed.js';
import { refusalOf } from './new-deliveries.js';
import type { Quotas } from './quotas.js';
import { recordSettlement, releaseUnused, type Settlement, settleAttempt, settleDrop, settleWait } from './settle.js';
import { readFirsts } from './thread-store.js';

// Each channel with messages that wait has a lane, and each lane at most one lease: one message of a channel is in flight, and
// replicas never send the same one at once.
//
//   enqueue ──> lane due ──> lease for 60 s ──> needed? ──> bucket ──> send ──> record, release ──> lane due, or empty
//                                └── replica dies: the lease runs out, and another one sends it, with the same id ──┘

const LOOK_MS = 1_000;
/** Time for which a lease holds, in milliseconds. */
export const LEASE_MS = 60_000;
/** Messages that a replica has in flight. */
const MAX_IN_FLIGHT = 128;
/** Those of one account: receivers that do not respond hold each for seconds. */
const MAX_OF_ACCOUNT = 16;

interface SenderOptions extends Omit<AttemptParts, 'destinations'>, BackgroundParts {
  readonly destinations: Destinations;
  readonly needed: Needed;
  readonly fallbacks: Pick<Fallbacks, 'run'>;
  readonly quotas: Pick<Quotas, 'take'>;
  readonly counts: DeliveryCounts;
  readonly kept: Pick<KeptResponses, 'keeps'>;
  /** Key of the names of buckets. */
  readonly bucketKey: Uint8Array;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Facts about a claimed message, read with those of all that were claimed with it. */
interface Known {
  /** Undefined if its channel does not exist any more. */
  readonly destination: Destination | undefined;
  /** Reason why it is not needed any more; undefined if it is. */
  readonly refused: EndReason | undefined;
  /** As in Attempt. */
  readonly firstProviderId: string | null;
}

/** Sends messages to channels, in the background, for as long as it runs. */
export class Sender {
  readonly #rounds: Rounds;
  /** Messages in flight, with their accounts. */
  readonly #inFlight = new Map<Promise<void>, string>();
  readonly #stopped = new AbortController();
  #fallbacksAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: SenderOptions) {
    const { clock, log } = options;
    // each attempt in flight listens
    setMaxListeners(0, this.#stopped.signal);
    this.#rounds = background({
      name: 'alert messages',
      everyMs: LOOK_MS,
      look: (isStopped) => this.#turn(isStopped),
      failing: 'cannot claim messages of alerts, retrying',
      clock,
      log,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Messages in flight are given up: another replica sends them. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#rounds.stop();
    await Promise.all(this.#inFlight.keys());
  }

  /** Resolves when no message is in flight, and none is looked for. */
  async idle(): Promise<void> {
    do {
      await Promise.all(this.#inFlight.keys());
      await this.#rounds.idle();
    } while (this.#inFlight.size > 0);
  }

  /** Looks for messages at once; does nothing where no messages are sent. */
  wake(): void {
    this.#rounds.look();
  }

  async #turn(isStopped: () => boolean): Promise<void> {
    await this.#runFallbacks();
    while (!isStopped() && this.#inFlight.size < MAX_IN_FLIGHT && (await this.#claim()));
  }

  async #runFallbacks(): Promise<void> {
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - this.#fallbacksAtMs < LOOK_MS) return;
    this.#fallbacksAtMs = nowMs;
    await this.options.fallbacks.run();
  }

  /** Claims messages and begins to send them; lanes without one are released. @returns false if no lane was due */
  async #claim(): Promise<boolean> {
    const { db, clock } = this.options;
    const nowMs = clock.now();
    const lease = { id: randomUUID(), nowMs, untilMs: nowMs + LEASE_MS };
    const limit = MAX_IN_FLIGHT - this.#inFlight.size;
    const room = { limit, ofAccount: MAX_OF_ACCOUNT, inFlight: countOf(this.#inFlight.values()) };
    const { rows, empty } = await claimDeliveries(db, lease, room);
    for (const lane of empty) await db.transaction((trx) => releaseUnused(trx, lane, { lease: lease.id, nowMs }));
    if (rows.length > 0) await this.#begin(rows, lease.id);
    return rows.length + empty.length > 0;
  }

  async #begin(rows: readonly DeliveryRow[], lease: string): Promise<void> {
    const { db, destinations } = this.options;
    const [channels, refused, firsts] = await Promise.all([
      destinations.read(db, [...new Set(rows.map((row) => row.channel_id))]),
      this.#refused(rows),
      readFirsts(db, rows),
    ]);
    for (const row of rows) {
      const work = this.#handle(row, lease, {
        destination: channels.get(row.channel_id),
        refused: refused.get(row.id),
        firstProviderId: firsts.get(row.id) ?? null,
      });
      this.#inFlight.set(work, row.owner_id);
      void work.finally(() => {
        this.#inFlight.delete(work);
        this.wake();
      });
    }
  }

  #refused(rows: readonly DeliveryRow[]): Promise<ReadonlyMap<string, EndReason>> {
    const { db, needed } = this.options;
    const asked = rows.filter(({ kind }) => !isAlwaysNeeded(kind));
    const messages = asked.map((row) => ({
      id: row.id,
      ownerId: row.owner_id,
      channelId: row.channel_id,
      kind: row.kind,
      alertIds: row.alert_ids,
      alertCount: row.alert_count,
      thread: row.thread,
      messageGroup: row.message_group,
      mayHaveArrived: row.may_have_arrived,
    }));
    return messages.length === 0 ? Promise.resolve(new Map()) : needed.refuse(db, messages);
  }

  /** Never rejects. */
  async #handle(row: DeliveryRow, lease: string, known: Known): Promise<void> {
    const { db, clock, log, destinations } = this.options;
    try {
      const settlement = await this.#settle(row, known);
      await db.transaction((trx) =>
        recordSettlement(trx, row, { settlement, lease, nowMs: clock.now(), destinations }),
      );
    } catch (error) {
      log.warn({ err: error, deliveryId: row.id }, 'cannot record the attempt at a message, it is sent again');
    }
  }

  /** Sends a message, or decides why not. When this replica stops, the message waits for another one. */
  async #settle(row: DeliveryRow, { destination, refused, firstProviderId }: Known): Promise<Settlement> {
    const { db, clock, counts, random } = this.options;
    const reason = refused ?? refusalNow(row, destination);
    if (reason !== null || destination === undefined) {
      counts.countDelivery(row.type, 'dropped');
      return settleDrop(row, reason ?? 'channel_deleted', clock.now());
    }
    const { waitMs, isOfRecipient } = await takeFromBuckets(db, this.#buckets(row, destination), clock.now());
    if (waitMs > 0) return settleWait(row, clock.now() + waitMs, isOfRecipient);
    const report = await this.#attempt(row, destination, firstProviderId);
    if (report === null) return settleDrop(row, 'quota', clock.now());
    if (this.#stopped.signal.aborted && report.outcome.kind !== 'accepted')
      return settleWait({ ...row, may_have_arrived: row.may_have_arrived || report.mayHaveArrived }, clock.now(), true);
    return settleAttempt(row, report, { nowMs: clock.now(), random: random(), destination });
  }

  /**
   * Sends a message that is in no lane, its plain form included, and records the result. A bucket without room, or a channel that may
   * not get it, ends it.
   */
  async sendNow(row: DeliveryRow, destination: Destination): Promise<void> {
    const next = await this.#sendOnce(row, destination);
    // its plain form, after its markup was refused
    if (next !== null) await this.#sendOnce(next, destination);
  }

  /** @returns the delivery if it has not ended */
  async #sendOnce(row: DeliveryRow, destination: Destination): Promise<DeliveryRow | null> {
    const { db, clock, destinations, random } = this.options;
    const { waitMs } = await takeFromBuckets(db, this.#buckets(row, destination), clock.now());
    const firstProviderId = (await readFirsts(db, [row])).get(row.id) ?? null;
    const report = waitMs > 0 ? outOfRoom(clock.now(), waitMs) : await this.#attempt(row, destination, firstProviderId);
    const settlement =
      report === null
        ? settleDrop(row, 'quota', clock.now())
        : settleAttempt(row, report, { nowMs: clock.now(), random: random(), destination });
    const known = waitMs > 0 ? { ...settlement, effect: null } : settlement;
    await db.transaction((trx) =>
      recordSettlement(trx, row, { settlement: known, lease: null, nowMs: clock.now(), destinations }),
    );
    const { change } = settlement;
    if (change === null || change.finishedAtMs !== null) return null;
    return { ...row, attempts: [...change.attempts], tries: change.tries, is_plain: change.isPlain };
  }

  #buckets(row: DeliveryRow, destination: Destination) {
    const { types, bucketKey: key } = this.options;
    return bucketsOfDelivery(row, destination, { types, key });
  }

  /** Sends a message once, and counts it. @returns null if the plan allows no more this month */
  async #attempt(
    row: DeliveryRow,
    destination: Destination,
    firstProviderId: string | null,
  ): Promise<AttemptReport | null> {
    const { clock, counts, quotas, kept } = this.options;
    const { ownerId, plan } = destination;
    const place = await quotas.take({ ownerId, plan, type: row.type }, clock.now());
    if (place === null) {
      counts.countDelivery(row.type, 'dropped');
      return null;
    }
    // one message is written for its vendor per turn, of as many as are in flight: it may take ten milliseconds
    await laterTurn();
    const made = await attemptDelivery(this.options, row, {
      destination,
      firstProviderId,
      signal: this.#stopped.signal,
    });
    const texts = [made.entry.response ?? '', made.request === null ? '' : JSON.stringify(made.request)];
    const isKept = await kept.keeps(ownerId, Buffer.byteLength(texts.join('')));
    const report = isKept ? made : { ...made, request: null, entry: { ...made.entry, response: null } };
    counts.countDelivery(row.type, report.entry.outcome);
    if (report.outcome.kind !== 'accepted' && !report.mayHaveArrived) await place.giveBack();
    if (report.outcome.kind === 'accepted')
      counts.observeDelivery(row.type, (clock.now() - row.created_at.getTime()) / 1_000);
    return report;
  }
}

function countOf(values: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Report of a message that was not sent, since the channel may get no more at present. */
function outOfRoom(nowMs: number, waitMs: number): AttemptReport {
  const error = `not sent: the channel takes no more messages for ${Math.ceil(waitMs / 1_000)} s`;
  const entry = { duration_ms: 0, outcome: 'retry', status_code: null, error, response: null } as const;
  return {
    outcome: { kind: 'retry', error, retryAfterMs: null },
    entry: { at: new Date(nowMs).toISOString(), ...entry },
    mayHaveArrived: false,
    request: null,
  };
}

/** Reason why a message may not be sent to its recipient now; null if it may. */
function refusalNow(row: DeliveryRow, destination: Destination | undefined): EndReason | null {
  if (destination === undefined) return 'channel_deleted';
  const recipient = row.recipient === null ? null : destination.recipients?.find(({ to }) => to === row.recipient);
  // taken out of the channel meanwhile
  if (recipient === undefined) return 'unverified';
  return refusalOf({ kind: row.kind, isFallback: row.is_fallback }, destination, recipient);
}
