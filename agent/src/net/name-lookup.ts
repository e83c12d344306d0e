import type { Clock } from '@vantage/shared/clock.js';
import type { TargetError } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { ProbeFailure, refusingAs } from '../probes/failure.js';
import { within } from './deadline.js';
import { askUdpThenTcp, isInTrouble, plainQuery } from './dns/ask.js';
import type { DnsReply } from './dns/ask-options.js';
import type { DnsServer } from './dns/dns-server.js';
import type { DnsMessage, DnsQuestion } from './dns/message.js';
import { isSameName } from './dns/name.js';
import { addressOf, targetNameOf } from './dns/record-data.js';
import { rcodeFailure } from './dns/response-codes.js';
import type { QueryBudget } from './query-budget.js';

/** Milliseconds one server has for its answer before the next one is asked, or the only one again. */
const TRY_MS = 2500;
/** Aliases followed for one name; what is longer is a loop or an attack. */
const MAX_ALIASES = 8;
/** Addresses of one family that are kept: all are judged, and few are ever connected to. */
const MAX_ADDRESSES = 64;

export interface AskServersOptions {
  /** Servers in order of preference, at least one. */
  readonly servers: readonly DnsServer[];
  readonly budget: QueryBudget;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The name that messages speak of, where it leads to the one that is asked for; default: that one. */
  readonly about?: string;
  /** Called when a query leaves. */
  readonly onSent?: (atMs: number) => void;
}

export interface LookupOptions extends AskServersOptions {
  readonly policy: TargetPolicy;
  /** Field of the request that held the name, for messages. */
  readonly field: string;
  /** Called with every alias that passed the policy. */
  readonly onAlias?: ((alias: string) => void) | undefined;
}

/**
 * The addresses of one family behind a name, its aliases followed. Every alias and every address that any answer holds
 * has passed the policy: one that is refused refuses the name.
 * @throws ProbeFailure dns_* or target_not_allowed; or the signal's reason
 */
export async function lookUp(name: string, type: 'A' | 'AAAA', options: LookupOptions): Promise<string[]> {
  let asked = name;
  let aliasCount = 0;
  for (;;) {
    const { message } = await askServers({ name: asked, type }, { ...options, about: name });
    const { aliases, addresses } = readAnswer(message, { name: asked, type });
    checkAnswer(name, message, aliases, options);
    for (const alias of aliases) options.onAlias?.(alias);
    aliasCount += aliases.length;
    if (aliasCount > MAX_ALIASES)
      throw new ProbeFailure('dns_error', `"${name}" has more than ${MAX_ALIASES} aliases (CNAME)`);
    const failure = rcodeFailure(message, name);
    if (failure !== null) throw failure;
    if (addresses.length > 0) return addresses.slice(0, MAX_ADDRESSES);
    if (aliases.length === 0) throw new ProbeFailure('dns_nodata', `"${name}" has no ${type} record`);
    asked = aliases.at(-1) ?? asked;
  }
}

/** The chain of aliases from the question's name, and the addresses at its end. */
function readAnswer({ answers }: DnsMessage, question: DnsQuestion): { aliases: string[]; addresses: string[] } {
  const aliases: string[] = [];
  let owner = question.name;
  while (aliases.length <= MAX_ALIASES) {
    const alias = answers.find(({ type, name }) => type === 'CNAME' && isSameName(name, owner));
    const target = alias === undefined ? null : targetNameOf(alias);
    if (target === null) break;
    owner = target;
    aliases.push(owner);
  }
  const addresses = answers.flatMap((record) => {
    const address = record.type === question.type && isSameName(record.name, owner) ? addressOf(record) : null;
    return address === null ? [] : [address];
  });
  return { aliases, addresses };
}

/**
 * Judges every address of the answer, those of unrelated names too: no honest server adds a private one. The failure
 * says that the name leads somewhere it may not, and not where: that is often the network of the node.
 */
function checkAnswer(
  name: string,
  { answers }: DnsMessage,
  aliases: readonly string[],
  { policy, field }: LookupOptions,
): void {
  const leadsTo = (what: string) => (cause: TargetError) =>
    new ProbeFailure('target_not_allowed', `"${name}" resolves to ${what} that is not allowed`, { cause });
  for (const alias of aliases) refusingAs(leadsTo('a name'), () => policy.checkName(alias, field));
  for (const address of answers.map(addressOf))
    if (address !== null) refusingAs(leadsTo('an address'), () => policy.checkAddress(address, field));
}

/**
 * Two tries: a server that is silent, unreachable or in trouble is followed by the next one. If that one does not respond,
 * the reply of the first counts.
 * @throws ProbeFailure dns_*; or the signal's reason
 */
export async function askServers(question: DnsQuestion, options: AskServersOptions): Promise<DnsReply> {
  const [first, next = first] = options.servers;
  if (first === undefined || next === undefined) throw new RangeError('no DNS server is configured');
  let reply: DnsReply | null = null;
  try {
    reply = await askWithin(question, first, options);
    if (next === first || !isInTrouble(reply.message)) return reply;
  } catch (error) {
    if (options.signal.aborted || !(error instanceof ProbeFailure)) throw error;
  }
  try {
    return await askWithin(question, next, options);
  } catch (error) {
    if (options.signal.aborted || !(error instanceof ProbeFailure)) throw error;
    if (reply !== null) return reply;
    throw dnsFailure(error);
  }
}

function askWithin(
  question: DnsQuestion,
  server: DnsServer,
  { signal, clock, budget, onSent, about = question.name }: AskServersOptions,
): Promise<DnsReply> {
  const reason = () => new ProbeFailure('dns_timeout', `no DNS response for "${about}"`);
  return within({ clock, ms: TRY_MS, reason }, signal, (limited) =>
    askUdpThenTcp(plainQuery(question), server, { signal: limited, clock, budget, resendAfterMs: null, onSent }),
  );
}

/** A resolver that cannot be reached is a failure of DNS: codes of connections speak of the target. */
function dnsFailure(failure: ProbeFailure): ProbeFailure {
  return failure.code.startsWith('dns_') ? failure : new ProbeFailure('dns_error', failure.message, { cause: failure });
}
