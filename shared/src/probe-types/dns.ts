import { type Static, Type } from 'typebox';
import { MAX_RESULT_BYTES } from '../protocol/limits.js';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { checkDnsPort } from '../target-policy/ports.js';
import { contradictory, malformed } from '../target-policy/target-error.js';
import { msCell, textCell } from './cells.js';
import type { AsnOf, ProbeTypeDefinition } from './definition.js';
import { HIDDEN_VALUE, OWN_RESOLVER } from './dns-hidden.js';
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

/** Transports of a DNS query: RFC 1035, RFC 7766, RFC 7858 and RFC 8484. */
export const dnsTransports = ['udp', 'tcp', 'dot', 'doh'] as const;

const Params = Type.Object(
  {
    record_type: Type.Enum([...dnsRecordTypes], {
      type: 'string',
      default: 'A',
      description: 'Record type to query.',
    }),
    server: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'Resolver to query: a name or address; default: the node’s own.',
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
        'Request signatures (DO), which are then among the records, and report if the resolver validated them.',
    }),
    trace: Type.Boolean({
      default: false,
      description: 'Follow the delegations from the root servers instead of querying a resolver; over udp or tcp.',
    }),
    verify_tls: Type.Boolean({
      default: false,
      description:
        'dot and doh: fail the probe if the certificate is invalid, before any query; it is recorded in any case.',
    }),
    timeout_ms: timeoutParam(100, 30000, 5000, 'Deadline of the whole probe, including retries, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = specOf('A domain name; for PTR also an address.', Params);

const Record = Type.Object(
  {
    name: Type.String({
      description: `Without the final dot; \`${HIDDEN_VALUE}\` for a name for local use that was not the queried name.`,
    }),
    type: Type.String({ description: 'Mnemonic, or TYPE and a number (RFC 3597).' }),
    class: Type.String(),
    ttl: Type.Integer({ minimum: 0, description: 'Seconds.' }),
    value: Type.String({
      description: `Presentation format (RFC 1035 section 5.1), as \`dig +nosplit\` prints it: names with their final dot. \`${HIDDEN_VALUE}\` stands for an address in a private or reserved range, or a name for local use, in the answer of the node’s own resolver or of a trace, unless the node’s operator opened the range; so it does for a list of addresses in \`ipv4hint\` and \`ipv6hint\`.`,
    }),
  },
  { additionalProperties: false, title: 'DnsRecord' },
);

/** Characters of names and values together: an agent keeps 96 Ki of what servers send, and may write `hidden` for a shorter name. */
const MAX_RECORD_CHARACTERS = 128 * 1024;

const Result = Type.Object(
  {
    ...outcomeFields,
    records: Type.Array(Record, { maxItems: 1000 }),
    rcode: nullableString('NOERROR, NXDOMAIN, SERVFAIL, …; null without a response.'),
    flags: Type.Array(Type.Enum(['aa', 'tc', 'rd', 'ra', 'ad', 'cd'], { type: 'string' }), { maxItems: 6 }),
    resolver: nullableString(
      `Address and port of the queried server; for a trace, the last one. \`${OWN_RESOLVER}\`: the node’s own resolver, whose address is not shown.`,
    ),
    transport: Type.Enum([...dnsTransports], {
      type: 'string',
      description: 'Transport of the response.',
    }),
    query_ms: nullableMilliseconds('Time from sending the query to receiving the response, without connecting.'),
    connect_ms: nullableMilliseconds('TCP handshake; null over udp.'),
    tls_ms: nullableMilliseconds('TLS handshake; null without TLS.'),
    size: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Size of the response in bytes; null if part of it is hidden.',
    }),
    reserved_address: Type.Optional(
      Type.Boolean({
        description: 'The response has an address that is not public, shown or hidden.',
      }),
    ),
    resolver_rtt_ms: nullableMilliseconds(
      'Round-trip time to the resolver: a TCP handshake after a response over udp; null if it took longer than 500 ms.',
    ),
    ignored: Type.Integer({
      minimum: 0,
      description: 'Messages that did not respond to the query: another id, question, letter case or cookie.',
    }),
    contradictions: Type.Integer({
      minimum: 0,
      description: 'Further responses to the same query with other content, as after an injected response.',
    }),
    case_folded: Type.Boolean({
      description: 'The server repeated the question in another letter case; the query was repeated over tcp.',
    }),
    edns: Type.Union(
      [
        Type.Object(
          {
            version: Type.Integer({ minimum: 0, maximum: 255 }),
            udp_size: Type.Integer({
              minimum: 0,
              maximum: 65535,
              description: 'Largest datagram that the server accepts.',
            }),
            cookie: Type.Boolean({ description: 'The server repeated our cookie (RFC 7873).' }),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'EDNS data of the response (RFC 6891); null without EDNS.' },
    ),
    extended_errors: Type.Array(
      Type.Object({ code: Type.Integer(), text: Type.String() }, { additionalProperties: false }),
      {
        maxItems: 16,
        description: 'Extended errors of the server (RFC 8914); without their text for the node’s own resolver.',
      },
    ),
    nsid: Type.Optional(
      Type.String({
        description:
          'Identifier of the server that responded, among several (RFC 5001): text, or 0x and hexadecimal digits; never for the node’s own resolver.',
      }),
    ),
    dnssec: Type.Optional(
      Type.Object(
        {
          validated: Type.Boolean({ description: 'The resolver reports that it validated the response (AD).' }),
          signatures: Type.Integer({ minimum: 0, description: 'RRSIG records in the response.' }),
        },
        { additionalProperties: false, description: 'Present with params.dnssec and a response.' },
      ),
    ),
    tls: Type.Union([TlsSchema, Type.Null()]),
    trace: Type.Optional(
      Type.Array(TraceStep, { maxItems: 32, description: 'With params.trace: queried servers and their responses.' }),
    ),
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  { query_avg_ms: nullableMilliseconds('Mean over nodes that got a response.') },
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
    throw malformed('target', 'an address can only be queried with record type PTR');
  }
  const [serverHost = null] = furtherHosts(spec);
  if (serverHost !== null) policy.checkHost(serverHost, 'params.server');
  if (port !== undefined) checkDnsPort(port, serverHost, policy);
  if (!trace) return;
  if (server !== undefined || port !== undefined)
    throw contradictory('params.trace', 'a trace queries the servers of each zone, so the server cannot be chosen');
  if (transport !== 'udp' && transport !== 'tcp') throw contradictory('params.transport', 'a trace uses udp or tcp');
}

const TaskFields = Type.Object(
  {
    domain: Type.String(),
    type: Type.String(),
    pollution_detected: Type.Boolean({
      description:
        'Not all responses can come from the zone: they differ in more than order, TTL and addresses of one network, or a response has a reserved address, arrived faster than half the round-trip time of the resolver, or was followed by a different one.',
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
  summary: 'One DNS query to the resolver of the node, or to one of your choice',
  capability: null,
  asksOthers: true,
  Params,
  formParams: ['record_type', 'server', 'transport'],
  Spec,
  Result,
  maxResultBytes: MAX_RESULT_BYTES,
  exceedsLimits: ({ records }: Static<typeof Result>) =>
    records.reduce((sum, { name, value }) => sum + name.length + value.length, 0) > MAX_RECORD_CHARACTERS,
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
    {
      title: 'Resolver',
      isInDetails: true,
      cell: (r: Static<typeof Result>) => `${textCell(r.resolver)} ${r.transport}`,
    },
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
