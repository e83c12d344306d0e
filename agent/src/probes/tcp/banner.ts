import type { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import { abortable } from '../../net/abortable.js';
import { escapeBytes } from '../escape-bytes.js';

/** Milliseconds a server has to say something of its own accord. */
const BANNER_WAIT_MS = 1000;
/** Bytes of it that are kept. */
const MAX_BANNER_BYTES = 256;

/**
 * Reads the server's first bytes, at most 256: until the end of a line, the end of the connection, or a second has
 * passed; null when it sent none. Sends nothing.
 */
export async function readBanner(socket: Socket, clock: Clock, signal: AbortSignal): Promise<string | null> {
  const bytes = await abortable<Buffer>(signal, ({ resolve }) => {
    const banner = new Banner();
    const finish = () => resolve(banner.bytes);
    const cancelWait = clock.after(BANNER_WAIT_MS, finish);
    socket.on('data', (chunk) => {
      if (banner.add(chunk)) finish();
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

/** The first bytes of a server, copied: however large a piece they came in, no more than these stay. */
export class Banner {
  readonly #room = Buffer.alloc(MAX_BANNER_BYTES);
  #length = 0;

  /** Adds the bytes that fit; true if the banner is complete. */
  add(chunk: Buffer): boolean {
    this.#length += chunk.copy(this.#room, this.#length);
    return this.#length === MAX_BANNER_BYTES || this.bytes.includes('\n');
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }
}
