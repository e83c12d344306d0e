import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { hasHiddenAlias } from '../../net/dns/hidden-alias.js';
import type { DnsMessage } from '../../net/dns/message.js';
import { addressOf } from '../../net/dns/record-data.js';
import { arpaName } from '../dns/arpa-name.js';

/** Codes and characters of a reason that are kept. */
const MAX_CODES = 8;
const MAX_REASON_LENGTH = 200;

/** Meaning of a blocklist's answer. */
export interface ZoneVerdict {
  /** True if the address is listed; null if the answer does not say. */
  readonly listed: boolean | null;
  readonly codes: readonly string[];
  /** Reason why the answer does not count; null when it does. */
  readonly error: string | null;
}

/** The name under which a zone has an address: its bytes (IPv4) or nibbles (IPv6) in reverse. RFC 5782 sections 2.1 and 2.4. */
export function listedName(address: string, zone: string): string {
  return `${arpaName(address).replace(/\.(?:in-addr|ip6)\.arpa$/, '')}.${zone}`;
}

/**
 * Reads an answer to a question for A records. Listed is what has an address in 127.0.0.0/8 (RFC 5782 section 2.1), but
 * for those by which lists refuse to answer: 127.255.255.0/24 (Spamhaus) and 127.0.0.1 (URIBL, SURBL), which no list
 * may mean. Any other address belongs to someone who took over the zone, or of a private network that an alias leads
 * to: neither that nor whether its name exists is for strangers.
 */
export function judgeReply(message: DnsMessage, policy: TargetPolicy): ZoneVerdict {
  const { rcode, answers } = message;
  if (hasHiddenAlias(message, policy)) return unanswered('resolves to a name that is not allowed');
  if (rcode === 'NXDOMAIN') return { listed: false, codes: [], error: null };
  if (rcode !== 'NOERROR') return unanswered(`answers ${rcode}`);
  const codes = answers.flatMap((record) => (record.type === 'A' ? (addressOf(record) ?? []) : []));
  if (codes.length === 0) return { listed: false, codes: [], error: null };
  const listing = codes.filter((code) => code.startsWith('127.') && !isRefusal(code));
  if (listing.length > 0) return { listed: true, codes: listing.slice(0, MAX_CODES), error: null };
  const refusal = codes.find(isRefusal);
  if (refusal !== undefined) return unanswered(`refuses the query (${refusal})`);
  const shown = codes.find((code) => !policy.isHiddenAddress(code)) ?? 'an address';
  return unanswered(`responded with ${shown}, which is not in 127.0.0.0/8`);
}

function unanswered(error: string): ZoneVerdict {
  return { listed: null, codes: [], error };
}

function isRefusal(code: string): boolean {
  return code.startsWith('127.255.255.') || code === '127.0.0.1';
}

/** The text of the first TXT record, its strings joined, without controls; null where there is none. */
export function reasonIn(message: DnsMessage, policy: TargetPolicy): string | null {
  if (hasHiddenAlias(message, policy)) return null;
  const record = message.answers.find(({ type }) => type === 'TXT');
  if (record === undefined) return null;
  const text = stringsOf(record.data().rest()).join('').slice(0, MAX_REASON_LENGTH);
  return text.replace(/[\p{Cc}\p{Surrogate}]/gu, ' ').trim() || null;
}

/** Each with its length before it (RFC 1035 section 3.3.14). */
function stringsOf(data: Buffer): string[] {
  const strings: string[] = [];
  for (let at = 0; at < data.length; at += 1 + (data[at] ?? 0)) {
    strings.push(data.subarray(at + 1, at + 1 + (data[at] ?? 0)).toString('utf8'));
  }
  return strings;
}
