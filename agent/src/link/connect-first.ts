import { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import { abortable } from '../net/abortable.js';

/** Delay in milliseconds before the next attempt begins in parallel (RFC 8305 section 8). */
const ATTEMPT_DELAY_MS = 250;

interface ConnectOptions {
  readonly port: number;
  /** Source address; null for the system's choice. */
  readonly bindAddress: string | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A connection and its address; the receiver destroys the socket. */
interface Connected {
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Connects to the first of these addresses that answers (RFC 8305 section 5): each is tried 250 ms after the one before it, or as
 * soon as an attempt has failed; slower attempts continue in parallel, and losers are closed. Probes have a connector
 * of their own, which judges and measures. @throws the first error, or the signal's reason
 */
export function connectFirst(addresses: readonly string[], options: ConnectOptions): Promise<Connected> {
  const { port, bindAddress, clock, signal } = options;
  const local = bindAddress === null ? {} : { localAddress: bindAddress };
  return abortable(signal, ({ resolve, reject }) => {
    const open = new Set<Socket>();
    const waiting = [...addresses];
    let firstError: Error | null = null;
    let cancelDelay = () => {};
    const begin = () => {
      cancelDelay();
      const address = waiting.shift();
      if (address === undefined) return;
      const socket = new Socket();
      open.add(socket);
      // the listener is kept: an error between two owners must not end the process
      socket.on('error', (error) => lose(socket, error));
      socket.once('connect', () => {
        open.delete(socket);
        resolve({ socket, address });
      });
      socket.setNoDelay(true).connect({ host: address, port, autoSelectFamily: false, ...local });
      if (waiting.length > 0) cancelDelay = clock.after(ATTEMPT_DELAY_MS, begin);
    };
    const lose = (socket: Socket, error: Error) => {
      if (!open.delete(socket)) return;
      firstError ??= error;
      if (waiting.length > 0) begin();
      else if (open.size === 0) reject(firstError);
    };
    if (waiting.length === 0) queueMicrotask(() => reject(new Error('the name has no address')));
    begin();
    return () => {
      cancelDelay();
      for (const socket of open) socket.destroy();
      open.clear();
    };
  });
}
