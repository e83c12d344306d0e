import type { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import { abortable } from '../../net/abortable.js';

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

/** Printable ASCII as it is; anything else as `\n`, `\r`, `\t` or `\xHH`, so that no byte is lost or acts on a screen. */
export function escapeBytes(bytes: Uint8Array): string {
  return [...bytes].map(escapeByte).join('');
}

function escapeByte(byte: number): string {
  switch (byte) {
    case 0x09:
      return '\\t';
    case 0x0a:
      return '\\n';
    case 0x0d:
      return '\\r';
    case 0x5c:
      return '\\\\';
    default:
      return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
}
