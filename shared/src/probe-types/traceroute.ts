import { type Static, Type } from 'typebox';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { checkTracerouteUdpPort } from '../target-policy/ports.js';
import { msCell, textCell } from './cells.js';
import { NoTaskFields, type ProbeTypeDefinition } from './definition.js';
import {
  ipVersionField,
  ipVersionParam,
  outcomeFields,
  portParam,
  resolvedIpField,
  targetField,
  timeoutParam,
} from './fields.js';
import { hopLines } from './hop-lines.js';
import { Hop } from './hops.js';
import { meanOf, roundMs } from './statistics.js';

const Params = Type.Object(
  {
    max_hops: Type.Integer({ minimum: 1, maximum: 64, default: 30, description: 'Give up after this many hops.' }),
    protocol: Type.Enum(['icmp', 'udp', 'tcp'], { type: 'string', default: 'icmp', description: 'What to send.' }),
    port: Type.Optional(portParam),
    queries: Type.Integer({ minimum: 1, maximum: 10, default: 3, description: 'Packets per hop.' }),
    timeout_ms: timeoutParam(100, 10000, 2000, 'How long to wait for each reply, in milliseconds.'),
    ip_version: ipVersionParam,
  },
  { additionalProperties: false },
);

const Spec = Type.Object(
  { target: targetField('A host name or address.'), params: Params },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    resolved_ip: resolvedIpField,
    ip_version: ipVersionField,
    protocol: Type.Enum(['icmp', 'udp', 'tcp'], { type: 'string' }),
    reached: Type.Boolean({ description: 'The target itself answered.' }),
    hops: Type.Array(Hop, { maxItems: 64 }),
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  {
    reached_count: Type.Integer({ minimum: 0 }),
    hops_avg: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'Mean path length of the nodes that reached the target.',
    }),
  },
  { additionalProperties: false },
);

type TracerouteSpec = Static<typeof Spec>;

function targetHost(spec: TracerouteSpec): Host {
  return parseHost(spec.target);
}

function checkTarget(spec: TracerouteSpec, policy: TargetPolicy): void {
  policy.checkHost(targetHost(spec));
  const { protocol, port } = spec.params;
  if (protocol === 'udp' && port !== undefined) checkTracerouteUdpPort(port);
}

/** The path to a target, flow identifiers constant so that load balancers keep one path (Paris traceroute). */
export const traceroute = {
  type: 'traceroute',
  title: 'Traceroute',
  summary: 'The routers on the way to a target',
  capability: 'icmp',
  Params,
  Spec,
  Result,
  Summary,
  TaskFields: NoTaskFields,
  exampleTarget: 'example.com',
  deadlineMs: ({ params }: TracerouteSpec) => 5000 + params.max_hops * 100 + params.queries * params.timeout_ms * 2,
  blank: ({ params }: Static<typeof Spec>) => ({
    resolved_ip: null,
    ip_version: null,
    protocol: params.protocol,
    reached: false,
    hops: [],
  }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
  columns: [
    { title: 'Reached', cell: (r: Static<typeof Result>) => (r.reached ? 'yes' : 'no') },
    { title: 'Hops', cell: (r: Static<typeof Result>) => textCell(r.hops.length) },
    {
      title: 'Last',
      cell: (r: Static<typeof Result>) => msCell(r.hops.at(-1)?.replies.find(({ ip }) => ip !== null)?.rtt_ms ?? null),
    },
  ],
  details: { shows: ['hops'], lines: (r: Static<typeof Result>) => hopLines(r.hops) },
  summarise: (results: readonly Static<typeof Result>[]) => {
    const reached = results.filter((r) => r.reached);
    return { reached_count: reached.length, hops_avg: roundMs(meanOf(reached.map((r) => r.hops.length))) };
  },
  taskFields: () => ({}),
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof NoTaskFields>;
