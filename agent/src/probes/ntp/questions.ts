import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import { abortable } from '../../net/abortable.js';
import { type Endpoint, formatEndpoint } from '../../net/endpoint.js';
import { socketFailure } from '../../net/socket-failure.js';
import { ProbeFailure } from '../failure.js';
import type { Ledger } from './ledger.js';
import { decodeReply, encodeRequest, type NtpReply } from './packet.js';
import { isUnsynchronised, kissCode } from './reference.js';
import { type Exchange, sampleOf } from './sample.js';
import { differenceMs } from './timestamp.js';
import { anchorWall } from './wall-anchor.js';

export interface QuestionOptions {
  readonly count: number;
  readonly intervalMs: number;
  /** Time to wait for each reply, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** A request on its way. */
interface Pending extends Omit<Exchange, 'receivedAtMs'> {
  readonly index: number;
  readonly giveUp: () => void;
}

/**
 * Sends requests at their interval from one connected socket and enters what comes back into the ledger, until each is
 * answered or given up. A server that asks to stop, or is not synchronised, is sent no more. Datagrams that do not repeat
 * the random number of a request are ignored.
 * @throws ProbeFailure no_reply, net_unreachable, host_unreachable; or the signal's reason
 */
export function askTime(server: Endpoint, ledger: Ledger, options: QuestionOptions): Promise<void> {
  const { count, intervalMs, timeoutMs, signal, clock } = options;
  return abortable(signal, ({ resolve, reject }) => {
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
    const pending = new Map<bigint, Pending>();
    let isSending = true;
    let cancelNext = () => {};

    const stopSending = () => {
      isSending = false;
      cancelNext();
    };
    const finishIfDone = () => {
      if (!isSending && pending.size === 0) resolve();
    };
    const send = async () => {
      const wall = await anchorWall(clock);
      if (!isSending) return;
      const cookie = randomBytes(8).readBigUInt64BE();
      const index = ledger.samples.push(null) - 1;
      const giveUp = clock.after(timeoutMs, () => {
        pending.delete(cookie);
        finishIfDone();
      });
      isSending = index + 1 < count;
      if (isSending) cancelNext = clock.after(intervalMs, () => void send());
      const request = encodeRequest(cookie);
      pending.set(cookie, { index, giveUp, wall, sentAtMs: clock.monotonicMs() });
      socket.send(request);
    };

    socket.on('message', (bytes) => {
      const receivedAtMs = clock.monotonicMs();
      const reply = decodeReply(bytes);
      const request = reply === null ? undefined : pending.get(reply.origin);
      if (reply === null || request === undefined || !isUsable(reply)) {
        ledger.ignored += 1;
        return;
      }
      pending.delete(reply.origin);
      request.giveUp();
      ledger.received += 1;
      if (hasTimes(reply)) ledger.samples[request.index] = sampleOf(reply, { ...request, receivedAtMs });
      if (refusesTime(reply)) {
        ledger.refusal ??= reply;
        // what was sent before may still be answered
        stopSending();
      }
      finishIfDone();
    });
    socket.on('error', (error) => {
      // a server that has replied before exists, despite the error of a router
      if (ledger.received === 0) reject(sendingFailure(error, server));
    });
    socket.once('connect', () => void send());
    socket.connect(server.port, server.address);
    return () => {
      stopSending();
      for (const { giveUp } of pending.values()) giveUp();
      socket.close();
    };
  });
}

/** A server without time need not report it; any other must, and cannot have answered before it was asked. */
function isUsable(reply: NtpReply): boolean {
  return refusesTime(reply) || hasTimes(reply);
}

function hasTimes(reply: NtpReply): boolean {
  if (kissCode(reply) !== null || reply.receivedAt === 0n || reply.sentAt === 0n) return false;
  return differenceMs(reply.sentAt, reply.receivedAt) >= 0;
}

/** Either ends the requests: who is asked to go away sends nothing more (RFC 5905 section 7.4). */
function refusesTime(reply: NtpReply): boolean {
  return kissCode(reply) !== null || isUnsynchronised(reply);
}

/** Over UDP a refused connection is an ICMP message: no service listens. */
function sendingFailure(error: Error, server: Endpoint): ProbeFailure {
  const what = `time server ${formatEndpoint(server)}`;
  const failure = socketFailure(error, what) ?? new ProbeFailure('internal', `${what}: ${error.message}`);
  if (failure.code !== 'tcp_refused') return failure;
  return new ProbeFailure('no_reply', `no service listens at ${formatEndpoint(server)} (port unreachable)`, {
    cause: error,
  });
}
