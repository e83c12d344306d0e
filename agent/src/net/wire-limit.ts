import type { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';

/** Interval at which the bytes of a connection are counted; bytes that its reader ignores cause no event. */
const COUNT_INTERVAL_MS = 250;

export interface WireLimit {
  readonly socket: Socket;
  readonly clock: Clock;
  /** Bytes from here on: those of an answer, with whatever its protocol puts around them. */
  readonly maxBytes: number;
  /** Called once, within a quarter of a second after the limit. */
  readonly onTooMuch: () => void;
}

/** Watches that a connection carries no more than any answer that is read could weigh; returns how to stop. */
export function limitWireBytes({ socket, clock, maxBytes, onTooMuch }: WireLimit): () => void {
  const bytesBefore = socket.bytesRead;
  const count = () => {
    if (socket.bytesRead - bytesBefore <= maxBytes) cancel = clock.after(COUNT_INTERVAL_MS, count);
    else onTooMuch();
  };
  let cancel = clock.after(COUNT_INTERVAL_MS, count);
  return () => cancel();
}
