import { request } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { formatHost } from '@vantage/shared/target-policy/host.js';
import { ProbeFailure } from '../../probes/failure.js';
import { abortable, type Settle } from '../abortable.js';
import { watchHttp2End } from '../http2-end.js';
import { socketFailure } from '../socket-failure.js';
import { limitWireBytes } from '../wire-limit.js';
import type { AskOptions, DnsReply } from './ask-options.js';
import { serverTitle, withoutIdentity } from './dns-server.js';
import { judgeReply, type Query, queryBytes } from './query.js';
import type { SecureServer } from './secure-server.js';

/** The path that the resolvers of this world answer on (RFC 8484 leaves it to them). */
const PATH = '/dns-query';
const MEDIA_TYPE = 'application/dns-message';
const HTTPS_PORT = 443;
/** Size of the largest message (RFC 8484 section 6). */
const MAX_BODY_BYTES = 65_535;
/** Greatest overhead around the message: headers, frames, chunks of a few bytes. */
const MAX_WIRE_BYTES = 512 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADER_LINES = 64;

type HttpOptions = Pick<AskOptions, 'signal' | 'clock' | 'budget'> & { readonly server: SecureServer };

/** Receives the server's response in order; decides itself when the exchange is over. */
interface Receiver {
  onHead(status: number, mediaType: string | undefined): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

/**
 * Queries by POST on a TLS connection (RFC 8484), in HTTP/2 where the server chose it and HTTP/1.1 otherwise. The id
 * is 0, so that caches may respond. Redirects are not followed.
 * @throws ProbeFailure dns_error, http_protocol, body_too_large, tcp_reset; or the signal's reason
 */
export async function askHttp(
  socket: TLSSocket,
  query: Query,
  { signal, clock, budget, server }: HttpOptions,
): Promise<DnsReply> {
  const body = queryBytes(query, 0);
  budget.spend();
  const sentAt = clock.monotonicMs();
  const send = socket.alpnProtocol === 'h2' ? sendHttp2 : sendHttp1;
  const { bytes, receivedAt } = await abortable<{ bytes: Buffer; receivedAt: number }>(signal, (settle) => {
    const what = serverTitle(server.endpoint);
    const done = (bytes: Buffer) => settle.resolve({ bytes, receivedAt: clock.monotonicMs() });
    const tooMuch = () => new ProbeFailure('http_protocol', `${what} sent more than ${MAX_WIRE_BYTES} bytes`);
    const limit = { socket, clock, maxBytes: MAX_WIRE_BYTES, onTooMuch: () => settle.reject(tooMuch()) };
    const stopCounting = limitWireBytes(limit);
    const end = send(socket, {
      body,
      server,
      clock,
      receiver: receive(what, { resolve: done, reject: settle.reject }),
    });
    return () => {
      stopCounting();
      end();
    };
  });
  const judged = judgeReply(bytes, query, 0);
  if (judged.kind === 'foreign')
    throw new ProbeFailure('dns_error', `${serverTitle(server.endpoint)} responded to another question`);
  const isCaseFolded = judged.kind === 'folded';
  const message = withoutIdentity(judged.message, server.endpoint);
  return { message, transport: 'doh', bytes: bytes.length, ms: receivedAt - sentAt, isCaseFolded };
}

function receive(what: string, { resolve, reject }: Settle<Buffer>): Receiver {
  const chunks: Buffer[] = [];
  let received = 0;
  return {
    onHead: (status, mediaType) => {
      if (status !== 200) reject(new ProbeFailure('dns_error', `${what} responded with HTTP status ${status}`));
      else if (mediaType?.split(';')[0]?.trim().toLowerCase() !== MEDIA_TYPE)
        reject(new ProbeFailure('dns_error', `${what} did not respond with ${MEDIA_TYPE}`));
    },
    onData: (chunk) => {
      received += chunk.length;
      chunks.push(chunk);
      if (received > MAX_BODY_BYTES)
        reject(new ProbeFailure('body_too_large', `${what} sent more than ${MAX_BODY_BYTES} bytes`));
    },
    onEnd: () => resolve(Buffer.concat(chunks)),
    onError: (error) =>
      reject(
        systemFailure(error, what) ??
          new ProbeFailure('http_protocol', `${what} did not complete its response: ${error.message}`, {
            cause: error,
          }),
      ),
  };
}

/** Errors of HTTP/2 carry numbers as those of the system do. */
function systemFailure(error: Error, what: string): ProbeFailure | null {
  const isProtocol = 'code' in error && String(error.code).startsWith('ERR_HTTP2_');
  return isProtocol ? null : socketFailure(error, what);
}

interface Sending extends Pick<AskOptions, 'clock'> {
  readonly body: Buffer;
  readonly server: SecureServer;
  readonly receiver: Receiver;
}

function sendHttp2(socket: TLSSocket, { body, server, clock, receiver }: Sending): () => void {
  const session: ClientHttp2Session = connect(`https://${authorityOf(server)}`, {
    createConnection: () => socket,
    settings: { enablePush: false, maxHeaderListSize: MAX_HEADER_BYTES },
    maxHeaderListPairs: MAX_HEADER_LINES,
    maxSessionMemory: 1,
  });
  // kept: an error after the end must not end the process
  session.on('error', receiver.onError);
  const stream = session.request({ ':method': 'POST', ':path': PATH, ...headersOf(body, server) });
  stream.on('error', receiver.onError);
  stream.once('response', (headers) => receiver.onHead(Number(headers[':status']), headers['content-type']));
  stream.on('data', receiver.onData);
  stream.once('end', receiver.onEnd);
  stream.once('close', () => receiver.onError(new Error('the stream was closed')));
  stream.end(body);
  const onEnded = () => receiver.onError(new Error('it is not valid HTTP/2'));
  const stopWatching = watchHttp2End({ session, socket, clock, onEnded });
  return () => {
    stopWatching();
    session.destroy();
  };
}

function sendHttp1(socket: TLSSocket, { body, server, receiver }: Sending): () => void {
  const sending = request({
    createConnection: () => socket,
    method: 'POST',
    path: PATH,
    headers: { host: authorityOf(server), ...headersOf(body, server), connection: 'close' },
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  sending.on('error', receiver.onError);
  sending.once('response', (response) => {
    receiver.onHead(response.statusCode ?? 0, response.headers['content-type']);
    response.on('data', receiver.onData);
    response.once('end', receiver.onEnd);
    response.once('error', receiver.onError);
  });
  sending.end(body);
  return () => sending.destroy();
}

function headersOf(body: Buffer, { userAgent }: SecureServer): Record<string, string | number> {
  return { 'content-type': MEDIA_TYPE, accept: MEDIA_TYPE, 'content-length': body.length, 'user-agent': userAgent };
}

function authorityOf({ host, endpoint: { port } }: SecureServer): string {
  return port === HTTPS_PORT ? formatHost(host) : `${formatHost(host)}:${port}`;
}
