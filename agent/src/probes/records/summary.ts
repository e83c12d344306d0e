import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { type LookedUpRecordType, lookedUpRecordTypes } from '@vantage/shared/probe-types/records.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { DnsMessage } from '../../net/dns/message.js';
import { MalformedMessage } from '../../net/dns/wire-reader.js';
import { hidePrivate } from '../dns/hidden-values.js';
import { presentRecords } from '../dns/records.js';
import { ProbeFailure } from '../failure.js';

type RecordsResult = ProbeResults['records'];

/** Response about one type, or the reason why there is none. */
export interface TypeOutcome {
  readonly type: LookedUpRecordType;
  readonly outcome: DnsMessage | ProbeFailure;
}

/** Failure of a lookup in which no type has a valid response; null if one has. */
export function failureOf(outcomes: readonly TypeOutcome[]): ProbeFailure | null {
  const failures = outcomes.flatMap(({ outcome }) => (outcome instanceof ProbeFailure ? [outcome] : []));
  if (failures.length < outcomes.length) return null;
  return failures.find(({ code }) => code === 'target_not_allowed') ?? failures[0] ?? null;
}

/** Members of a result that the responses about `name` make up; what strangers may not see is hidden. */
export function summarise(
  name: string,
  outcomes: readonly TypeOutcome[],
  policy: TargetPolicy,
): Omit<RecordsResult, 'success' | 'error' | 'domain' | 'lookup_ms'> {
  const messages = outcomes.flatMap(({ outcome }) => (outcome instanceof ProbeFailure ? [] : [outcome]));
  const answered = messages.length > 0;
  return {
    records: recordsOf(name, messages, policy),
    rcode: answered ? (messages.some(({ rcode }) => rcode === 'NXDOMAIN') ? 'NXDOMAIN' : 'NOERROR') : null,
    authenticated_data: answered ? messages.every(({ flags }) => flags.has('ad')) : null,
    negative_ttl_s: leastOf(messages.flatMap((message) => negativeTtlOf(message) ?? [])),
    errors: outcomes.flatMap(({ type, outcome }) =>
      outcome instanceof ProbeFailure ? [{ type, code: outcome.code }] : [],
    ),
  };
}

/** Bounded as those of a `dns` probe. Aliases are in the responses about several types. */
function recordsOf(name: string, messages: readonly DnsMessage[], policy: TargetPolicy): RecordsResult['records'] {
  const answers = messages.flatMap((message) => message.answers).filter(({ type }) => rankOf(type) >= 0);
  const byKey = new Map<string, RecordsResult['records'][number]>();
  for (const record of presentRecords(answers, name)) {
    const { name: owner, type, value, ttl } = hidePrivate(record, name, policy);
    const key = `${owner.toLowerCase()} ${type} ${value}`;
    if (!byKey.has(key)) byKey.set(key, { name: owner, type: type as LookedUpRecordType, value, ttl });
  }
  return [...byKey.values()].toSorted(
    (a, b) => rankOf(a.type) - rankOf(b.type) || compare(a.value, b.value) || compare(a.name, b.name),
  );
}

function rankOf(type: string): number {
  return (lookedUpRecordTypes as readonly string[]).indexOf(type);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The least of the time to live of the SOA record and its last number (RFC 2308 section 5); null without one. */
function negativeTtlOf({ answers, authorities }: DnsMessage): number | null {
  const soa = answers.length === 0 ? authorities.find(({ type }) => type === 'SOA') : undefined;
  if (soa === undefined) return null;
  try {
    const data = soa.data();
    data.domainName();
    data.domainName();
    for (let skipped = 0; skipped < 4; skipped += 1) data.u32();
    return Math.min(soa.ttl, data.u32());
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}

function leastOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}
