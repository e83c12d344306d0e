import type { Clock } from '@vantage/shared/clock.js';
import { type AgentFrame, encodeAgentFrame } from '@vantage/shared/protocol/codec.js';
import { WS_CLOSE_LINK } from '@vantage/shared/protocol/limits.js';
import type { LinkSocket } from '@vantage/shared/protocol/link-socket.js';
import { WrongPinError } from '../identity/tls-pins.js';
import { UpgradeRefusedError } from './dial.js';
import { endOfSocket, type LinkEndKind } from './link-end.js';

/** Unsent bytes above which a sender of much data waits for the socket. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** A peer that does not answer our close is cut off. */
export const CLOSE_TIMEOUT_MS = 1000;

interface DialledSocketOptions {
  readonly socket: LinkSocket;
  readonly clock: Clock;
  readonly onConnected: () => void;
  readonly onMessage: (data: unknown, isBinary: boolean) => void;
  /** Called when the socket has closed; `code` is its close code. */
  readonly onClosed: (code: number) => void;
}

/** The socket of one link: frames out, and what its errors mean. */
export class DialledSocket {
  readonly #socket: LinkSocket;
  readonly #clock: Clock;
  #error: string | null = null;
  /** End of the link that the error stands for; null if there was no link. */
  #errorEnd: LinkEndKind | null = null;
  #retryAfterMs = 0;

  constructor({ socket, clock, onConnected, onMessage, onClosed }: DialledSocketOptions) {
    this.#socket = socket;
    this.#clock = clock;
    socket.on('open', onConnected);
    socket.on('message', onMessage);
    // 'close' follows, and ends the session
    socket.on('error', (error) => this.#onError(error));
    socket.on('close', onClosed);
  }

  /** Delay that the control plane, or a proxy, requested when it refused the socket, in milliseconds. */
  get retryAfterMs(): number {
    return this.#retryAfterMs;
  }

  /** End of the link that this close code stands for. */
  endOf(code: number, wasOpen: boolean): { readonly kind: LinkEndKind; readonly message: string } {
    return {
      kind: this.#errorEnd ?? endOfSocket(code, wasOpen),
      message: this.#error ?? `socket closed with ${code}`,
    };
  }

  send(frame: AgentFrame): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(encodeAgentFrame(frame));
  }

  /** Resolves when there is room for more. */
  sendWithRoom(frame: AgentFrame): Promise<void> {
    if (this.#socket.bufferedAmount < MAX_BUFFERED_BYTES) {
      this.send(frame);
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#socket.send(encodeAgentFrame(frame), () => resolve()));
  }

  /** Closes; one that says nothing any more is cut at once, one that does not answer soon. */
  hangUp(isSilent: boolean): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN || isSilent) return socket.terminate();
    socket.close(WS_CLOSE_LINK);
    const cancel = this.#clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate(), { unref: true });
    socket.once('close', cancel);
  }

  #onError(error: Error): void {
    this.#error ??= error.message || String(error);
    if (error instanceof WrongPinError) this.#errorEnd = 'wrong_server';
    if (error instanceof UpgradeRefusedError) this.#retryAfterMs = error.retryAfterMs;
  }
}
