import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Batcher } from '../../../db/batcher.js';
import { Rounds } from '../../../runtime/rounds.js';
import { laterTurn } from '../../../runtime/slices.js';
import { readEvent } from '../deliveries/event-store.js';
import type { Attempts } from './attempts.js';
import { type ClaimedDelivery, claimDeliveries } from './claim-store.js';
import type { Marking, Sent } from './marking.js';
import { freePlaces, type UnderWay } from './places.js';

// Every replica:
//
//   claim (lease 60 s) ──commit──> send ──> mark, many at once ──commit──> claim again, since a place is free
//         │                          └── dies here: the lease ends, and another replica sends it again under the same id
//         └── as many as there are places: places.ts

const LOOK_MS = 1_000;
const MARKED_AT_ONCE = 256;

interface SenderOptions {
  readonly db: Knex;
  readonly attempts: Attempts;
  readonly marking: Marking;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called for every attempt that was written. */
  readonly onMarked: (sent: Sent) => void;
}

/** Sends what is due to webhook endpoints, for as long as it runs. */
export class Sender {
  readonly #rounds: Rounds;
  readonly #marks: Batcher<Sent, boolean>;
  readonly #stopping = new AbortController();
  readonly #underWay = new Map<string, UnderWay & { readonly done: Promise<void> }>();

  constructor(private readonly options: SenderOptions) {
    const { clock, log } = options;
    this.#rounds = new Rounds({
      everyMs: LOOK_MS,
      turn: (isStopped) => this.run(isStopped),
      onFailed: (error) => log.warn({ err: error }, 'cannot look for webhooks to send, retrying'),
      clock,
    });
    this.#marks = new Batcher({ maxItems: MARKED_AT_ONCE, flush: (sent) => this.#mark(sent) });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Ends attempts that are under way: their deliveries are sent again when their lease has ended. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    this.#stopping.abort(new Error('the control plane stops'));
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
    await this.#marks.drain();
  }

  /** Looks for deliveries at once. */
  look(): void {
    this.#rounds.look();
  }

  /** Claims what is due and begins to send it, as far as there are places. */
  async run(isStopped = () => false): Promise<void> {
    while (!isStopped()) {
      const places = freePlaces([...this.#underWay.values()]);
      if (places === null) return;
      const nowMs = this.options.clock.now();
      const claimed = await this.options.db.transaction((trx) => claimDeliveries(trx, { nowMs, ...places }));
      if (claimed === null) return;
      for (const delivery of claimed) this.#begin(delivery);
    }
  }

  /** Resolves when nothing is under way and the look after the last delivery has ended. */
  async idle(): Promise<void> {
    do {
      await Promise.all([...this.#underWay.values()].map(({ done }) => done));
      await this.#rounds.idle();
    } while (this.#underWay.size > 0);
  }

  #begin(delivery: ClaimedDelivery): void {
    const done = this.#send(delivery).finally(() => {
      this.#underWay.delete(delivery.id);
      this.look();
    });
    this.#underWay.set(delivery.id, { host: delivery.host, isSlow: delivery.is_slow, done });
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { attempts, clock, log } = this.options;
    try {
      // one body is made and signed per turn, of as many as were claimed together
      await laterTurn();
      const message = {
        receiver: delivery,
        event: readEvent(delivery),
        payload: delivery.payload,
        attempt: delivery.attempt_count + 1,
      };
      const result = await attempts.make(message, this.#stopping.signal);
      await this.#marks.add({ delivery, result, endedAtMs: clock.now() });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.warn({ err: error, deliveryId: delivery.id }, 'cannot send or mark a webhook, retrying when its lease ends');
    }
  }

  async #mark(sent: readonly Sent[]): Promise<boolean[]> {
    const written = new Set(await this.options.marking.write(sent));
    for (const one of written) this.options.onMarked(one);
    return sent.map((one) => written.has(one));
  }
}
