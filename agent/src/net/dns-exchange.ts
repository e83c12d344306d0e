import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIPv6, type Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import { ProbeFailure } from '../probes/failure.js';
import { abortable } from './abortable.js';
import { connectTcp } from './connect.js';
import { type DnsMessage, type DnsQuestion, decodeReply, encodeQuery, messageId } from './dns-message.js';
import { type Endpoint, formatEndpoint } from './endpoint.js';
import { socketFailure, systemErrorName } from './socket-failure.js';

/** An answer and how it came. */
export interface DnsReply {
  readonly message: DnsMessage;
  readonly transport: 'udp' | 'tcp';
  /** Size of the message, without the length prefix of TCP. */
  readonly bytes: number;
  /** The query that was answered, sent, to its answer, received; over TCP the connect counts. Monotonic milliseconds. */
  readonly ms: number;
}

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds after which an unanswered datagram is sent once more; null: never. */
  readonly resendAfterMs: number | null;
}

/** Asks by UDP, and again by TCP when the answer was cut (RFC 7766 section 5). Waits until the signal fires. */
export async function askUdpThenTcp(
  question: DnsQuestion,
  server: Endpoint,
  options: ExchangeOptions,
): Promise<DnsReply> {
  const reply = await askUdp(question, server, options);
  return reply.message.flag_tc ? askTcp(question, server, options) : reply;
}

/**
 * Asks from a connected socket on a random port with a random id. Whatever is not the answer to this question from
 * this server is ignored, so the wait ends with an answer, an unreachable server or the signal.
 * @throws ProbeFailure dns_error, net_unreachable, host_unreachable; or the signal's reason
 */
export function askUdp(
  question: DnsQuestion,
  server: Endpoint,
  { signal, clock, resendAfterMs }: ExchangeOptions,
): Promise<DnsReply> {
  return abortable(signal, ({ resolve, reject }) => {
    const template = encodeQuery(0, question);
    const socket = createSocket(isIPv6(server.address.split('%')[0] ?? '') ? 'udp6' : 'udp4');
    // each sending has its own id: an answer is timed against the very datagram it answers
    const sentAtById = new Map<number, number>();
    const send = () => {
      const id = randomInt(0x10000);
      sentAtById.set(id, clock.monotonicMs());
      const query = Buffer.from(template);
      query.writeUInt16BE(id);
      socket.send(query);
    };
    let cancelResend = () => {};

    socket.on('error', (error) => reject(udpFailure(error, server)));
    socket.on('message', (bytes) => {
      const receivedAt = clock.monotonicMs();
      const sentAt = sentAtById.get(messageId(bytes) ?? -1);
      if (sentAt === undefined) return;
      try {
        const message = decodeReply(bytes, question);
        if (message !== null) resolve({ message, transport: 'udp', bytes: bytes.length, ms: receivedAt - sentAt });
      } catch (error) {
        reject(error);
      }
    });
    socket.once('connect', () => {
      send();
      if (resendAfterMs !== null) cancelResend = clock.after(resendAfterMs, send);
    });
    socket.connect(server.port, server.address);
    return () => {
      cancelResend();
      socket.close();
    };
  });
}

/**
 * Asks over a fresh TCP connection (RFC 7766).
 * @throws ProbeFailure tcp_*, net_unreachable, host_unreachable, dns_error; or the signal's reason
 */
export async function askTcp(
  question: DnsQuestion,
  server: Endpoint,
  { signal, clock }: ExchangeOptions,
): Promise<DnsReply> {
  const startedAt = clock.monotonicMs();
  const address = { address: server.address, family: isIPv6(server.address) ? 6 : 4 } as const;
  const { socket } = await connectTcp({ addresses: [address], port: server.port, signal, clock });
  try {
    const id = randomInt(0x10000);
    const query = encodeQuery(id, question);
    socket.write(Buffer.concat([lengthPrefix(query), query]));
    const bytes = await readMessage(socket, server, signal);
    const message = messageId(bytes) === id ? decodeReply(bytes, question) : null;
    if (message === null) throw new ProbeFailure('dns_error', `${nameOf(server)} answered another question`);
    return { message, transport: 'tcp', bytes: bytes.length, ms: clock.monotonicMs() - startedAt };
  } finally {
    socket.destroy();
  }
}

function readMessage(socket: Socket, server: Endpoint, signal: AbortSignal): Promise<Buffer> {
  return abortable(signal, ({ resolve, reject }) => {
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2) return;
      const end = 2 + received.readUInt16BE(0);
      if (received.length >= end) resolve(received.subarray(2, end));
    });
    socket.once('error', (error) => reject(socketFailure(error, nameOf(server)) ?? error));
    socket.once('end', () =>
      reject(new ProbeFailure('dns_error', `${nameOf(server)} closed the connection without an answer`)),
    );
    return () => socket.destroy();
  });
}

function lengthPrefix(message: Buffer): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(message.length);
  return prefix;
}

/** Over UDP a refused connection is an ICMP message: there is no server, which is not the code REFUSED of one. */
function udpFailure(error: Error, server: Endpoint): ProbeFailure {
  const failure = socketFailure(error, nameOf(server));
  if (failure?.code === 'net_unreachable' || failure?.code === 'host_unreachable' || failure?.code === 'overload')
    return failure;
  return new ProbeFailure('dns_error', `${nameOf(server)}: ${systemErrorName(error) ?? error.message}`, {
    cause: error,
  });
}

function nameOf(server: Endpoint): string {
  return `DNS server ${formatEndpoint(server)}`;
}
