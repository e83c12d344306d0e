import { ProbeFailure } from '../../probes/failure.js';
import type { AskOptions, DnsReply, Progress } from './ask-options.js';
import type { DnsServer } from './dns-server.js';
import type { DnsMessage, DnsQuestion } from './message.js';
import { fullCookieOf, makeQuery, type Query, type QueryEdns } from './query.js';
import { rcodeFailure } from './response-codes.js';
import { askStream, connectServer } from './stream.js';
import { askUdp } from './udp.js';

/** Parts of a DNS query that do not depend on the transport. */
export interface QuerySpec {
  readonly question: DnsQuestion;
  readonly isRecursive: boolean;
  readonly wantsSignatures: boolean;
  readonly wantsNsid: boolean;
  /** True if a resolver should respond without validation (RFC 4035 section 3.2.2); absent: false. */
  readonly isUnchecked?: boolean;
}

export function noProgress(): Progress {
  return { reply: null, connectMs: null, tlsMs: null, tls: null, isWithoutEdns: false };
}

/** A question for a resolver, without other parameters. */
export function plainQuery(question: DnsQuestion): QuerySpec {
  return { question, isRecursive: true, wantsSignatures: false, wantsNsid: false };
}

/**
 * Queries by UDP, and again by TCP when the reply was truncated (RFC 7766 section 5) or repeats our question in
 * another letter case: such a server is trusted by UDP only where it does not reply by TCP, or refuses there.
 */
export async function askUdpThenTcp(
  querySpec: QuerySpec,
  server: DnsServer,
  options: AskOptions,
  progress: Progress = noProgress(),
): Promise<DnsReply> {
  const reply = await askInTurns(querySpec, progress, (query) => askUdp(query, server, options));
  const isCut = reply.message.flags.has('tc');
  if (!isCut && !reply.isCaseFolded) return reply;
  try {
    const certain = await askTcp(querySpec, server, options, progress);
    const refusal = isInTrouble(reply.message) ? null : rcodeFailure(certain.message, querySpec.question.name);
    if (refusal !== null && isInTrouble(certain.message)) throw refusal;
    progress.reply = { ...certain, isCaseFolded: reply.isCaseFolded };
    return progress.reply;
  } catch (error) {
    // what came by UDP is kept, whatever the server thinks of TCP
    progress.reply = reply;
    if (isCut || options.signal.aborted || !(error instanceof ProbeFailure)) throw error;
    return reply;
  }
}

/** True for a reply that is no statement about the name: another server may make one. */
export function isInTrouble({ rcode }: DnsMessage): boolean {
  return rcode !== 'NOERROR' && rcode !== 'NXDOMAIN';
}

/**
 * Queries over a fresh TCP connection (RFC 7766).
 * @throws ProbeFailure tcp_*, net_unreachable, host_unreachable, dns_error; or the signal's reason
 */
export function askTcp(
  querySpec: QuerySpec,
  server: DnsServer,
  options: AskOptions,
  progress: Progress = noProgress(),
): Promise<DnsReply> {
  return askInTurns(querySpec, progress, async (query) => {
    const socket = await connectServer(server, options, progress);
    try {
      return await askStream(socket, query, { ...options, server, transport: 'tcp' });
    } finally {
      socket.destroy();
    }
  });
}

/**
 * Queries with EDNS; once more with the server's cookie where it requires one (RFC 7873 section 5.3), and once more
 * without EDNS where it does not support it (RFC 6891 section 7).
 */
export async function askInTurns(
  { question, isRecursive, wantsSignatures, wantsNsid, isUnchecked }: QuerySpec,
  progress: Progress,
  send: (query: Query) => Promise<DnsReply>,
): Promise<DnsReply> {
  const ask = async (edns: QueryEdns | null) => {
    const reply = await send(makeQuery(question, { isRecursive, edns, isUnchecked }));
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
