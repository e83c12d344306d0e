import { type Static, Type } from 'typebox';
import { MAX_RESULT_BYTES } from '../protocol/limits.js';
import { type Host, parseHost } from '../target-policy/host.js';
import { msCell, textCell } from './cells.js';
import { NoTaskFields, type ProbeTypeDefinition } from './definition.js';
import { specOf } from './fields.js';
import { hopLines } from './hop-lines.js';
import { Hop, pathResult, pathSummaryFields, placeHops } from './hops.js';
import { meanOf, roundMs } from './statistics.js';
import { checkTraceTarget, traceParams } from './trace-params.js';

const { max_hops, protocol, port, ...otherParams } = traceParams;

const Params = Type.Object(
  {
    max_hops,
    protocol,
    port,
    queries: Type.Integer({ minimum: 1, maximum: 10, default: 3, description: 'Packets per hop and flow.' }),
    ...otherParams,
  },
  { additionalProperties: false },
);

const Spec = specOf('A host name or address.', Params);

const Result = pathResult(Hop);

const Summary = Type.Object(pathSummaryFields, { additionalProperties: false });

type TracerouteSpec = Static<typeof Spec>;

/** Packets to one hop in a row, so that routers which limit their errors answer all of them; then a second for the others. */
export const tracerouteRound = { packets: 3, ms: 1000 } as const;

function targetHost(spec: TracerouteSpec): Host {
  return parseHost(spec.target);
}

/** 6 s for names, then all rounds and the wait for the last one. */
function deadlineMs({ params }: TracerouteSpec): number {
  const rounds = Math.ceil((params.queries * params.flows) / tracerouteRound.packets);
  return 6000 + rounds * tracerouteRound.ms + params.timeout_ms;
}

/** The path to a target, flow identifiers constant so that load balancers keep one path (Paris traceroute). */
export const traceroute = {
  type: 'traceroute',
  title: 'Traceroute',
  summary: 'The routers on the path to a target',
  capability: 'icmp',
  Params,
  formParams: ['protocol', 'max_hops', 'ip_version'],
  Spec,
  Result,
  maxResultBytes: MAX_RESULT_BYTES,
  Summary,
  TaskFields: NoTaskFields,
  exampleTarget: 'example.com',
  deadlineMs,
  targetWeight: () => 1,
  blank: ({ params }: TracerouteSpec) => ({
    resolved_ip: null,
    ip_version: null,
    protocol: params.protocol,
    reached: false,
    hops: [],
  }),
  targetHost,
  furtherHosts: () => [],
  checkTarget: checkTraceTarget,
  columns: [
    { title: 'Reached', cell: (r: Static<typeof Result>) => (r.reached ? 'yes' : 'no') },
    { title: 'Hops', cell: (r: Static<typeof Result>) => textCell(r.hops.length) },
    {
      title: 'Last',
      isInDetails: true,
      cell: (r: Static<typeof Result>) => msCell(r.hops.at(-1)?.replies.find(({ ip }) => ip !== null)?.rtt_ms ?? null),
    },
    { title: 'Address', cell: (r: Static<typeof Result>) => textCell(r.resolved_ip) },
  ],
  details: { shows: ['hops'], lines: (r: Static<typeof Result>) => hopLines(r.hops) },
  summarise: (results: readonly Static<typeof Result>[]) => {
    const reached = results.filter((r) => r.reached);
    return { reached_count: reached.length, hops_avg: roundMs(meanOf(reached.map((r) => r.hops.length))) };
  },
  taskFields: () => ({}),
  annotate: placeHops,
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof NoTaskFields>;
