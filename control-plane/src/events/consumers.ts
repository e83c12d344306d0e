import type { Knex } from 'knex';
import { type BackgroundParts, background, type Rounds } from '../runtime/background.js';
import type { Consumer } from './event.js';
import { leaseOf, MAX_ATTEMPTS, reasonOf, waitAfter } from './retry.js';
import {
  beginAttempts,
  type ClaimedEvent,
  claimEvents,
  deleteDeadMarks,
  deleteMarks,
  deleteStaleSubscriptions,
  deleteUnawaited,
  listWithDue,
  lockBegun,
  putOffMark,
  upsertSubscriptions,
} from './store.js';

// Every event has a mark for each consumer of its kind. Every replica runs every consumer; marks are claimed with SKIP LOCKED.
//
//   publish ──> event + marks ──> claim 100 ──> handle each ──> delete marks ──> commit        events without marks go after an hour
//                  (commit)          └── one throws: all roll back, that one is put off, the others are claimed again ──┘
//
// Replicas look when a transaction that published has committed: its own replica at once, the others by the bus. A message may
// be lost, so that every replica also looks every second.
//
// A consumer that handles many events at a time claims 1 000. After an error they are claimed again in halves, until the
// event that fails is alone:   1 000 ──fails──> 500 ──ok──> commit, 500 ──fails──> 250 …  ──fails──> 1: postponed
//
// Only the first event of a subject is claimed, so that a consumer gets them in order, including a postponed one; an
// event that failed too often is set aside, and the following ones continue. A replica that dies in between leaves its
// marks due.
//
// An event may be what kills the process: doubtful are those that were tried before, and all that a process finds when it
// starts. Their attempt is counted, and committed, before it is made; one that never ends is therefore repeated after the
// same waits as one that fails, and set aside after as many:
//
//   claim ──> count, put off ──> commit ──> lock again ──> handle ──> delete marks ──> commit
//
// Events of the normal way are not counted, which would cost a commit each: the first death by an event is not counted.

const LOOK_MS = 1_000;
const AT_ONCE = 100;
const SET_AT_ONCE = 1_000;

interface ConsumersOptions extends BackgroundParts {
  readonly consumers: readonly Consumer[];
  /** Delay before the second attempt at an event; default: that of `waitAfter`. */
  readonly firstWaitMs?: number;
}

/** An attempt at one event, or at several together, failed. */
class HandlingError extends Error {
  constructor(
    readonly claimed: readonly ClaimedEvent[],
    cause: unknown,
  ) {
    super('event not handled', { cause });
  }
}

/** Hands events to their consumers, in the background, for as long as it runs. */
export class Consumers {
  readonly #rounds: Rounds;
  readonly #byName: ReadonlyMap<string, Consumer>;
  /** True until everything that was due at the start is handled: any of it may have killed the previous process. */
  #isCareful = true;

