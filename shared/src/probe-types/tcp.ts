import { type Static, Type } from 'typebox';
import type { TargetPolicy } from '../target-policy/policy.js';
import { missing } from '../target-policy/target-error.js';
import { dnsCell, msCell, textCell } from './cells.js';
import { NoTaskFields, type ProbeTypeDefinition } from './definition.js';
import {
  ipVersionField,
  ipVersionParam,
  nullableMilliseconds,
  outcomeFields,
  portParam,
  resolvedIpField,
  specOf,
  timeoutParam,
} from './fields.js';
import { meanOf, roundMs } from './statistics.js';
import { findPort, hostOf } from './target-port.js';

const Params = Type.Object(
  {
    port: Type.Optional(portParam),
    timeout_ms: timeoutParam(100, 30000, 5000, 'Timeout of each attempt, in milliseconds.'),
    ip_version: ipVersionParam,
    count: Type.Integer({ minimum: 1, maximum: 10, default: 1, description: 'Number of connects, one after another.' }),
    banner: Type.Boolean({
      default: false,
      description: 'Wait up to a second for the first data of the server, at most 256 bytes.',
    }),
  },
  { additionalProperties: false },
);

const Spec = specOf('host:port, or a host with params.port.', Params);

const Attempt = Type.Object(
  {
    connect_ms: nullableMilliseconds('SYN to established.'),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Error code of this attempt.' }),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    resolved_ip: resolvedIpField,
    ip_version: ipVersionField,
    port: Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.Null()]),
    dns_ms: nullableMilliseconds('Name resolution; 0 for a literal address.'),
    connect_ms: nullableMilliseconds('Mean over the attempts that succeeded.'),
    banner: Type.Optional(Type.String({ description: 'First data of the server; control characters are escaped.' })),
    attempts: Type.Array(Attempt, { maxItems: 10 }),
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  { connect_avg_ms: nullableMilliseconds('Mean over successful nodes.') },
  { additionalProperties: false },
);

type TcpSpec = Static<typeof Spec>;

/** The port of a spec, from its target or its parameter. @throws TargetError when it has none, or two that differ */
export function tcpPort(spec: TcpSpec): number {
  const port = findPort(spec);
  if (port === null) throw missing('params.port', 'a port is required, here or in the target');
  return port;
}

function checkTarget(spec: TcpSpec, policy: TargetPolicy): void {
  policy.checkHost(hostOf(spec));
  tcpPort(spec);
}

/** TCP connect; not one byte is sent. */
export const tcp = {
  type: 'tcp',
  title: 'TCP',
  summary: 'TCP connect to a port, without sending a byte',
  capability: null,
  Params,
  formParams: ['port', 'count', 'ip_version'],
  Spec,
  Result,
  maxResultBytes: 16 * 1024,
  Summary,
  TaskFields: NoTaskFields,
  exampleTarget: 'example.com:443',
  deadlineMs: ({ params }: TcpSpec) => 5000 + params.count * (params.timeout_ms + 1000),
  targetWeight: () => 1,
  blank: () => ({ resolved_ip: null, ip_version: null, port: null, dns_ms: null, connect_ms: null, attempts: [] }),
  targetHost: hostOf,
  furtherHosts: () => [],
  checkTarget,
  columns: [
    { title: 'Connect', cell: (r: Static<typeof Result>) => msCell(r.connect_ms) },
    { title: 'DNS', cell: (r: Static<typeof Result>) => dnsCell(r.dns_ms) },
    { title: 'Address', cell: (r: Static<typeof Result>) => textCell(r.resolved_ip) },
    { title: 'Port', cell: (r: Static<typeof Result>) => textCell(r.port) },
    { title: 'Banner', cell: (r: Static<typeof Result>) => textCell(r.banner ?? null) },
  ],
  summarise: (results: readonly Static<typeof Result>[]) => ({
    connect_avg_ms: roundMs(meanOf(results.map((r) => r.connect_ms).filter((value) => value !== null))),
  }),
  taskFields: () => ({}),
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof NoTaskFields>;
