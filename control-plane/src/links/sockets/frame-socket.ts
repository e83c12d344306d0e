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

// limit of a frame before the proof, in bytes: a megabyte of empty fields takes 200 ms to decode (2026-11)
const MAX_HANDSHAKE_FRAME_BYTES = 64 * 1024;
// bytes a peer may leave unread before it counts as hostile
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
// number of unread bytes from which the peer, or the network, counts as behind
const BEHIND_BYTES = 64 * 1024;
// part of a frame that shows that the peer is alive: a line of 32 kbit/s transfers it in a second
const SIGN_OF_LIFE_BYTES = 4 * 1024;
// time for the peer to reply to a close
const CLOSING_MS = 1_000;

/** Handlers of the frames and events of a socket. */
export interface FrameTaker {
  /** @throws MalformedFrameError for a frame that is not valid in this state */
  onFrame(frame: DecodedAgentFrame): void;
  onMalformed(error: MalformedFrameError): void;
  /** Called if the peer leaves more unread than an honest one would; its socket is cut. */
  onUnread(): void;
  onClosed(): void;
}

/** Frames of one socket, in both directions. Incoming frames are read no faster than `Inflow` allows. */
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
    // a message that breaks a rule: the library has sent a Close frame with the code, and reads and drops what follows
    socket.on('error', () => this.#cutLater());
  }

  /** True while frames can be sent. */
  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** True while the peer has much of what it was sent still to read: updates that can wait should wait. */
  get isBehind(): boolean {
    return this.#socket.bufferedAmount > BEHIND_BYTES;
  }

  /** Time when the peer was last heard, or could be heard again; monotonic milliseconds. */
  get lastReceivedAt(): number {
    return this.#lastReceivedAt;
  }

  /** True while the peer is kept waiting; its silence means nothing then. */
  get isWaiting(): boolean {
    return this.#inflow.isWaiting;
  }

  /** Accepts frames of the full size: the peer has proved who it is. */
  trust(): void {
    this.#isTrusted = true;
  }

  /** Sends a frame, or cuts a peer that does not read: unread frames would fill this process's memory. */
  send(frame: ServerFrame): void {
    if (!this.isOpen) return;
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES) {
      this.#taker.onUnread();
      this.cut();
    } else this.#socket.send(encodeServerFrame(frame));
  }

  /** Notes bytes that are not a whole frame yet: on a slow line a frame takes time. A trickle is no sign of life. */
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

  /** Counts the time for which its frames kept this process busy after they were taken. */
  spend(ms: number): void {
    this.#inflow.spend(ms);
  }

  /** Takes no more frames, but waits for the Close frame of the peer. */
  end(): void {
    this.#isEnded = true;
    this.#inflow.end();
  }

  /** Closes the socket, and cuts it if the peer does not reply. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    this.#cutLater();
  }

  /** Cuts the socket without a Close frame. */
  cut(): void {
    this.#socket.terminate();
  }

  /** Leaves the peer time to read the Close frame: a cut while bytes of it are unread takes the frame away (RFC 9112 section 9.6). */
  #cutLater(): void {
    this.#clock.after(CLOSING_MS, () => this.cut(), { unref: true });
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
