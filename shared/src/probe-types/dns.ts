import { type Static, Type } from 'typebox';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { checkDnsPort } from '../target-policy/ports.js';
import { malformed } from '../target-policy/target-error.js';
import { msCell, textCell } from './cells.js';
import type { AsnOf, ProbeTypeDefinition } from './definition.js';
import { answerLineMembers, answerLines } from './dns-lines.js';
import { isPolluted } from './dns-pollution.js';
import { TraceStep } from './dns-trace.js';
import { nullableMilliseconds, nullableString, outcomeFields, portParam, specOf, timeoutParam } from './fields.js';
import { meanOf, roundMs } from './statistics.js';
import { TlsSchema } from './tls-report.js';

/** Record types a DNS probe may ask for (API specification 2.7 and beyond). */
export const dnsRecordTypes = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'TXT',
  'NS',
  'SOA',
  'CAA',
  'ANY',
  'PTR',
  'SRV',
  'DS',
  'DNSKEY',
  'HTTPS',
  'SVCB',
] as const;

/** How a question may travel: RFC 1035, RFC 7766, RFC 7858 and RFC 8484. */
export const dnsTransports = ['udp', 'tcp', 'dot', 'doh'] as const;

const Params = Type.Object(
  {
    record_type: Type.Enum([...dnsRecordTypes], {
      type: 'string',
      default: 'A',
      description: 'Record type to ask for.',
    }),
    server: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'Resolver to ask: a name or address; default: the node’s own.',
      }),
    ),
    port: Type.Optional(portParam),
    transport: Type.Enum([...dnsTransports], {
      type: 'string',
      default: 'udp',
      description:
        'udp falls back to tcp on truncation; dot is DNS over TLS (port 853), doh DNS over HTTPS (port 443, /dns-query).',
    }),
    dnssec: Type.Boolean({
      default: false,
      description:
        'Ask for signatures (DO), which are then among the records, and tell whether the resolver validated.',
    }),
    trace: Type.Boolean({
      default: false,
      description: 'Walk the delegations from the root servers instead of asking a resolver; over udp or tcp.',
    }),
    verify_tls: Type.Boolean({
      default: false,
      description: 'dot and doh: fail the probe on a bad certificate before anything is asked; it is recorded anyway.',
    }),
    timeout_ms: timeoutParam(100, 30000, 5000, 'For the whole probe, retries included, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = specOf('A domain name; for PTR also an address.', Params);

const Record = Type.Object(
  {
    name: Type.String({ description: 'Without the final dot.' }),
    type: Type.String({ description: 'Mnemonic, or TYPE and a number (RFC 3597).' }),
    class: Type.String(),
    ttl: Type.Integer({ minimum: 0, description: 'Seconds.' }),
    value: Type.String({
      description:
        'Presentation format (RFC 1035 section 5.1), as `dig +nosplit` prints it: names with their final dot.',
    }),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    records: Type.Array(Record, { maxItems: 1000 }),
    rcode: nullableString('NOERROR, NXDOMAIN, SERVFAIL, …; null when nothing answered.'),
    flags: Type.Array(Type.Enum(['aa', 'tc', 'rd', 'ra', 'ad', 'cd'], { type: 'string' }), { maxItems: 6 }),
    resolver: nullableString('Address and port of the server asked; of a trace the last one.'),
    transport: Type.Enum([...dnsTransports], {
      type: 'string',
      description: 'The transport that brought the answer.',
    }),
    query_ms: nullableMilliseconds('The query alone, sent to answer received, without connecting.'),
    connect_ms: nullableMilliseconds('TCP handshake; null over udp.'),
    tls_ms: nullableMilliseconds('TLS handshake; null without TLS.'),
    size: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'Bytes of the answer.' }),
    resolver_rtt_ms: nullableMilliseconds(
      'The way to the resolver and back: a TCP handshake after an answer by udp; null when there was none within 500 ms.',
    ),
    ignored: Type.Integer({
      minimum: 0,
      description: 'Messages that were no answer to the question: another id, question, letter case or cookie.',
    }),
    contradictions: Type.Integer({
      minimum: 0,
      description: 'Further answers to the same query that say something else: what an injected answer looks like.',
    }),
    case_folded: Type.Boolean({
      description: 'The server repeated the question in another letter case; it was asked again by tcp.',
    }),
    edns: Type.Union(
      [
        Type.Object(
          {
            version: Type.Integer({ minimum: 0, maximum: 255 }),
            udp_size: Type.Integer({ minimum: 0, maximum: 65535, description: 'Largest datagram the server takes.' }),
            cookie: Type.Boolean({ description: 'The server repeated our cookie (RFC 7873).' }),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'What the answer said of EDNS (RFC 6891); null when it spoke none.' },
    ),
    extended_errors: Type.Array(
      Type.Object({ code: Type.Integer(), text: Type.String() }, { additionalProperties: false }),
      { maxItems: 16, description: 'Why the server could not do better (RFC 8914).' },
    ),
    nsid: Type.Optional(
      Type.String({ description: 'Which server of many answered (RFC 5001): text, or 0x and hexadecimal digits.' }),
    ),
    dnssec: Type.Optional(
      Type.Object(
        {
          validated: Type.Boolean({ description: 'The resolver says that it validated the answer (AD).' }),
          signatures: Type.Integer({ minimum: 0, description: 'RRSIG records in the answer.' }),
        },
        { additionalProperties: false, description: 'With params.dnssec and an answer.' },
      ),
    ),
    tls: Type.Union([TlsSchema, Type.Null()]),
    trace: Type.Optional(
      Type.Array(TraceStep, { maxItems: 32, description: 'With params.trace: who was asked what.' }),
    ),
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  { query_avg_ms: nullableMilliseconds('Mean over nodes that got an answer.') },
  { additionalProperties: false },
);

type DnsSpec = Static<typeof Spec>;

function targetHost(spec: DnsSpec): Host {
  return parseHost(spec.target);
}

function furtherHosts({ params: { server } }: DnsSpec): Host[] {
  return server === undefined ? [] : [parseHost(server, 'params.server')];
}

function checkTarget(spec: DnsSpec, policy: TargetPolicy): void {
  const { record_type, port, trace, server, transport } = spec.params;
  const target = targetHost(spec);
  policy.checkHost(target);
  if (target.kind === 'address' && record_type !== 'PTR') {
    throw malformed('target', 'an address can only be asked for with record type PTR');
  }
  const [serverHost = null] = furtherHosts(spec);
  if (serverHost !== null) policy.checkHost(serverHost, 'params.server');
  if (port !== undefined) checkDnsPort(port, serverHost, policy);
  if (!trace) return;
  if (server !== undefined || port !== undefined)
    throw malformed('params.trace', 'a trace asks the servers of each zone, not one of your choice');
  if (transport !== 'udp' && transport !== 'tcp') throw malformed('params.transport', 'a trace asks over udp or tcp');
}

const TaskFields = Type.Object(
  {
    domain: Type.String(),
    type: Type.String(),
    pollution_detected: Type.Boolean({
      description:
        'What the nodes were told cannot all be the zone’s own: they disagree beyond order, TTL and the addresses of one network, or an answer has a reserved address, came faster than half the resolver’s round-trip time, or was followed by a different one.',
    }),
    records_by_node: Type.Array(
      Type.Object(
        { node_id: Type.String(), records: Type.Array(Record, { maxItems: 1000 }) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

/** One DNS question to one resolver, or a walk from the root servers (RFC 1034, RFC 1035). */
export const dns = {
  type: 'dns',
  title: 'DNS',
  summary: 'One DNS question to the node’s resolver or one of your choice',
  capability: null,
  asksOthers: true,
  Params,
  Spec,
  Result,
  Summary,
  TaskFields,
  exampleTarget: 'example.com',
  deadlineMs: ({ params }: DnsSpec) => params.timeout_ms + 2000,
  targetWeight: () => 1,
  blank: ({ params }: Static<typeof Spec>) => ({
    records: [],
    rcode: null,
    flags: [],
    resolver: null,
    transport: params.transport,
    query_ms: null,
    connect_ms: null,
    tls_ms: null,
    size: null,
    resolver_rtt_ms: null,
    ignored: 0,
    contradictions: 0,
    case_folded: false,
    edns: null,
    extended_errors: [],
    tls: null,
  }),
  targetHost,
  furtherHosts,
  checkTarget,
  columns: [
    { title: 'Answer', cell: (r: Static<typeof Result>) => textCell(r.rcode) },
    { title: 'Time', cell: (r: Static<typeof Result>) => msCell(r.query_ms) },
    { title: 'Resolver', cell: (r: Static<typeof Result>) => `${textCell(r.resolver)} ${r.transport}` },
    {
      title: 'Records',
      cell: (r: Static<typeof Result>) =>
        textCell(r.records.map(({ type, value }) => `${type} ${value}`).join(', ') || null),
    },
  ],
  details: { shows: answerLineMembers, lines: (r: Static<typeof Result>) => answerLines(r) },
  summarise: (results: readonly Static<typeof Result>[]) => ({
    query_avg_ms: roundMs(meanOf(results.map((r) => r.query_ms).filter((value) => value !== null))),
  }),
  taskFields: (
    { target, params }: Static<typeof Spec>,
    results: readonly { readonly nodeId: string; readonly result: Static<typeof Result> }[],
    asnOf: AsnOf,
  ) => ({
    domain: target,
    type: params.record_type,
    pollution_detected: isPolluted(
      params.record_type,
      results.map(({ result }) => result),
      asnOf,
    ),
    records_by_node: results.map(({ nodeId, result }) => ({ node_id: nodeId, records: result.records })),
  }),
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof TaskFields>;
