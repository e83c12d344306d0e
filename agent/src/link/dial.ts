import type { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@vantage/shared/clock.js';
import { retryAfterMs } from '@vantage/shared/headers/retry-after.js';
import {
  LINK_PATH,
  LINK_SUBPROTOCOL,
  MAX_FRAME_BYTES,
  MAX_MESSAGE_FRAGMENTS,
  MAX_MESSAGE_PIECES,
} from '@vantage/shared/protocol/limits.js';
import { WebSocket } from 'ws';
import { STEP_TIMEOUT_MS } from './dial-step.js';
import { type LinkWay, openStream } from './link-way.js';

/** Longest delay that a refusal can ask for: an hour. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** The other side answered the dial with a plain HTTP response. */
export class UpgradeRefusedError extends Error {
  override readonly name = 'UpgradeRefusedError';

  constructor(
    readonly status: number,
    /** Delay from Retry-After, in milliseconds; 0: none given. */
    readonly retryAfterMs: number,
  ) {
    super(`the control plane responded with ${status} instead of opening the link`);
  }
}

/** URL of the link to a control plane at `controlUrl`, which may have a path. */
export function linkUrl(controlUrl: string): string {
  const url = new URL(controlUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = url.pathname.replace(/\/+$/, '') + LINK_PATH;
  return url.href;
}

/**
 * Opens a socket to the control plane; proxies of the environment are not asked, redirects not followed. Emits 'error' and
 * 'close' when that fails.
 */
export function dialLink(controlUrl: string, way: LinkWay): WebSocket {
  const connecting = new AbortController();
  const url = linkUrl(controlUrl);
  const socket = new WebSocket(url, LINK_SUBPROTOCOL, {
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_MESSAGE_FRAGMENTS,
    maxBufferedChunks: MAX_MESSAGE_PIECES,
    followRedirects: false,
    createConnection: connector(new URL(url), way, connecting.signal, () => boundUpgrade(socket, way.clock)),
  });
  socket.once('close', () => connecting.abort(new Error('dialling was aborted')));
  socket.on('unexpected-response', (_request, response) => {
    const askedMs = retryAfterMs(response.headers['retry-after'], way.clock.now()) ?? 0;
    socket.emit('error', new UpgradeRefusedError(response.statusCode ?? 0, Math.min(askedMs, MAX_RETRY_AFTER_MS)));
    socket.terminate();
  });
  return socket;
}

/** The last step of dialling: the stream is there, and is to become a WebSocket. */
function boundUpgrade(socket: WebSocket, clock: Clock): void {
  const cancel = clock.after(STEP_TIMEOUT_MS, () => {
    socket.emit('error', new Error(`the upgrade took longer than ${STEP_TIMEOUT_MS / 1000} s`));
    socket.terminate();
  });
  socket.once('open', cancel).once('close', cancel);
}

/**
 * Connector for http.request that connects asynchronously; the types of ws allow only a connection that already
 * exists.
 */
function connector(url: URL, way: LinkWay, signal: AbortSignal, onStream: () => void): typeof createConnection {
  const connect = (_options: unknown, onCreate: (error: Error | null, stream: Duplex | null) => void) => {
    openStream(url, way, signal).then(
      (stream) => {
        onStream();
        onCreate(null, stream);
      },
      // a socket that was aborted meanwhile gets no further events
      (error: Error) => signal.aborted || onCreate(error, null),
    );
  };
  return connect as unknown as typeof createConnection;
}
