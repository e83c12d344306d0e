import type { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import { abortable } from '../../net/abortable.js';
import { escapeBytes } from '../escape-bytes.js';

/** Milliseconds a server has to say something of its own accord. */
const BANNER_WAIT_MS = 1000;
/** Bytes of it that are kept. */
const MAX_BANNER_BYTES = 256;

/**
 * What the server says first, at most 256 bytes: until a line ends, the connection does, or a second has passed; null
 * when it said nothing. Sends nothing.
 */
export async function readBanner(socket: Socket, clock: Clock, signal: AbortSignal): Promise<string | null> {
  const bytes = await abortable<Buffer>(signal, ({ resolve }) => {
    let received = Buffer.alloc(0);
    const finish = () => resolve(received.subarray(0, MAX_BANNER_BYTES));
    const cancelWait = clock.after(BANNER_WAIT_MS, finish);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length >= MAX_BANNER_BYTES || received.includes('\n')) finish();
    });
    socket.once('close', finish);
    socket.once('end', finish);
    return () => {
      cancelWait();
      socket.destroy();
    };
  });
  return bytes.length === 0 ? null : escapeBytes(bytes);
}
