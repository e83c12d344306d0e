import { once } from 'node:events';
import type { WebSocket } from 'ws';
import type { FuzzInput } from './mutations.js';

/**
 * Time that a side has to respond or close, in milliseconds; half a minute is much longer than any of its own
 * timeouts.
 */
const ANSWER_MS = 30_000;

/** A side did what no input may make it do. */
export class FuzzFailure extends Error {
  override readonly name = 'FuzzFailure';
}

/** Waits as long as a side may take. @throws FuzzFailure that says `what` happened instead */
export function inTime<T>(what: string, step: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FuzzFailure(`${what} in ${ANSWER_MS / 1000} s`)), ANSWER_MS);
  });
  return Promise.race([step, late]).finally(() => clearTimeout(timer));
}

/** The attacker's end of one socket: says something, then waits for an answer or the end. */
export class Peer<F> {
  /** The last frame that came. */
  last: F | null = null;
  #waiting: { isIt: (frame: F) => boolean; done: (frame: F | null) => void } | null = null;
  #isClosed = false;

  constructor(
    readonly socket: WebSocket,
    decode: (bytes: Buffer) => F,
    onFrame: (frame: F, peer: Peer<F>) => void = () => {},
  ) {
    socket.on('message', (data) => {
      const frame = decode(data as Buffer);
      this.last = frame;
      onFrame(frame, this);
      if (this.#waiting?.isIt(frame)) this.#settle(frame);
    });
    socket.on('close', () => {
      this.#isClosed = true;
      this.#settle(null);
    });
    socket.on('error', () => {});
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when the socket is open. */
  async opened(): Promise<void> {
    if (this.socket.readyState === this.socket.CONNECTING) await once(this.socket, 'open');
  }

  send({ bytes, isText }: FuzzInput): void {
    this.socket.send(isText ? bytes.toString('latin1') : bytes);
  }

  /** The next frame that satisfies `isIt`; null if the socket was closed. @throws FuzzFailure when neither happens */
  async next(isIt: (frame: F) => boolean = () => true): Promise<F | null> {
    if (this.#isClosed) return null;
    const answer = new Promise<F | null>((done) => {
      this.#waiting = { isIt, done };
    });
    return inTime('neither a reply nor an end', answer);
  }

  #settle(frame: F | null): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.done(frame);
  }
}
