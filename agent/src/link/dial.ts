import { LINK_PATH, LINK_SUBPROTOCOL, MAX_FRAME_BYTES } from '@vantage/shared/protocol/limits.js';
import { WebSocket } from 'ws';

/** The other side answered the dial with a plain HTTP response. */
export class UpgradeRefusedError extends Error {
  override readonly name = 'UpgradeRefusedError';

  constructor(
    readonly status: number,
    /** From Retry-After; 0: it said nothing. */
    readonly retryAfterMs: number,
  ) {
    super(`the control plane answered ${status} instead of opening the link`);
  }
}

/** Where to dial for a control plane at `controlUrl`, which may have a path. */
export function linkUrl(controlUrl: string): string {
  const url = new URL(controlUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = url.pathname.replace(/\/+$/, '') + LINK_PATH;
  return url.href;
}

/**
 * Opens a socket to the control plane, straight: proxies of the environment are not asked, redirects not followed. Emits
 * 'error' and 'close' when that fails. `bindAddress`: source address, null for the system's choice.
 */
export function dialLink(controlUrl: string, bindAddress: string | null): WebSocket {
  const socket = new WebSocket(linkUrl(controlUrl), LINK_SUBPROTOCOL, {
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    followRedirects: false,
    ...(bindAddress === null ? {} : { localAddress: bindAddress }),
  });
  socket.on('unexpected-response', (_request, response) => {
    const seconds = Number(response.headers['retry-after'] ?? 0);
    const retryAfterMs = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 3600) * 1000 : 0;
    socket.emit('error', new UpgradeRefusedError(response.statusCode ?? 0, retryAfterMs));
    socket.terminate();
  });
  return socket;
}
