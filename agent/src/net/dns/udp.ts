import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { ProbeFailure } from '../../probes/failure.js';
import { abortable } from '../abortable.js';
import { socketFailure, systemErrorName } from '../socket-failure.js';
import type { AskOptions, DnsReply } from './ask-options.js';
import { type DnsServer, serverTitle, withoutIdentity } from './dns-server.js';
import { type DnsMessage, messageId } from './message.js';
import { judgeReply, type Query, queryBytes } from './query.js';
import { isSameAnswer } from './record-data.js';

/** Messages of one server that are read at most: one that sends more of them than that keeps us busy. */
const MAX_MESSAGES = 100;
/** Larger datagrams are not responses: we offer 1232 bytes, and servers that ignore the offer send 4096. */
const MAX_DATAGRAM_BYTES = 4096;

/**
 * Queries from a connected socket on a random port with a random id. Anything but the reply to this question from
 * this server is ignored, so the wait ends with a reply, an unreachable server or the signal.
 * @throws ProbeFailure dns_error, net_unreachable, host_unreachable; or the signal's reason
 */
export function askUdp(
  query: Query,
  server: DnsServer,
  { signal, clock, budget, resendAfterMs, onSent, watch }: AskOptions,
): Promise<DnsReply> {
  return abortable(signal, ({ resolve, reject }) => {
    const socket = createSocket(isIPv6(server.address.split('%')[0] ?? '') ? 'udp6' : 'udp4');
    // each datagram has its own id: a response is timed against the datagram that it belongs to
    const sentAtById = new Map<number, number>();
    const send = () => {
      budget.spend();
      const id = otherId(sentAtById);
      const sentAt = clock.monotonicMs();
      sentAtById.set(id, sentAt);
      socket.send(queryBytes(query, id));
      onSent?.(sentAt);
    };
    const sendOrFail = () => {
      try {
        send();
      } catch (error) {
        reject(error);
      }
    };
    let cancelResend = () => {};
    let taken: DnsMessage | null = null;
    let messageCount = 0;

    socket.on('error', (error) => reject(udpFailure(error, server)));
    socket.on('message', (bytes) => {
      const receivedAt = clock.monotonicMs();
      messageCount += 1;
      if (messageCount > MAX_MESSAGES) return reject(floodFailure(server));
      const id = messageId(bytes) ?? -1;
      const sentAt = sentAtById.get(id);
      try {
        const judged = sentAt === undefined || bytes.length > MAX_DATAGRAM_BYTES ? null : judgeReply(bytes, query, id);
        if (judged === null || judged.kind === 'foreign' || sentAt === undefined) {
          if (watch !== undefined) watch.ignoredCount += 1;
          return;
        }
        if (taken !== null) {
          if (watch !== undefined && !isSameAnswer(taken, judged.message)) watch.contradictionCount += 1;
          return;
        }
        taken = judged.message;
        const isCaseFolded = judged.kind === 'folded';
        const message = withoutIdentity(taken, server);
        resolve({ message, transport: 'udp', bytes: bytes.length, ms: receivedAt - sentAt, isCaseFolded });
      } catch (error) {
        reject(error);
      }
    });
    socket.once('connect', () => {
      sendOrFail();
      if (resendAfterMs !== null) cancelResend = clock.after(resendAfterMs, sendOrFail);
    });
    socket.connect(server.port, server.address);
    return (isResolved) => {
      cancelResend();
      if (isResolved && watch !== undefined) watch.keep(() => socket.close());
      else socket.close();
    };
  });
}

/** A random id, 0 to 65535, that none of these questions has: an answer belongs to one sending. */
export function otherId(asked: ReadonlyMap<number, unknown>): number {
  for (;;) {
    const id = randomInt(0x10000);
    if (!asked.has(id)) return id;
  }
}

function floodFailure(server: DnsServer): ProbeFailure {
  return new ProbeFailure('dns_error', `${serverTitle(server)} sent over ${MAX_MESSAGES} messages but no response`);
}

/** Over UDP a refused connection is an ICMP message: there is no server, which is not the code REFUSED of one. */
function udpFailure(error: Error, server: DnsServer): ProbeFailure {
  const what = serverTitle(server);
  const failure = socketFailure(error, what);
  if (failure?.code === 'net_unreachable' || failure?.code === 'host_unreachable' || failure?.code === 'overload')
    return failure;
  return new ProbeFailure('dns_error', `${what}: ${systemErrorName(error) ?? 'the socket failed'}`, { cause: error });
}
