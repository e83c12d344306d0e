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

interface PreparedBatch {
  readonly bytes: Uint8Array;
  readonly last: number;
  readonly rows: number;
}

type Welcome = NonNullable<DecodedServerFrame['welcome']>;

/** Results of one lane of a fleet's agent, encoded before any clock runs, sent within credits. */
export class FleetDelivery {
  readonly epoch = randomBytes(EPOCH_BYTES);
  readonly #send: (bytes: Uint8Array) => void;
  #batches: PreparedBatch[] = [];
  /** The next of them to send. */
  #next = 0;
  #credit = 0;
  #mark = 0;
  #last = 0;
  #isOpen = false;
  /** True while somebody waits for what was prepared: credits alone start no delivery. */
  #isDelivering = false;
  #unanswered = 0;
  #onAnswered: (() => void) | null = null;

  constructor(send: (bytes: Uint8Array) => void) {
    this.#send = send;
  }

  /** Highest number given to a result. */
  get last(): number {
    return this.#last;
  }

  /** Rows not acknowledged. */
  get heldRows(): number {
    return this.#last - this.#mark;
  }

  /** Numbers the results, `perBatch` in a frame. */
  prepare(results: readonly ResultMessage[], perBatch: number): void {
    this.#isDelivering = false;
    this.#batches = [];
    this.#next = 0;
    for (let start = 0; start < results.length; start += perBatch) this.#add(results.slice(start, start + perBatch));
  }

  /** Sends what was prepared and not sent; resolves when every frame has its answer. */
  deliver(): Promise<void> {
    this.#unanswered = this.#batches.length - this.#next;
    if (this.#unanswered === 0) return Promise.resolve();
    this.#isDelivering = true;
    return new Promise((resolve) => {
      this.#onAnswered = resolve;
      this.#pump();
    });
  }

  /** The same again, as after acknowledgements that were lost. */
  repeat(): Promise<void> {
    this.#next = 0;
    return this.deliver();
  }

  resume(marks: Welcome['marks'], credits: Welcome['credits']): void {
    this.#isOpen = true;
    this.#rewind(marks.find(({ lane }) => lane === laneCode(LANE))?.mark ?? 0);
    this.grant(credits);
  }

  /** The link is gone. */
  pause(): void {
    this.#isOpen = false;
  }

  grant(credits: Welcome['credits']): void {
    this.#credit = credits.find(({ lane }) => lane === laneCode(LANE))?.rows ?? 0;
    this.#pump();
  }

  acknowledged(mark: number, isRewind: boolean): void {
    if (isRewind) this.#rewind(mark);
    else {
      this.#mark = Math.max(this.#mark, mark);
      this.#unanswered -= 1;
    }
    if (this.#unanswered === 0) this.#onAnswered?.();
    else this.#pump();
  }

  #rewind(mark: number): void {
    this.#mark = mark;
    this.#next = this.#batches.findIndex(({ last }) => last > mark);
    if (this.#next < 0) this.#next = this.#batches.length;
    this.#unanswered = this.#batches.length - this.#next;
  }

  #add(results: readonly ResultMessage[]): void {
    const first = this.#last + 1;
    this.#last += results.length;
    const frame = { results: { epoch: this.epoch, lane: laneCode(LANE), first, results: [...results] } };
    this.#batches.push({ bytes: encodeAgentFrame(frame), last: this.#last, rows: results.length });
  }

  /** Rows in flight are those of frames without an answer. */
  #pump(): void {
    while (this.#isOpen && this.#isDelivering && this.#next < this.#batches.length) {
      const batch = this.#batches[this.#next] as PreparedBatch;
      const inFlight = this.#unanswered - (this.#batches.length - this.#next);
      if (inFlight > 0 && (inFlight + 1) * batch.rows > this.#credit) return;
      this.#next += 1;
      this.#send(batch.bytes);
    }
  }
}
