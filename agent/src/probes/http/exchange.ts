import type { Socket } from 'node:net';
import type { ExchangeOptions } from './answer.js';
import { exchangeHttp1 } from './h1-exchange.js';
import { exchangeHttp2 } from './h2-exchange.js';
import type { HttpRequest } from './request.js';

/** Protocols a connection can speak, by their ALPN names (RFC 7301, RFC 9113 section 3.2). */
export type HttpProtocol = 'http/1.1' | 'h2';

const exchanges = { 'http/1.1': exchangeHttp1, h2: exchangeHttp2 } satisfies Record<
  HttpProtocol,
  (socket: Socket, request: HttpRequest, options: ExchangeOptions) => Promise<void>
>;

/**
 * Sends one request on a connected socket and reads the answer, within the limits; the socket is closed in the end.
 * @throws ProbeFailure http_protocol, http_headers_too_large, http_timeout, tcp_reset, tls_handshake; or the signal's
 *   reason
 */
export function exchange(
  socket: Socket,
  request: HttpRequest,
  options: ExchangeOptions & { readonly protocol: HttpProtocol },
): Promise<void> {
  return exchanges[options.protocol](socket, request, options);
}
