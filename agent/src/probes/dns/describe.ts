import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { AnswerWatch } from '../../net/dns/answer-watch.js';
import { noProgress, type Progress } from '../../net/dns/ask.js';
import type { DnsMessage } from '../../net/dns/message.js';
import { type Endpoint, formatEndpoint } from '../../net/endpoint.js';
import { ProbeFailure, toProbeError } from '../failure.js';
import { presentRecords } from './records.js';

type DnsSpec = ProbeSpecs['dns'];
type DnsResult = ProbeResults['dns'];

const flagNames = ['aa', 'tc', 'rd', 'ra', 'ad', 'cd'] as const;
/** Octets of a server's identity that are kept, and reasons it may give. */
const MAX_NSID_BYTES = 128;
const MAX_REASONS = 16;

/** Whom was asked, and what came back, as far as it went. */
export interface Asked {
  /** The name asked for; empty until it is known. */
  name: string;
  server: Endpoint | null;
  progress: Progress;
  rttMs: number | null;
  /** Null without a trace. */
  steps: NonNullable<DnsResult['trace']> | null;
  readonly watch: AnswerWatch;
}

export function nothingAsked({ params }: DnsSpec): Asked {
  const steps = params.trace ? [] : null;
  return { name: '', server: null, progress: noProgress(), rttMs: null, steps, watch: new AnswerWatch() };
}

/** The result of a run that ended with `failure`, or well. */
export function describe(spec: DnsSpec, asked: Asked, failure: ProbeFailure | null): DnsResult {
  const { server, progress, rttMs, steps, watch } = asked;
  const { reply, connectMs, tlsMs, tls } = progress;
  const message = reply?.message ?? null;
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(namingPhase(failure, spec, asked)),
    records: presentRecords(message?.answers ?? [], asked.name),
    rcode: message?.rcode ?? null,
    flags: flagNames.filter((name) => message?.flags.has(name) === true),
    resolver: server === null ? null : formatEndpoint(server),
    transport: reply?.transport ?? spec.params.transport,
    query_ms: roundMs(reply?.ms ?? null),
    connect_ms: roundMs(connectMs),
    tls_ms: roundMs(tlsMs),
    size: reply?.bytes ?? null,
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
