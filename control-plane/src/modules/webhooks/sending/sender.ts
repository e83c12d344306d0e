import { setMaxListeners } from 'node:events';
import { Batcher } from '../../../db/batcher.js';
import { type BackgroundParts, background, type Rounds } from '../../../runtime/background.js';
import { laterTurn } from '../../../runtime/slices.js';
import { readEvent } from '../deliveries/event-store.js';
import type { Attempts } from './attempts.js';
import { type ClaimedDelivery, claimDeliveries, releaseDeliveries } from './claim-store.js';
import { Holdings } from './holdings.js';
import type { Marking, Sent } from './marking.js';
import type { Result } from './outcome.js';
import { freePlaces } from './places.js';

// Every replica:
//
//   claim (lease 60 s) ──commit──> send ──> mark, many at once ──commit──> claim again, once little of the endpoint waits
//         │              │           └── dies here: the lease ends, and another replica sends it again under the same id
//         │              └── at most four of an endpoint at once, the others wait for them: holdings.ts
//         └── for as many endpoints as there are places: places.ts

const LOOK_MS = 1_000;
const MARKED_AT_ONCE = 256;

interface SenderOptions extends BackgroundParts {
  readonly attempts: Attempts;
  readonly marking: Marking;
  /** Called for every attempt that was written. */
  readonly onMarked: (sent: Sent) => void;
}

/** Sends what is due to webhook endpoints, for as long as it runs. */
export class Sender {
  readonly #rounds: Rounds;
  readonly #marks: Batcher<Sent, boolean>;
  readonly #stopping = new AbortController();
  readonly #holdings = new Holdings<ClaimedDelivery>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(private readonly options: SenderOptions) {
    const { clock, log } = options;
    // each attempt in flight listens
    setMaxListeners(0, this.#stopping.signal);
    this.#rounds = background({
      name: 'webhooks',
      everyMs: LOOK_MS,
      look: (isStopped) => this.run(isStopped),
      failing: 'cannot look for webhooks to send, retrying',
      clock,
      log,
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
    await this.#ended();
    await this.#marks.drain();
    await this.#giveBack(this.#holdings.takeBack(this.options.clock.now(), 'all'));
  }

  /** Looks for deliveries at once. */
  look(): void {
    this.#rounds.look();
  }

  /** Claims what is due and begins to send it, as far as there are places. */
  async run(isStopped = () => false): Promise<void> {
    await this.#giveBack(this.#holdings.takeBack(this.options.clock.now()));
    while (!isStopped()) {
      const limits = {
        nowMs: this.options.clock.now(),
        ...freePlaces(this.#holdings.places()),
        known: this.#holdings.endpointIds(),
        heldOf: (ids: readonly string[]) => this.#holdings.idsOf(ids),
        mostOf: (id: string) => this.#holdings.mostOf(id),
      };
      const claimed = await this.options.db.transaction((trx) => claimDeliveries(trx, limits));
      if (claimed === null) return;
      this.#holdings.add(claimed, limits.nowMs);
      for (const endpointId of new Set(claimed.map(({ endpoint_id: id }) => id))) this.#begin(endpointId);
    }
  }

  /** Resolves when nothing is under way and the look after the last delivery has ended. */
  async idle(): Promise<void> {
    do {
      await this.#ended();
      await this.#rounds.idle();
    } while (this.#underWay.size > 0);
  }

  async #ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Begins to send what waits for an endpoint, as far as it has places. */
  #begin(endpointId: string): void {
    if (this.#stopping.signal.aborted) return;
    for (const delivery of this.#holdings.take(endpointId, this.options.clock.now())) {
      const done = this.#send(delivery).finally(() => {
        this.#holdings.forget(delivery);
        this.#underWay.delete(done);
        if (this.#holdings.isLow(endpointId)) this.look();
      });
      this.#underWay.add(done);
    }
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { clock, log } = this.options;
    try {
      const result = await this.#attempt(delivery);
      await this.#marks.add({ delivery, result, endedAtMs: clock.now() });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.warn({ err: error, deliveryId: delivery.id }, 'cannot send or mark a webhook, retrying when its lease ends');
    }
  }

  /** Makes the attempt, and lets what waits for its place begin: marking takes none. */
  async #attempt(delivery: ClaimedDelivery): Promise<Result> {
    const { clock } = this.options;
    const { endpoint_id: endpointId, payload, attempt_count: attempts } = delivery;
    let isSlow = delivery.is_slow;
    const startedMs = clock.monotonicMs();
    try {
      // one body is made and signed per turn, of as many as were claimed together
      await laterTurn();
      const message = { receiver: delivery, event: readEvent(delivery), payload, attempt: attempts + 1, endpointId };
      const result = await this.options.attempts.make(message, this.#stopping.signal);
      isSlow = result.outcome.isSlow;
      return result;
    } finally {
      this.#holdings.end(delivery, { isSlow, tookMs: clock.monotonicMs() - startedMs });
      this.#begin(endpointId);
    }
  }

  async #mark(sent: readonly Sent[]): Promise<boolean[]> {
    const { written, inactive } = await this.options.marking.write(sent, (id) => this.#holdings.isLow(id));
    for (const one of written) this.options.onMarked(one);
    await this.#giveBack(this.#holdings.takeBack(this.options.clock.now(), inactive));
    return sent.map((one) => written.includes(one));
  }

  async #giveBack(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const { db, clock, log } = this.options;
    try {
      await db.transaction((trx) => releaseDeliveries(trx, deliveries, clock.now()));
      this.look();
    } catch (error) {
      log.warn({ err: error }, 'cannot give back webhooks that were not sent, they wait until their lease ends');
    }
  }
}
