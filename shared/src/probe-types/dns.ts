import { type Static, Type } from 'typebox';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { checkDnsPort } from '../target-policy/ports.js';
import { malformed } from '../target-policy/target-error.js';
import { msCell, textCell } from './cells.js';
import type { ProbeTypeDefinition } from './definition.js';
import { nullableMilliseconds, nullableString, outcomeFields, portParam, targetField, timeoutParam } from './fields.js';
import { meanOf, roundMs } from './statistics.js';

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
    transport: Type.Enum(['udp', 'tcp'], {
      type: 'string',
      default: 'udp',
      description: 'udp falls back to tcp on truncation.',
    }),
    timeout_ms: timeoutParam(100, 10000, 5000, 'For the whole query, retries included, in milliseconds.'),
  },
  { additionalProperties: false },
);

const Spec = Type.Object(
  { target: targetField('A domain name; for PTR also an address.'), params: Params },
  { additionalProperties: false },
);

const Record = Type.Object(
  {
    name: Type.String(),
    type: Type.String(),
    class: Type.String(),
    ttl: Type.Integer({ minimum: 0 }),
    value: Type.String({ description: 'Presentation format (RFC 1035 section 5.1).' }),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    records: Type.Array(Record, { maxItems: 1000 }),
    rcode: nullableString('NOERROR, NXDOMAIN, SERVFAIL, …; null when nothing answered.'),
    flags: Type.Array(Type.Enum(['aa', 'tc', 'rd', 'ra', 'ad', 'cd'], { type: 'string' }), { maxItems: 6 }),
    resolver: nullableString('Address and port of the resolver asked.'),
    transport: Type.Enum(['udp', 'tcp'], { type: 'string', description: 'The transport that brought the answer.' }),
    query_ms: nullableMilliseconds('Query sent to answer received.'),
    size: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'Bytes of the answer.' }),
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
  const { record_type, port } = spec.params;
  const target = targetHost(spec);
  policy.checkHost(target);
  if (target.kind === 'address' && record_type !== 'PTR') {
    throw malformed('target', 'an address can only be asked for with record type PTR');
  }
  const [serverHost = null] = furtherHosts(spec);
  if (serverHost !== null) policy.checkHost(serverHost, 'params.server');
  if (port !== undefined) checkDnsPort(port, serverHost, policy);
}

const TaskFields = Type.Object(
  {
    domain: Type.String(),
    type: Type.String(),
    pollution_detected: Type.Boolean({
      description:
        'Nodes that got an answer from a resolver contradict each other: some found records where others were told there are none.',
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

/**
 * Whether nodes disagree in a way that no load balancing explains: records for some, NXDOMAIN or nothing for others.
 * Different addresses alone are normal for content delivery networks and are not counted.
 */
function isPolluted(results: readonly Static<typeof Result>[]): boolean {
  const answered = results.filter((result) => result.rcode === 'NOERROR' || result.rcode === 'NXDOMAIN');
  const found = answered.filter((result) => result.records.length > 0);
  return found.length > 0 && found.length < answered.length;
}

/** One DNS question to one resolver (RFC 1035). */
export const dns = {
  type: 'dns',
  title: 'DNS',
  summary: 'One DNS question to the node’s resolver or one of your choice',
  capability: null,
  Params,
  Spec,
  Result,
  Summary,
  TaskFields,
  exampleTarget: 'example.com',
  deadlineMs: ({ params }: DnsSpec) => params.timeout_ms + 2000,
  blank: ({ params }: Static<typeof Spec>) => ({
    records: [],
    rcode: null,
    flags: [],
    resolver: null,
    transport: params.transport,
    query_ms: null,
    size: null,
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
  summarise: (results: readonly Static<typeof Result>[]) => ({
    query_avg_ms: roundMs(meanOf(results.map((r) => r.query_ms).filter((value) => value !== null))),
  }),
  taskFields: (
    { target, params }: Static<typeof Spec>,
    results: readonly { readonly nodeId: string; readonly result: Static<typeof Result> }[],
  ) => ({
    domain: target,
    type: params.record_type,
    pollution_detected: isPolluted(results.map(({ result }) => result)),
    records_by_node: results.map(({ nodeId, result }) => ({ node_id: nodeId, records: result.records })),
  }),
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof TaskFields>;
