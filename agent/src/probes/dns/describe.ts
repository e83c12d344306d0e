import { OWN_RESOLVER } from '@vantage/shared/probe-types/dns-hidden.js';
import { isReservedAddress } from '@vantage/shared/probe-types/dns-pollution.js';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { AnswerWatch } from '../../net/dns/answer-watch.js';
import { noProgress } from '../../net/dns/ask.js';
import type { Progress } from '../../net/dns/ask-options.js';
import type { DnsServer } from '../../net/dns/dns-server.js';
import type { DnsMessage } from '../../net/dns/message.js';
import { addressOf } from '../../net/dns/record-data.js';
import { formatEndpoint } from '../../net/endpoint.js';
import { ProbeFailure, toProbeError } from '../failure.js';
import { hidePrivate } from './hidden-values.js';
import { presentRecords } from './records.js';

type DnsSpec = ProbeSpecs['dns'];
type DnsResult = ProbeResults['dns'];

const flagNames = ['aa', 'tc', 'rd', 'ra', 'ad', 'cd'] as const;
/** Octets of a server's identity that are kept, and reasons it may give. */
const MAX_NSID_BYTES = 128;
const MAX_REASONS = 16;

/** Server that was queried, and its reply as far as it went. */
export interface Asked {
  /** The name asked for; empty until it is known. */
  name: string;
  server: DnsServer | null;
  progress: Progress;
  rttMs: number | null;
  /** Steps of a trace; null without one. */
  steps: NonNullable<DnsResult['trace']> | null;
  readonly watch: AnswerWatch;
}

export function nothingAsked({ params }: DnsSpec): Asked {
  const steps = params.trace ? [] : null;
  return { name: '', server: null, progress: noProgress(), rttMs: null, steps, watch: new AnswerWatch() };
}

/**
 * The result of a run that ended with `failure`, or well. The node's own resolver is not shown; nor is what a server that
 * the caller did not name answers of networks that `policy` does not open, for servers may answer the node otherwise than
 * the world; nor, where something is hidden, the size of the answer, which has its length.
 */
export function describe(
  spec: DnsSpec,
  asked: Asked,
  { failure, policy }: { readonly failure: ProbeFailure | null; readonly policy: TargetPolicy },
): DnsResult {
  const { server, progress, rttMs, steps, watch } = asked;
  const { reply, connectMs, tlsMs, tls } = progress;
  const message = reply?.message ?? null;
  const isOwn = server?.title !== undefined;
  const answered = presentRecords(message?.answers ?? [], asked.name);
  const isNamed = spec.params.server !== undefined;
  const records = isNamed ? answered : answered.map((record) => hidePrivate(record, asked.name, policy));
  const isHidden = records.some(({ value }, i) => value !== answered[i]?.value);
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(namingPhase(failure, spec, asked)),
    records,
    reserved_address: message?.answers.some((record) => isReservedAddress(addressOf(record) ?? '')) ?? false,
    rcode: message?.rcode ?? null,
    flags: flagNames.filter((name) => message?.flags.has(name) === true),
    resolver: server === null ? null : isOwn ? OWN_RESOLVER : formatEndpoint(server),
    transport: reply?.transport ?? spec.params.transport,
    query_ms: roundMs(reply?.ms ?? null),
    connect_ms: roundMs(connectMs),
    tls_ms: roundMs(tlsMs),
    size: isHidden ? null : (reply?.bytes ?? null),
    resolver_rtt_ms: roundMs(rttMs ?? connectMs),
    ignored: watch.ignoredCount,
    contradictions: watch.contradictionCount,
    case_folded: reply?.isCaseFolded ?? false,
    edns: describeEdns(message),
    extended_errors: (message?.extendedErrors ?? []).slice(0, MAX_REASONS).map(({ code, text }) => ({ code, text })),
    tls,
    ...describeNsid(message),
    ...(spec.params.dnssec && message !== null ? { dnssec: describeDnssec(message) } : {}),
    ...(steps === null ? {} : { trace: steps }),
  };
}

function describeEdns(message: DnsMessage | null): DnsResult['edns'] {
  const edns = message?.edns ?? null;
  return edns && { version: edns.version, udp_size: edns.udpBytes, cookie: edns.cookie !== null };
}

/** Text where all of it is printable ASCII. */
function describeNsid(message: DnsMessage | null): Pick<DnsResult, 'nsid'> {
  const bytes = message?.edns?.nsid?.subarray(0, MAX_NSID_BYTES);
  if (bytes === undefined || bytes.length === 0) return {};
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  return { nsid: isText ? bytes.toString('latin1') : `0x${bytes.toString('hex')}` };
}

function describeDnssec({ flags, answers }: DnsMessage): NonNullable<DnsResult['dnssec']> {
  return { validated: flags.has('ad'), signatures: answers.filter(({ type }) => type === 'RRSIG').length };
}

/** The end of the time says what had not come yet. */
function namingPhase(failure: ProbeFailure, { params }: DnsSpec, { server, progress }: Asked): ProbeFailure {
  if (failure.code !== 'timeout') return failure;
  const isConnecting = params.transport !== 'udp' && server !== null && progress.connectMs === null;
  return new ProbeFailure(isConnecting ? 'tcp_timeout' : 'dns_timeout', failure.message, { cause: failure });
}
