import {
  LINK_SUBPROTOCOL,
  MAX_FRAME_BYTES,
  MAX_MESSAGE_FRAGMENTS,
  MAX_MESSAGE_PIECES,
} from '@vantage/shared/protocol/limits.js';
import { WebSocketServer } from 'ws';

/** What makes WebSockets of agents' requests: within the protocol's limits, and fair to all the others. */
export function linkWebSockets(): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_MESSAGE_FRAGMENTS,
    maxBufferedChunks: MAX_MESSAGE_PIECES,
    perMessageDeflate: false,
    // a read may hold four thousand heartbeats: one by one, a turn of the loop each, they hold nobody else up
    allowSynchronousEvents: false,
    handleProtocols: (offered) => (offered.has(LINK_SUBPROTOCOL) ? LINK_SUBPROTOCOL : false),
  });
}
