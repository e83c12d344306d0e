import { randomBytes } from 'node:crypto';
import {
  type DecodedServerFrame,
  encodeAgentFrame,
  type Lane,
  laneCode,
  type ResultMessage,
} from '@vantage/shared/protocol/codec.js';
import { EPOCH_BYTES } from '@vantage/shared/protocol/limits.js';

const LANE: Lane = 'task';
const ROWS_PER_FRAME = 1_000;

/** Results of one agent of a fleet, encoded before any clock runs, sent within the credit of a link that stays open. */
export class FleetDelivery {
  readonly epoch = randomBytes(EPOCH_BYTES);
  readonly #send: (bytes: Uint8Array) => void;
  #frames: readonly Uint8Array[] = [];
  /** The next of them to send. */
  #next = 0;
  #acknowledged = 0;
  #creditRows = 0;
  #last = 0;
  #onAcknowledged: () => void = () => undefined;

  constructor(send: (bytes: Uint8Array) => void) {
    this.#send = send;
  }

  /** Numbers and encodes results; nothing is sent before `deliver`. */
  prepare(results: readonly ResultMessage[]): void {
    const frames: Uint8Array[] = [];
    for (let start = 0; start < results.length; start += ROWS_PER_FRAME) {
      const some = results.slice(start, start + ROWS_PER_FRAME);
      const frame = { epoch: this.epoch, lane: laneCode(LANE), first: this.#last + 1, results: some };
      frames.push(encodeAgentFrame({ results: frame }));
      this.#last += some.length;
    }
    this.#frames = frames;
    this.#next = frames.length;
  }

  /** Sends what was prepared, once more if it was sent before; resolves when every frame is acknowledged. */
  deliver(): Promise<void> {
    this.#next = 0;
    this.#acknowledged = 0;
    return new Promise((resolve) => {
      this.#onAcknowledged = resolve;
      this.#pump();
    });
  }

  grant(credits: NonNullable<DecodedServerFrame['welcome']>['credits']): void {
    this.#creditRows = credits.find(({ lane }) => lane === laneCode(LANE))?.rows ?? 0;
    this.#pump();
  }

  /** Takes the acknowledgement of a frame. @throws Error when its results are to be sent again */
  acknowledged({ rewind }: NonNullable<DecodedServerFrame['ack']>): void {
    if (rewind) throw new Error('the control plane requested results again');
    this.#acknowledged += 1;
    if (this.#acknowledged === this.#frames.length) this.#onAcknowledged();
    else this.#pump();
  }

  #pump(): void {
    for (; this.#next < this.#frames.length; this.#next += 1) {
      const inFlight = this.#next - this.#acknowledged;
      if (inFlight > 0 && (inFlight + 1) * ROWS_PER_FRAME > this.#creditRows) return;
      this.#send(this.#frames[this.#next] as Uint8Array);
    }
  }
}
