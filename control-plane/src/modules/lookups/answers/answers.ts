import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Bus } from '../../../bus/bus.js';
import { type Answer, type Judgment, judgeKept, type Kept, nothingKept } from './answer.js';
import type { AnswerMemory } from './answer-memory.js';
import { deleteSubjects, findAnswers, keepAnswer, listSubjects } from './answer-store.js';
import { endClaim, takeClaim } from './claim-store.js';
import type { WakeUps } from './wake-ups.js';

// A key that no one knows is asked about once, by one replica:
//
//   caller ──memory──table──> answer                                                        hit
//      └──> flight of this replica ──claim taken──> paid ──> asked ──> kept, claim ended, other replicas notified
//                └──claim of another──> bus message, or a read every 500 ms ──> answer
//                                       └──its lease has ended──> claim taken over
//
// A flight does not end with its callers. While a replica lives it renews its lease, however long a node takes.

/** Interval of reads while another replica asks: its message may be lost. */
const REREAD_MS = 500;

/** A question with its key in the cache. */
export interface Asked {
  /** Cache key: equal questions have equal keys. */
  readonly key: string;
  /** Host or address that it is about, in canonical form. */
  readonly subject: string;
  /** Longest time that a caller waits, and the lease of a claim, in milliseconds. */
  readonly deadlineMs: number;
  /** Asks; `signal` is aborted when this replica stops. @throws ApiError that is not kept: no node, no budget */
  ask(signal: AbortSignal): Promise<Answer>;
}

/** Payment of the caller whose question is asked. */
export interface Payment {
  giveBack(): Promise<void>;
}

/** End of a flight. `notPaid`: the caller who began it could not pay, another may begin it. */
export type FlightEnd =
  | { readonly kind: 'found'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'notPaid'; readonly error: unknown };

interface AnswersOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly replicaId: string;
  readonly memory: AnswerMemory;
  readonly wakeUps: WakeUps;
  readonly log: Logger;
}

/** A flight, and whether the caller began it. */
export interface Joined {
  readonly end: Promise<FlightEnd>;
  readonly isOwn: boolean;
}

/** Answers that all replicas share, each asked for by one of them. */
export class Answers {
  readonly #flights = new Map<string, Promise<FlightEnd>>();
  readonly #reads = new Map<string, Promise<Kept>>();
  readonly #stopping = new AbortController();

  constructor(private readonly options: AnswersOptions) {}

  start(): void {
    const { bus, memory } = this.options;
    bus.onMessage((message) => {
      if (message.type === 'lookups') for (const key of message.ids) this.#hear(key);
    });
    bus.onResync(() => memory.clear());
  }

