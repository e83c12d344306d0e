import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { checkNtpPort } from '../target-policy/ports.js';
import { msCell, textCell } from './cells.js';
import { NoTaskFields, type ProbeTypeDefinition } from './definition.js';
import {
  ipVersionField,
  ipVersionParam,
  milliseconds,
  nullableMilliseconds,
  nullableString,
  outcomeFields,
  portParam,
  resolvedIpField,
  specOf,
  timeoutParam,
} from './fields.js';
import { meanOf, roundMs } from './statistics.js';
import { findPort, hostOf } from './target-port.js';

const DEFAULT_PORT = 123;
/** Packets one probe may send: what a stranger can make a node send to a time server. */
export const MAX_NTP_PACKETS = 8;

const Params = Type.Object(
  {
    port: Type.Optional({ ...portParam, description: 'Port of the server; default: 123.' }),
    count: Type.Integer({ minimum: 1, maximum: MAX_NTP_PACKETS, default: 4, description: 'Requests to send.' }),
    interval_ms: Type.Integer({
      minimum: 1000,
      maximum: 5000,
      default: 2000,
      description:
        'Interval between requests, in milliseconds; many servers ignore clients that send more than one request in two seconds.',
    }),
    timeout_ms: timeoutParam(100, 10000, 5000, 'Timeout of each reply, in milliseconds.'),
    ip_version: ipVersionParam,
  },
  { additionalProperties: false },
);

const Spec = specOf('A time server: a host name or address.', Params);

const nullableInteger = (minimum: number, maximum: number, description: string) =>
  nullable(Type.Integer({ minimum, maximum }), description);
const nullableNumber = (description: string) => nullable(Type.Number(), description);

/** Values of the leap indicator, in the order of its two bits (RFC 5905 section 7.3). */
export const leapIndicators = ['none', 'insert', 'delete', 'unsynchronised'] as const;

const Sample = Type.Object(
  {
    offset_ms: nullableNumber('Null without a reply.'),
    delay_ms: nullableMilliseconds('Null without a reply.'),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    resolved_ip: resolvedIpField,
    ip_version: ipVersionField,
    packets_sent: Type.Integer({ minimum: 0, maximum: MAX_NTP_PACKETS }),
    packets_received: Type.Integer({ minimum: 0, maximum: MAX_NTP_PACKETS }),
    offset_ms: nullableNumber(
      'The server’s clock minus the node’s, by the reply with the smallest delay; positive: the server is ahead.',
    ),
    offset_error_ms: nullableMilliseconds(
      'Greatest error of offset_ms if server and node are correct: half the delay and the uncertainty of the node’s clock.',
    ),
    delay_ms: nullableMilliseconds('Round-trip time without the time that the server took.'),
    jitter_ms: nullableMilliseconds('Root mean square of the differences between offset_ms and the other offsets.'),
    stratum: nullableInteger(0, 16, '1: has a reference clock; 16: not synchronised.'),
    refid: nullableString('Reference of the server: a name at stratum 1, else four bytes as an IPv4 address.'),
    refid_hex: nullableString('The same four bytes in hexadecimal.'),
    leap: Type.Union([Type.Enum([...leapIndicators], { type: 'string' }), Type.Null()], {
      description: 'Leap second at the end of the month, or that the server is not synchronised.',
    }),
    root_delay_ms: nullableMilliseconds('Round-trip time between the server and its reference clock.'),
    root_dispersion_ms: nullableMilliseconds('Greatest error of its clock, as the server reports it.'),
    precision: nullableInteger(-128, 127, 'Resolution of the server’s clock, log2 of seconds.'),
    poll: nullableInteger(-128, 127, 'Polling interval that the server reports, log2 of seconds.'),
    version: nullableInteger(1, 7, 'Version of NTP in the reply.'),
    kiss_code: Type.Optional(
      Type.String({
        maxLength: 4,
        description:
          'Code of the kiss-o’-death (RFC 5905 section 7.4) by which the server ended the requests; the time that it gave before counts. Absent without one.',
      }),
    ),
    samples: Type.Array(Sample, { maxItems: MAX_NTP_PACKETS, description: 'One entry for each request, in order.' }),
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  {
    offset_avg_ms: nullableNumber('Mean over successful nodes; each measures against its own clock.'),
    delay_avg_ms: Type.Union([milliseconds('Mean over successful nodes.'), Type.Null()]),
  },
  { additionalProperties: false },
);

type NtpSpec = Static<typeof Spec>;
type NtpResult = Static<typeof Result>;

/** The port to ask on. @throws TargetError for two that differ */
export function ntpPort(spec: NtpSpec): number {
  return findPort(spec) ?? DEFAULT_PORT;
}

function checkTarget(spec: NtpSpec, policy: TargetPolicy): void {
  const host = hostOf(spec);
  policy.checkHost(host);
  checkNtpPort(ntpPort(spec), host, policy);
}

const NO_ANSWER = {
  packets_sent: 0,
  packets_received: 0,
  offset_ms: null,
  offset_error_ms: null,
  delay_ms: null,
  jitter_ms: null,
  stratum: null,
  refid: null,
  refid_hex: null,
  leap: null,
  root_delay_ms: null,
  root_dispersion_ms: null,
  precision: null,
  poll: null,
  version: null,
};

/** Signed, as offsets are; a dash for nothing. */
function offsetCell(value: number | null): string {
  return value === null ? '-' : `${value > 0 ? '+' : ''}${value.toFixed(3)} ms`;
}

/** Client mode of NTP version 4 (RFC 5905), one request at a time and never to set a clock. */
export const ntp = {
  type: 'ntp',
  title: 'NTP',
  summary: 'The offset, delay and state of a time server',
  capability: null,
  Params,
  formParams: ['count'],
  Spec,
  Result,
  maxResultBytes: 16 * 1024,
  Summary,
  TaskFields: NoTaskFields,
  exampleTarget: 'time.example.com',
  deadlineMs: ({ params }: NtpSpec) => 5000 + (params.count - 1) * params.interval_ms + params.timeout_ms,
  targetWeight: () => 1,
  blank: () => ({ resolved_ip: null, ip_version: null, ...NO_ANSWER, samples: [] }),
  targetHost: hostOf,
  furtherHosts: () => [],
  checkTarget,
  columns: [
    { title: 'Offset', cell: (r: NtpResult) => offsetCell(r.offset_ms) },
    { title: 'Delay', cell: (r: NtpResult) => msCell(r.delay_ms) },
    { title: 'Jitter', cell: (r: NtpResult) => msCell(r.jitter_ms) },
    { title: 'Stratum', cell: (r: NtpResult) => textCell(r.stratum) },
    { title: 'Reference', cell: (r: NtpResult) => textCell(r.refid) },
    { title: 'Leap', cell: (r: NtpResult) => textCell(r.leap) },
    { title: 'Replies', cell: (r: NtpResult) => `${r.packets_received}/${r.packets_sent}` },
    { title: 'Address', cell: (r: NtpResult) => textCell(r.resolved_ip) },
  ],
  summarise: (results: readonly NtpResult[]) => {
    const successes = results.filter((r) => r.success);
    return {
      offset_avg_ms: roundMs(meanOf(successes.map((r) => r.offset_ms).filter((value) => value !== null))),
      delay_avg_ms: roundMs(meanOf(successes.map((r) => r.delay_ms).filter((value) => value !== null))),
    };
  },
  taskFields: () => ({}),
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof NoTaskFields>;
