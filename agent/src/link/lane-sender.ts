import { afterInput, type Clock } from '@vantage/shared/clock.js';
import {
  type AgentFrame,
  decodeResult,
  type Lane,
  laneCode,
  MalformedFrameError,
} from '@vantage/shared/protocol/codec.js';
import { MAX_BATCH_ROWS } from '@vantage/shared/protocol/limits.js';
import type { Spool, SpoolRow } from '../spool/spool.js';
import { SendWindow } from './send-window.js';

//   numbers of one lane on one link:   ... mark ....... sent ....... last
//                                       durable  in flight   waiting
//   `window` (credits) bounds the rows in flight, send-window.ts their bytes; a rewind sets sent back to mark.

const READ_RETRY_MS = 1000;

export interface LaneSenderOptions {
  readonly lane: Lane;
  readonly spool: Spool;
  readonly clock: Clock;
  /** Round-trip time of this link when it began, in milliseconds. */
  readonly roundTripMs: number;
  /** Hands a frame to the socket; resolves when the socket has room for more. */
  readonly send: (frame: AgentFrame) => Promise<void>;
  /** The spool could not be read; it is tried again. */
  readonly onReadFailed: (error: unknown) => void;
}

/** Sends the rows of one lane over one link, in order, as fast as credits and socket allow. */
export class LaneSender {
  readonly #options: LaneSenderOptions;
  readonly #epoch: Uint8Array;
  #mark: number;
  #sent: number;
  #window: number;
  readonly #bytes: SendWindow;
  #pumping: Promise<void> | null = null;
  #isWoken = false;
  #isEnded = false;
  #cancelRetry: (() => void) | null = null;

  /** Starts above `mark`, the last number that is durable on the control plane, with `window` rows of credit. */
  constructor(options: LaneSenderOptions, mark: number, window: number) {
    this.#options = options;
    this.#epoch = options.spool.epoch;
    this.#mark = mark;
    this.#sent = mark;
    this.#window = window;
    this.#bytes = new SendWindow(options.roundTripMs);
  }

  /** Bytes of rows sent over this link and not acknowledged. */
  get inFlightBytes(): number {
    return this.#bytes.inFlightBytes;
  }

  /** Called when there may be something to send: results of one turn of the event loop travel in one frame. */
  wake(): void {
    if (this.#isEnded) return;
    this.#isWoken = true;
    this.#pumping ??= this.#pump();
  }

  /** Resolves when everything that can be sent now has been handed to the socket. */
  async drained(): Promise<void> {
    await this.#pumping;
  }

  /** Ends the sender; nothing is sent afterwards. */
  end(): void {
    this.#isEnded = true;
    this.#cancelRetry?.();
  }

  /** Rows that may be in flight. */
  setWindow(rows: number): void {
    this.#window = rows;
    this.wake();
  }

  /** @throws MalformedFrameError for a number that was never sent on this link */
  acknowledged(mark: number, isRewind: boolean): void {
    if (mark > this.#sent) throw new MalformedFrameError(`acknowledgement of ${mark}, sent was ${this.#sent}`);
    if (isRewind) {
      this.#sent = mark;
      this.#bytes.rewind();
    }
    this.#bytes.acknowledged(mark, this.#options.clock.monotonicMs());
    this.#mark = isRewind ? mark : Math.max(this.#mark, mark);
    // an acknowledgement that does not reach the disk is repeated by the next welcome
    this.#options.spool.acknowledge(this.#options.lane, mark).catch(() => undefined);
    this.wake();
  }

  async #pump(): Promise<void> {
    await afterInput(this.#options.clock);
    try {
      while (this.#isWoken) {
        this.#isWoken = false;
        while (!this.#isEnded && (await this.#sendNext()));
      }
    } catch (error) {
      this.#options.onReadFailed(error);
      this.#cancelRetry = this.#options.clock.after(READ_RETRY_MS, () => this.wake());
    } finally {
      this.#pumping = null;
    }
  }

  /** Sends one frame; false when there is nothing to send, or no credit to send it with. */
  async #sendNext(): Promise<boolean> {
    const { lane, spool, send, clock } = this.#options;
    const after = this.#sent;
    const room = this.#mark + this.#window - after;
    const { last } = spool.state()[lane];
    const { batchBytes } = this.#bytes;
    if (after >= last || batchBytes === 0) return false;
    if (room <= 0) return await this.#sendDeclaredGap(after);
    const rows = await spool.read(lane, after, Math.min(room, MAX_BATCH_ROWS), batchBytes);
    // a rewind, a new epoch or the end of the link occurred during the read
    if (this.#isEnded || spool.epoch !== this.#epoch) return false;
    if (after !== this.#sent) return true;
    const [row] = rows;
    // checks whose commit is still running are not read: the end of the commit calls this again
    if (row === undefined) return await this.#sendDeclaredGap(after);
    const first = row.sequence;
    if (first === after + 1) {
      this.#sent = after + rows.length;
      const bytes = rows.reduce((sum, { payload }) => sum + payload.length, 0);
      this.#bytes.sent(this.#sent, bytes, clock.monotonicMs());
      await send(this.#batch(first, rows));
    } else {
      const gap = this.#gapAt(after + 1, first - 1);
      this.#sent = gap.last;
      await send({ dropped: { epoch: this.#epoch, lane: laneCode(lane), ...gap } });
    }
    return true;
  }

  /** Declares a dropped range, if one comes next. It needs no credit: it takes sequence numbers but no space. */
  async #sendDeclaredGap(after: number): Promise<boolean> {
    const { lane, spool, send } = this.#options;
    const range = spool.droppedRanges(lane).find(({ first, last }) => first <= after + 1 && after + 1 <= last);
    if (range === undefined) return false;
    this.#sent = range.last;
    const { last, reason } = range;
    await send({ dropped: { epoch: this.#epoch, lane: laneCode(lane), first: after + 1, last, reason } });
    return true;
  }

  #batch(first: number, rows: readonly SpoolRow[]): AgentFrame {
    const results = rows.map((row) => decodeResult(row.payload));
    return { results: { epoch: this.#epoch, lane: laneCode(this.#options.lane), first, results } };
  }

  /** Numbers that are no rows any more, at most through `last`: a gap takes their place in the sequence. */
  #gapAt(first: number, last: number): { first: number; last: number; reason: string } {
    const { lane, spool } = this.#options;
    const range = spool.droppedRanges(lane).find((dropped) => dropped.first <= first && first <= dropped.last);
    if (range === undefined) return { first, last, reason: 'expired' };
    return { first, last: Math.min(last, range.last), reason: range.reason };
  }
}