  /** Ends waiting; flights end without an answer. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#flights.values());
  }

  /** Judges what memory and table keep of a key. */
  async judge(key: string, maxAgeMs: number | null): Promise<Judgment> {
    const { clock, memory } = this.options;
    const known = memory.find(key);
    const judged = judgeKept(known ?? nothingKept, clock.now(), maxAgeMs);
    // a flight of this replica knows more than the table
    if (judged.use !== 'nothing' || this.#flights.has(key)) return judged;
    return judgeKept(await this.#read(key), clock.now(), maxAgeMs);
  }

  /** Answer that stands in for one that cannot be had, or null. */
  async findStale(key: string): Promise<Answer | null> {
    const { answer } = await this.#read(key);
    return answer !== null && this.options.clock.now() < answer.staleUntilMs ? answer : null;
  }

  /** Joins the flight of a key on this replica, or begins one, for which `pay` is called before anything is asked. */
  fly(asked: Asked, maxAgeMs: number | null, pay: () => Promise<Payment>): Joined {
    const running = this.#flights.get(asked.key);
    if (running !== undefined) return { end: running, isOwn: false };
    const end = this.#fly(asked, maxAgeMs, pay)
      .catch((error: unknown): FlightEnd => ({ kind: 'failed', error }))
      .finally(() => this.#flights.delete(asked.key));
    this.#flights.set(asked.key, end);
    return { end, isOwn: true };
  }

  /** Renews an answer in the background, unless any replica does so already. */
  renew(asked: Asked): void {
    if (this.#flights.has(asked.key)) return;
    const free = async () => ({ giveBack: async () => {} });
    const end = this.#renew(asked, free)
      .catch((error: unknown): FlightEnd => ({ kind: 'failed', error }))
      .finally(() => this.#flights.delete(asked.key));
    this.#flights.set(asked.key, end);
  }

  /** Deletes the answers about subjects that are refused now. */
  async forgetRefused(isRefused: (subject: string) => boolean): Promise<void> {
    const { db, memory } = this.options;
    memory.clear();
    let page = await listSubjects(db, '');
    while (page.length > 0) {
      const refused = page.filter(isRefused);
      if (refused.length > 0) await deleteSubjects(db, refused);
      page = await listSubjects(db, page.at(-1) ?? '');
    }
  }

  async #fly(asked: Asked, maxAgeMs: number | null, pay: () => Promise<Payment>): Promise<FlightEnd> {
    const { wakeUps } = this.options;
    const signal = this.#stopping.signal;
    while (!signal.aborted) {
      const isTaken = await this.#take(asked);
      // a claim may have ended since the last read, with an answer
      const judged = judgeKept(await this.#readAgain(asked.key), this.options.clock.now(), maxAgeMs);
      if (judged.use === 'nothing') {
        if (isTaken) return this.#askPaid(asked, pay);
        await wakeUps.next(asked.key, REREAD_MS, signal);
        continue;
      }
      if (isTaken) await this.#release(asked);
      return { kind: 'found', answer: judged.use === 'answer' ? judged.answer : judged.failure };
    }
    throw signal.reason;
  }

  async #renew(asked: Asked, pay: () => Promise<Payment>): Promise<FlightEnd> {
    if (await this.#take(asked)) {
      const judged = judgeKept(await this.#readAgain(asked.key), this.options.clock.now());
      if (judged.use !== 'answer' || judged.isRenewalDue) return this.#askPaid(asked, pay);
      await this.#release(asked);
    }
    return { kind: 'notPaid', error: null };
  }

  async #askPaid(asked: Asked, pay: () => Promise<Payment>): Promise<FlightEnd> {
    const stopRenewing = this.#renewLease(asked);
    try {
      const payment = await pay().catch(async (error: unknown) => ({ error }));
      if ('error' in payment) {
        await this.#release(asked);
        return { kind: 'notPaid', error: payment.error };
      }
      return await this.#ask(asked).catch(async (error: unknown): Promise<FlightEnd> => {
        await payment.giveBack();
        await this.#release(asked);
        return { kind: 'failed', error };
      });
    } finally {
      stopRenewing();
    }
  }

  async #ask(asked: Asked): Promise<FlightEnd> {
    const { db, memory, replicaId } = this.options;
    const { key, subject } = asked;
    const answer = await asked.ask(this.#stopping.signal);
    const isKept = await keepAnswer(db, { key, holder: replicaId, subject, answer });
    if (!isKept) await this.#release(asked);
    // in addition to a failure the table may have an answer that memory has not
    if (answer.isFailure) memory.forget(key);
    else memory.put(key, { answer, failure: null });
    this.#announce(key);
    return { kind: 'found', answer };
  }

  #take({ key, deadlineMs }: Asked): Promise<boolean> {
    const { db, replicaId } = this.options;
    return takeClaim(db, { key, holder: replicaId }, deadlineMs);
  }

  async #release({ key }: Asked): Promise<void> {
    const { db, replicaId, log } = this.options;
    // the lease ends by itself
    await endClaim(db, { key, holder: replicaId }).catch((error: unknown) =>
      log.warn({ err: error }, 'cannot end the claim of a lookup, its lease ends it'),
    );
    this.#announce(key);
  }

  #renewLease(asked: Asked): () => void {
    const { clock, log } = this.options;
    let cancel = () => {};
    const schedule = () => {
      cancel = clock.after(asked.deadlineMs / 2, () => {
        this.#take(asked)
          .catch((error: unknown) => log.warn({ err: error }, 'cannot renew the lease of a lookup, trying again'))
          .finally(() => {
            if (!isOver) schedule();
          });
      });
    };
    let isOver = false;
    schedule();
    return () => {
      isOver = true;
      cancel();
    };
  }

  #announce(key: string): void {
    this.options.wakeUps.wake(key);
    this.options.bus.broadcast({ type: 'lookups', ids: [key] });
  }

  #hear(key: string): void {
    this.#reads.delete(key);
    this.options.memory.forget(key);
    this.options.wakeUps.wake(key);
  }

  /** Callers of one key share a read of the table, but not one that began before the last change of the key. */
  #read(key: string): Promise<Kept> {
    const running = this.#reads.get(key);
    if (running !== undefined) return running;
    const read = this.#readAgain(key).finally(() => {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
    });
    this.#reads.set(key, read);
    return read;
  }

  /** A read that begins now, after whatever the caller did before. */
  #readAgain(key: string): Promise<Kept> {
    return this.options.memory.fill(key, () => findAnswers(this.options.db, key));
  }
}
