import type { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import type { Weather } from './line.js';
import { resetSocket } from './reset-socket.js';

// One direction of one connection:
//
//   source ──data──> [ queue: piece, due at ] ──due, not stalled, within the bandwidth──> sink
//
// The end of the source is a piece like any other: a partition holds it back like data.

type Piece = { readonly dueMs: number } & ({ readonly bytes: Buffer } | { readonly end: 'fin' | 'rst' });

/** Greatest number of queued bytes; beyond it the sender's writes block as on a real line. */
const MAX_QUEUED_BYTES = 64 * 1024;

export interface ToxicFlowOptions {
  readonly source: Socket;
  readonly sink: Socket;
  readonly weather: () => Weather;
  readonly clock: Clock;
  /** 0 <= r < 1. */
  readonly random: () => number;
  /** Called when as many bytes have passed as the weather permits. */
  readonly onLimit: () => void;
}

/** Carries bytes from one socket to the other through whatever weather there is. */
export class ToxicFlow {
  readonly #options: ToxicFlowOptions;
  #queue: Piece[] = [];
  #queuedBytes = 0;
  #lastDueMs = 0;
  #freeAtMs = 0;
  #passed = 0;
  #isBlocked = false;
  #isEnded = false;
  #hasEnd = false;
  #cancelTimer: (() => void) | null = null;

  constructor(options: ToxicFlowOptions) {
    this.#options = options;
    const { source, sink } = options;
    source.on('data', (bytes) => this.#take(bytes));
    source.on('end', () => this.#takeEnd('fin'));
    source.on('close', () => this.#takeEnd('rst'));
    sink.on('drain', () => {
      this.#isBlocked = false;
      this.pump();
    });
  }

  /** Sends on what may go now; called when the weather has changed. */
  pump(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    while (!this.#isEnded && !this.#isBlocked && !this.#options.weather().isStalled) {
      const waitMs = this.#waitMs();
      if (waitMs === null) break;
      if (waitMs > 0) {
        this.#cancelTimer = this.#options.clock.after(waitMs, () => this.pump());
        break;
      }
      this.#forward();
    }
    this.#judgeSource();
  }

  /** Stops carrying data. */
  stop(): void {
    this.#isEnded = true;
    this.#queue = [];
    this.#cancelTimer?.();
  }

  #take(bytes: Buffer): void {
    this.#queuedBytes += bytes.length;
    this.#queue.push({ dueMs: this.#dueMs(), bytes });
    this.pump();
  }

  #takeEnd(end: 'fin' | 'rst'): void {
    if (this.#hasEnd) return;
    this.#hasEnd = true;
    this.#queue.push({ dueMs: this.#dueMs(), end });
    this.pump();
  }

  #dueMs(): number {
    const { latencyMs, jitterMs } = this.#options.weather();
    const dueMs = this.#options.clock.monotonicMs() + latencyMs + jitterMs * this.#options.random();
    this.#lastDueMs = Math.max(this.#lastDueMs, dueMs);
    return this.#lastDueMs;
  }

  /** Time until the next piece may go; null if there is none. */
  #waitMs(): number | null {
    const [piece] = this.#queue;
    if (piece === undefined) return null;
    return Math.max(piece.dueMs, this.#freeAtMs) - this.#options.clock.monotonicMs();
  }

  #forward(): void {
    const piece = this.#queue.shift();
    if (piece === undefined) return;
    if ('end' in piece) return this.#forwardEnd(piece.end);
    const { bytesPerSecond, sliceBytes, cutAfterBytes } = this.#options.weather();
    const limits = [piece.bytes.length, sliceBytes, cutAfterBytes === null ? null : cutAfterBytes - this.#passed];
    // small pieces at a low rate, like on a slow line
    if (bytesPerSecond !== null) limits.push(Math.max(1, Math.ceil(bytesPerSecond / 20)));
    const count = Math.max(0, Math.min(...limits.filter((limit) => limit !== null)));
    if (count < piece.bytes.length) this.#queue.unshift({ ...piece, bytes: piece.bytes.subarray(count) });
    this.#write(piece.bytes.subarray(0, count), bytesPerSecond);
    if (cutAfterBytes !== null && this.#passed >= cutAfterBytes) this.#options.onLimit();
  }

  #write(bytes: Buffer, bytesPerSecond: number | null): void {
    this.#passed += bytes.length;
    this.#queuedBytes -= bytes.length;
    if (bytesPerSecond !== null) {
      this.#freeAtMs = this.#options.clock.monotonicMs() + (bytes.length / bytesPerSecond) * 1_000;
    }
    if (bytes.length > 0) this.#isBlocked = !this.#options.sink.write(bytes);
  }

  #forwardEnd(end: 'fin' | 'rst'): void {
    this.#isEnded = true;
    if (end === 'fin') this.#options.sink.end();
    else resetSocket(this.#options.sink);
  }

  /** A sender whose bytes go nowhere is not read from. */
  #judgeSource(): void {
    const { source } = this.#options;
    if (source.destroyed || this.#isEnded) return;
    if (this.#queuedBytes >= MAX_QUEUED_BYTES) source.pause();
    else if (source.isPaused()) source.resume();
  }
}
