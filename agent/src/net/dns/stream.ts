import { randomInt } from 'node:crypto';
import { isIPv6, type Socket } from 'node:net';
import { ProbeFailure } from '../../probes/failure.js';
import { abortable } from '../abortable.js';
import { ConnectFailure, connectTcp } from '../connect.js';
import { socketFailure, systemErrorName } from '../socket-failure.js';
import type { AskOptions, DnsReply, Progress } from './ask-options.js';
import { type DnsServer, serverTitle, withoutIdentity } from './dns-server.js';
import { judgeReply, type Query, queryBytes } from './query.js';

/**
 * Connects to a server's address, which has passed the policy, and notes how long it took.
 * @throws ProbeFailure tcp_*, net_unreachable, host_unreachable; or the signal's reason
 */
export async function connectServer(
  server: DnsServer,
  { signal, clock }: Pick<AskOptions, 'signal' | 'clock'>,
  progress: Progress,
): Promise<Socket> {
  const address = { address: server.address, family: isIPv6(server.address) ? 6 : 4 } as const;
  try {
    const { socket, connectMs } = await connectTcp({ addresses: [address], port: server.port, signal, clock });
    progress.connectMs = connectMs;
    return socket;
  } catch (error) {
    throw error instanceof ConnectFailure ? titled(error, server) : error;
  }
}

function titled(failure: ConnectFailure, server: DnsServer): ProbeFailure {
  if (server.title === undefined) return failure;
  const why = systemErrorName(failure.cause) ?? 'the socket failed';
  return new ProbeFailure(failure.code, `cannot connect to ${server.title}: ${why}`, { cause: failure });
}

/**
 * Queries on a connection, of TCP (RFC 7766) or of TLS (RFC 7858): each message is preceded by its length. The first
 * message must be the reply. The time excludes connecting; the socket stays open.
 * @throws ProbeFailure dns_error, tcp_reset; or the signal's reason
 */
export async function askStream(
  socket: Socket,
  query: Query,
  options: Pick<AskOptions, 'signal' | 'clock' | 'budget'> & {
    readonly server: DnsServer;
    readonly transport: 'tcp' | 'dot';
  },
): Promise<DnsReply> {
  const { signal, clock, budget, server, transport } = options;
  const id = randomInt(0x10000);
  const message = queryBytes(query, id);
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(message.length);
  budget.spend();
  const sentAt = clock.monotonicMs();
  socket.write(Buffer.concat([prefix, message]));
  const { bytes, receivedAt } = await readMessage(socket, serverTitle(server), { signal, clock });
  const judged = judgeReply(bytes, query, id);
  if (judged.kind === 'foreign')
    throw new ProbeFailure('dns_error', `${serverTitle(server)} responded to another question`);
  const isCaseFolded = judged.kind === 'folded';
  const answer = withoutIdentity(judged.message, server);
  return { message: answer, transport, bytes: bytes.length, ms: receivedAt - sentAt, isCaseFolded };
}

function readMessage(
  socket: Socket,
  what: string,
  { signal, clock }: Pick<AskOptions, 'signal' | 'clock'>,
): Promise<{ bytes: Buffer; receivedAt: number }> {
  return abortable(signal, ({ resolve, reject }) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      received += chunk.length;
      if (received < 2) return;
      // the length may also arrive byte by byte
      if ((chunks[0]?.length ?? 0) < 2) chunks.splice(0, chunks.length, Buffer.concat(chunks));
      const end = 2 + (chunks[0]?.readUInt16BE(0) ?? 0);
      if (received >= end) resolve({ bytes: Buffer.concat(chunks).subarray(2, end), receivedAt: clock.monotonicMs() });
    };
    const onError = (error: Error) => reject(socketFailure(error, what) ?? brokenOff(what, error));
    const onEnd = () => reject(brokenOff(what));
    socket.on('data', onData).once('error', onError).once('end', onEnd).once('close', onEnd);
    return () => {
      socket.off('data', onData).off('error', onError).off('end', onEnd).off('close', onEnd);
    };
  });
}

function brokenOff(what: string, cause?: unknown): ProbeFailure {
  return new ProbeFailure('dns_error', `${what} closed the connection without a response`, { cause });
}
