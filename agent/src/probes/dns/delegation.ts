import type { TraceOutcome } from '@vantage/shared/probe-types/dns-trace.js';
import type { DnsMessage, DnsQuestion, DnsRecord } from '../../net/dns/message.js';
import { isSameName, isWithin } from '../../net/dns/name.js';
import { addressOf, targetNameOf } from '../../net/dns/record-data.js';
import type { NamedServer } from '../../net/dns/root-hints.js';

/** A zone and who serves it, as the zone above says. */
export interface Delegation {
  readonly zone: string;
  /** At least one server. */
  readonly servers: readonly NamedServer[];
}

/** A reply as judged for a walk down from the root. */
export interface Judged {
  readonly outcome: Extract<TraceOutcome, 'answer' | 'nodata' | 'nxdomain' | 'referral' | 'lame'>;
  /** Reason why the server is of no use; null when it is. */
  readonly message: string | null;
  /** Delegation of a referral. */
  readonly delegation: Delegation | null;
}

/** Servers of one zone that are kept, and addresses of each. */
const MAX_SERVERS = 13;
const MAX_ADDRESSES = 4;

/**
 * Judges the answer of a server of `zone` (RFC 1034 section 4.3.2). A referral counts only if it leads down, towards
 * the name; a server that does not know its zone, or answers from a cache, is lame.
 */
export function judgeAnswer(message: DnsMessage, question: DnsQuestion, zone: string): Judged {
  const { rcode, flags, answers } = message;
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return lame(`answers ${rcode}`);
  if (flags.has('aa')) {
    if (answers.some((record) => answersName(record, question))) return useful('answer');
    return useful(rcode === 'NXDOMAIN' ? 'nxdomain' : 'nodata');
  }
  if (rcode === 'NXDOMAIN' || answers.length > 0) return lame('is not authoritative');
  return judgeReferral(message, question, zone);
}

function judgeReferral(message: DnsMessage, question: DnsQuestion, zone: string): Judged {
  const nameServers = message.authorities.filter(({ type }) => type === 'NS');
  const [first] = nameServers;
  if (first === undefined) return lame('is not authoritative');
  const below = first.name;
  if (isWithin(zone, below))
    return lame(isSameName(zone, below) ? 'refers to its own zone' : `refers upward to "${below}"`);
  if (!isWithin(below, zone)) return lame(`refers to "${below}", which is not below its zone`);
  if (!isWithin(question.name, below)) return lame(`refers to "${below}", which the name is not in`);
  const servers = nameServers
    .filter(({ name }) => isSameName(name, below))
    .flatMap((record) => targetNameOf(record) ?? [])
    .slice(0, MAX_SERVERS)
    .map((name) => ({ name, addresses: glueOf(message, name, zone) }));
  if (servers.length === 0) return lame('refers to servers without names');
  return { outcome: 'referral', message: null, delegation: { zone: below, servers } };
}

/** Glue counts only for names at or below the zone of who gives it: of others a server may claim anything. */
function glueOf({ additionals }: DnsMessage, server: string, zone: string): string[] {
  if (!isWithin(server, zone)) return [];
  return additionals
    .filter(({ name }) => isSameName(name, server))
    .flatMap((record) => addressOf(record) ?? [])
    .slice(0, MAX_ADDRESSES);
}

function answersName(record: DnsRecord, { name, type }: DnsQuestion): boolean {
  return isSameName(record.name, name) && (type === 'ANY' || record.type === type || record.type === 'CNAME');
}

function useful(outcome: 'answer' | 'nodata' | 'nxdomain'): Judged {
  return { outcome, message: null, delegation: null };
}

function lame(message: string): Judged {
  return { outcome: 'lame', message, delegation: null };
}
