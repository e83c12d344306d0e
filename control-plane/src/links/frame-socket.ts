import type { Clock } from '@vantage/shared/clock.js';
import {
  type DecodedAgentFrame,
  decodeAgentFrame,
  encodeServerFrame,
  MalformedFrameError,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import type { LinkSocket } from '@vantage/shared/protocol/link-socket.js';
import { Inflow } from './inflow.js';

// bytes of a frame before the proof: a megabyte of nothing takes 200 ms to decode (2026-11)
const MAX_HANDSHAKE_FRAME_BYTES = 64 * 1024;
// bytes a peer may leave unread before it counts as hostile
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
// bytes not yet taken by the peer, or the network, from which on it counts as behind
const BEHIND_BYTES = 64 * 1024;
// a part of a frame that shows that its peer lives: a line of 32 kbit/s brings it in a second
const SIGN_OF_LIFE_BYTES = 4 * 1024;
// for the peer to answer a close
const CLOSING_MS = 1_000;

/** What becomes of what a socket brings. */
export interface FrameTaker {
  /** @throws MalformedFrameError for a frame that makes no sense now */
  onFrame(frame: DecodedAgentFrame): void;
  onMalformed(error: MalformedFrameError): void;
  /** The peer has left unread more than an honest one would; its socket is cut. */
  onUnread(): void;
  onClosed(): void;
}

/** Frames of one socket, both ways. What comes in is read no faster than `Inflow` allows. */
export class FrameSocket {
  readonly #socket: LinkSocket;
  readonly #clock: Clock;
  readonly #taker: FrameTaker;
  readonly #inflow: Inflow;
  #lastReceivedAt: number;
  #unheardBytes = 0;
  #isTrusted = false;
  #isEnded = false;

  constructor(socket: LinkSocket, clock: Clock, taker: FrameTaker) {
    this.#socket = socket;
    this.#clock = clock;
    this.#taker = taker;
    this.#lastReceivedAt = clock.monotonicMs();
    this.#inflow = new Inflow({
      clock,
      pause: () => socket.pause(),
      resume: () => {
        this.#lastReceivedAt = clock.monotonicMs();
        socket.resume();
      },
    });
    socket.on('message', (data, isBinary) => this.#onMessage(data as Buffer, isBinary));
    socket.on('close', () => taker.onClosed());
    socket.on('error', () => socket.terminate());
  }

  /** Whether frames still get out. */
  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether the peer has yet to read much of what it was sent: news that can wait should. */
  get isBehind(): boolean {
    return this.#socket.bufferedAmount > BEHIND_BYTES;
  }

  /** When the peer was last heard, or could be heard again; monotonic milliseconds. */
  get lastReceivedAt(): number {
    return this.#lastReceivedAt;
  }

  /** Whether the peer is kept waiting: its silence says nothing then. */
  get isWaiting(): boolean {
    return this.#inflow.isWaiting;
  }

  /** The peer has proved who it is: from now on its frames may be as large as the protocol allows. */
  trust(): void {
    this.#isTrusted = true;
  }

  /** A peer that asks and does not read the answers would fill this process's memory. */
  send(frame: ServerFrame): void {
    if (!this.isOpen) return;
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES) {
      this.#taker.onUnread();
      this.cut();
    } else this.#socket.send(encodeServerFrame(frame));
  }

  /** Bytes came that are no frame yet: on a slow line one takes its time. A trickle is no sign of life. */
  heard(bytes: number): void {
    this.#unheardBytes += bytes;
    if (this.#unheardBytes < SIGN_OF_LIFE_BYTES) return;
    this.#unheardBytes = 0;
    this.#lastReceivedAt = this.#clock.monotonicMs();
  }

  /** Counts bytes of a frame that are kept until `work` has stored them. */
  hold<T>(bytes: number, work: Promise<T>): Promise<T> {
    return this.#inflow.hold(bytes, work);
  }

  /** Its frames kept this process busy for so long after they were taken. */
  spend(ms: number): void {
    this.#inflow.spend(ms);
  }

  /** Takes no further frame, but hears the peer close. */
  end(): void {
    this.#isEnded = true;
    this.#inflow.end();
  }

  /** Closes; the socket is cut when the peer doesn't answer. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    this.#clock.after(CLOSING_MS, () => this.cut(), { unref: true });
  }

  /** Closes without a word. */
  cut(): void {
    this.#socket.terminate();
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#isEnded) return;
    const startedMs = this.#clock.monotonicMs();
    this.#lastReceivedAt = startedMs;
    try {
      if (!isBinary) throw new MalformedFrameError('text message');
      if (!this.#isTrusted && data.length > MAX_HANDSHAKE_FRAME_BYTES)
        throw new MalformedFrameError('handshake frame too large');
      this.#taker.onFrame(decodeAgentFrame(data));
    } catch (error) {
      if (!(error instanceof MalformedFrameError)) throw error;
      this.#taker.onMalformed(error);
    }
    this.#inflow.spend(this.#clock.monotonicMs() - startedMs);
  }
}
