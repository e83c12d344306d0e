import {
  LINK_SUBPROTOCOL,
  MAX_FRAME_BYTES,
  MAX_MESSAGE_FRAGMENTS,
  MAX_MESSAGE_PIECES,
} from '@vantage/shared/protocol/limits.js';
import { WebSocketServer } from 'ws';

/** WebSocket server for requests of agents: within the limits of the protocol, and fair to all links. */
export function linkWebSockets(): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_MESSAGE_FRAGMENTS,
    maxBufferedChunks: MAX_MESSAGE_PIECES,
    perMessageDeflate: false,
    // a read may contain four thousand heartbeats: with one turn of the loop each, they do not delay other links
    allowSynchronousEvents: false,
    handleProtocols: (offered) => (offered.has(LINK_SUBPROTOCOL) ? LINK_SUBPROTOCOL : false),
  });
}
