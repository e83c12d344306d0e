import type { ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';

/** Interval at which the end of a session is looked for. */
const LOOK_INTERVAL_MS = 250;
/** Frames of ours that acknowledge one of the server's (RFC 9113 sections 6.5 and 6.7). */
const SETTINGS_ACK_BYTES = 9;
const PING_ACK_BYTES = 17;
/** Length of the other frames during a response: WINDOW_UPDATE and RST_STREAM have the same (sections 6.4 and 6.9). */
const OTHER_FRAME_BYTES = 13;
/** GOAWAY at least, without its words (section 6.8). */
const GOAWAY_BYTES = 17;

export interface Http2EndOptions {
  readonly session: ClientHttp2Session;
  readonly socket: Socket;
  readonly clock: Clock;
  /** Called once, within a quarter of a second after the end. */
  readonly onEnded: () => void;
}

/**
 * Watches for the silent end of a session whose request was just made; returns how to stop. When a server breaks the rules
 * of framing or header compression, nghttp2 sends GOAWAY and ignores the rest, and Node 20 emits no event: what is seen
 * of it is that more was written than acknowledges what came. Where the lengths happen to add up, or the server broke
 * the rules before it was asked, nothing is noticed, and the deadline ends the exchange.
 */
export function watchHttp2End({ session, socket, clock, onEnded }: Http2EndOptions): () => void {
  let due = 0;
  session.on('remoteSettings', () => {
    due += SETTINGS_ACK_BYTES;
  });
  session.on('ping', () => {
    due += PING_ACK_BYTES;
  });
  let asked: { readonly written: number; readonly due: number } | null = null;
  // the request is sent at the end of this turn of the loop, together with its body
  const flushed = setImmediate(() => {
    asked = { written: socket.bytesWritten, due };
  });
  const look = () => {
    if (asked !== null && hasEnded(socket.bytesWritten - asked.written, due - asked.due)) onEnded();
    else cancel = clock.after(LOOK_INTERVAL_MS, look);
  };
  let cancel = clock.after(LOOK_INTERVAL_MS, look);
  return () => {
    clearImmediate(flushed);
    cancel();
  };
}

/**
 * True if the session has written a GOAWAY, judged by the bytes written since the request and those owed to the
 * server; acknowledgements behind a GOAWAY are never written.
 */
function hasEnded(writtenBytes: number, dueBytes: number): boolean {
  return writtenBytes >= GOAWAY_BYTES && (writtenBytes - dueBytes) % OTHER_FRAME_BYTES !== 0;
}