  /** @throws RangeError when two consumers have the same name */
  constructor(private readonly options: ConsumersOptions) {
    const { consumers, clock, log } = options;
    this.#byName = new Map(consumers.map((consumer) => [consumer.name, consumer]));
    if (this.#byName.size < consumers.length) throw new RangeError('two consumers have the same name');
    this.#rounds = background({
      name: 'events',
      everyMs: LOOK_MS,
      look: (isStopped) => this.run(isStopped),
      failing: 'cannot hand events to consumers, retrying',
      clock,
      log,
    });
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** Announces the consumers: from then on every event of their kinds has their marks. */
  async start(): Promise<void> {
    await this.#announce();
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Looks for due events at once, as it also does every second. */
  look(): void {
    this.#rounds.look();
  }

  /** Handles all due events, each consumer in parallel with the others, so that one with many events delays no other. */
  async run(isStopped = () => false): Promise<void> {
    const waiting = await listWithDue(this.options.db, this.names);
    const ends = await Promise.allSettled(waiting.map((name) => this.#handleAllOf(name, isStopped)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    if (!isStopped()) this.#isCareful = false;
  }

  async #handleAllOf(name: string, isStopped: () => boolean): Promise<void> {
    while (!isStopped() && (await this.#handleSome(name)));
  }

  /** Renews the announcements of this replica, and deletes old events that no consumer waits for. */
  async tidy(): Promise<void> {
    const { db } = this.options;
    await this.#announce();
    await deleteStaleSubscriptions(db);
    await deleteDeadMarks(db);
    await deleteUnawaited(db);
  }

  #announce(): Promise<void> {
    const subscriptions = this.options.consumers.flatMap(({ name, kinds }) =>
      kinds.map((kind) => ({ consumer: name, kind })),
    );
    return upsertSubscriptions(this.options.db, subscriptions);
  }

  /** Handles due events, or those `among` that are still due. @returns true if there was work */
  async #handleSome(name: string, among: readonly number[] | null = null): Promise<boolean> {
    const consumer = this.#byName.get(name);
    if (consumer === undefined) return false;
    const { db } = this.options;
    try {
      const { claimed, begun } = await db.transaction((trx) => this.#claim(trx, consumer, among));
      if (begun.length > 0) await this.#handleBegun(consumer, begun);
      return claimed > 0;
    } catch (error) {
      if (!(error instanceof HandlingError)) throw error;
      if (error.claimed.length === 1) await this.#putOff(name, error);
      else for (const half of halvesOf(error.claimed)) await this.#handleSome(name, sequencesOf(half));
      return true;
    }
  }

  /** Claims events, handles those beyond doubt, and counts an attempt at doubtful ones, which are handled after the commit. */
  async #claim(trx: Knex, consumer: Consumer, among: readonly number[] | null) {
    const { name, kinds } = consumer;
    const limit = 'handleAll' in consumer ? SET_AT_ONCE : AT_ONCE;
    const claimed = await claimEvents(trx, name, { kinds, limit, among });
    const { sound, doubtful } = divide(claimed, this.#isCareful);
    await handleClaimed(trx, consumer, sound);
    const begun = doubtful.length === 0 ? [] : await this.#begin(trx, name, doubtful);
    return { claimed: claimed.length, begun };
  }

  async #begin(trx: Knex, consumer: string, doubtful: readonly ClaimedEvent[]): Promise<ClaimedEvent[]> {
    const [spent, left] = partition(doubtful, ({ attempts }) => attempts >= MAX_ATTEMPTS);
    for (const { event, attempts } of spent) {
      const reason = 'the process ended while it handled the event';
      await putOffMark(trx, consumer, { event, attempts, attempt: attempts }, { waitMs: null, reason });
      const fields = { consumer, eventId: event.id, kind: event.kind, attempt: attempts, reason };
      this.options.log.error(fields, 'event set aside: its consumer failed too often');
    }
    if (left.length === 0) return [];
    return beginAttempts(
      trx,
      consumer,
      left.map((one) => ({ ...one, waitMs: leaseOf(one.attempt, this.options.firstWaitMs) })),
    );
  }

  /** Handles events whose attempt is counted, except those that another replica has taken since. */
  async #handleBegun(consumer: Consumer, begun: readonly ClaimedEvent[]): Promise<void> {
    const { db } = this.options;
    try {
      await db.transaction(async (trx) => handleClaimed(trx, consumer, await lockBegun(trx, consumer.name, begun)));
    } catch (error) {
      if (!(error instanceof HandlingError)) throw error;
      const [one] = error.claimed;
      if (error.claimed.length > 1) for (const half of halvesOf(error.claimed)) await this.#handleBegun(consumer, half);
      else {
        await this.#putOff(consumer.name, error);
        const others = begun.filter((other) => other !== one);
        if (others.length > 0) await this.#handleBegun(consumer, others);
      }
    }
  }

  /** Puts off an event that failed alone. */
  async #putOff(consumer: string, { claimed: [one], cause }: HandlingError): Promise<void> {
    if (one === undefined) return;
    const { db, log, firstWaitMs } = this.options;
    const { event, attempt } = one;
    const waitMs = waitAfter(attempt, firstWaitMs);
    await putOffMark(db, consumer, one, { waitMs, reason: reasonOf(cause) });
    const fields = { err: cause, consumer, eventId: event.id, kind: event.kind, attempt };
    if (waitMs === null) log.error(fields, 'event set aside: its consumer failed too often');
    else log.warn({ ...fields, waitMs }, 'consumer failed, retrying');
  }
}

/**
 * Divides claimed events into those beyond doubt, which are handled at once, and doubtful ones, of which each that was
 * tried before is handled alone.
 */
function divide(claimed: readonly ClaimedEvent[], isCareful: boolean) {
  const [fresh, [again]] = partition(claimed, ({ attempts }) => attempts === 0);
  if (isCareful && fresh.length > 0) return { sound: [], doubtful: fresh };
  return { sound: fresh, doubtful: again === undefined ? [] : [again] };
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function halvesOf<T>(items: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

function sequencesOf(claimed: readonly ClaimedEvent[]): number[] {
  return claimed.map(({ event }) => event.sequence);
}

/** Handles events and deletes their marks. @throws HandlingError */
async function handleClaimed(trx: Knex, consumer: Consumer, claimed: readonly ClaimedEvent[]): Promise<void> {
  if (claimed.length === 0) return;
  for (const together of 'handleAll' in consumer ? [claimed] : claimed.map((one) => [one])) {
    try {
      await handleTogether(consumer, together, trx);
    } catch (error) {
      throw new HandlingError(together, error);
    }
  }
  const events = claimed.map(({ event }) => event);
  await deleteMarks(trx, consumer.name, events);
}

async function handleTogether(consumer: Consumer, claimed: readonly ClaimedEvent[], trx: Knex): Promise<void> {
  const events = claimed.map(({ event }) => event);
  if ('handleAll' in consumer) return consumer.handleAll(events, { trx });
  for (const event of events) await consumer.handle(event, { trx });
}
