import type { Clock } from '@vantage/shared/clock.js';
import type { TlsReport } from '@vantage/shared/probe-types/tls-report.js';
import { ProbeFailure } from '../../probes/failure.js';
import type { Endpoint } from '../endpoint.js';
import type { QueryBudget } from '../query-budget.js';
import type { AnswerWatch } from './answer-watch.js';
import type { DnsMessage, DnsQuestion } from './message.js';
import { fullCookieOf, makeQuery, type Query, type QueryEdns } from './query.js';
import { askStream, connectServer } from './stream.js';
import { askUdp } from './udp.js';

export type DnsTransport = 'udp' | 'tcp' | 'dot' | 'doh';

/** An answer and how it came. */
export interface DnsReply {
  readonly message: DnsMessage;
  readonly transport: DnsTransport;
  /** Size of the message, without the length prefix of TCP. */
  readonly bytes: number;
  /** The query that was answered, sent, to its answer, received: monotonic milliseconds, without any connecting. */
  readonly ms: number;
  /** The server repeated the question in another letter case than ours. */
  readonly isCaseFolded: boolean;
}

/** How far an exchange has come; what is there stays there when a later step fails. */
export interface Progress {
  reply: DnsReply | null;
  /** TCP handshake; null over UDP. */
  connectMs: number | null;
  tlsMs: number | null;
  tls: TlsReport | null;
  /** The server understands no EDNS: it was asked again without. */
  isWithoutEdns: boolean;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Every query that is sent is taken from it. */
  readonly budget: QueryBudget;
  /** Milliseconds after which an unanswered datagram is sent once more; null: never. */
  readonly resendAfterMs: number | null;
  /** Told when a datagram leaves. */
  readonly onSent?: ((atMs: number) => void) | undefined;
  /** Keeps datagram sockets open that brought an answer; without it they are closed at once. */
  readonly watch?: AnswerWatch;
}

/** What is asked, whichever way. */
export interface Asking {
  readonly question: DnsQuestion;
  readonly isRecursive: boolean;
  readonly wantsSignatures: boolean;
  readonly wantsNsid: boolean;
}

export function noProgress(): Progress {
  return { reply: null, connectMs: null, tlsMs: null, tls: null, isWithoutEdns: false };
}

/** A question for a resolver, and nothing beside it. */
export function plainAsking(question: DnsQuestion): Asking {
  return { question, isRecursive: true, wantsSignatures: false, wantsNsid: false };
}

/**
 * Asks by UDP, and again by TCP when the answer was cut (RFC 7766 section 5) or repeats our question in another letter
 * case: such a server is believed by UDP only where it does not answer by TCP.
 */
export async function askUdpThenTcp(
  asking: Asking,
  server: Endpoint,
  options: AskOptions,
  progress: Progress = noProgress(),
): Promise<DnsReply> {
  const reply = await askInTurns(asking, progress, (query) => askUdp(query, server, options));
  if (reply.message.flags.has('tc')) return askTcp(asking, server, options, progress);
  if (!reply.isCaseFolded) return reply;
  try {
    const certain = await askTcp(asking, server, options, progress);
    progress.reply = { ...certain, isCaseFolded: true };
    return progress.reply;
  } catch (error) {
    if (options.signal.aborted || !(error instanceof ProbeFailure)) throw error;
    return reply;
  }
}

/**
 * Asks over a fresh TCP connection (RFC 7766).
 * @throws ProbeFailure tcp_*, net_unreachable, host_unreachable, dns_error; or the signal's reason
 */
export function askTcp(
  asking: Asking,
  server: Endpoint,
  options: AskOptions,
  progress: Progress = noProgress(),
): Promise<DnsReply> {
  return askInTurns(asking, progress, async (query) => {
    const socket = await connectServer(server, options, progress);
    try {
      return await askStream(socket, query, { ...options, server, transport: 'tcp' });
    } finally {
      socket.destroy();
    }
  });
}

/**
 * Asks with EDNS; once more with the server's cookie where it wants to see one (RFC 7873 section 5.3), and once more
 * without EDNS where it knows none (RFC 6891 section 7).
 */
export async function askInTurns(
  { question, isRecursive, wantsSignatures, wantsNsid }: Asking,
  progress: Progress,
  send: (query: Query) => Promise<DnsReply>,
): Promise<DnsReply> {
  const ask = async (edns: QueryEdns | null) => {
    const reply = await send(makeQuery(question, { isRecursive, edns }));
    progress.reply = reply;
    return reply;
  };
  let edns: QueryEdns = { wantsSignatures, wantsNsid, cookie: null };
  let reply = await ask(edns);
  const cookie = reply.message.rcode === 'BADCOOKIE' ? fullCookieOf(reply.message) : null;
  if (cookie !== null) {
    edns = { ...edns, cookie };
    reply = await ask(edns);
  }
  if (!knowsNoEdns(reply.message)) return reply;
  progress.isWithoutEdns = true;
  return ask(null);
}

/** Version 0 is the lowest there is: who calls it bad knows none. */
function knowsNoEdns({ rcode, edns }: DnsMessage): boolean {
  return rcode === 'BADVERS' || (edns === null && (rcode === 'FORMERR' || rcode === 'NOTIMP'));
}
