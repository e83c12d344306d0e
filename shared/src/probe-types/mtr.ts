import { type Static, Type } from 'typebox';
import { MAX_RESULT_BYTES } from '../protocol/limits.js';
import { type Host, parseHost } from '../target-policy/host.js';
import { msCell, textCell } from './cells.js';
import { NoTaskFields, type ProbeTypeDefinition } from './definition.js';
import { nullableMilliseconds, specOf } from './fields.js';
import { HopStatistics, pathResult, pathSummaryFields, placeHops } from './hops.js';
import { statisticsLines } from './mtr-lines.js';
import { meanOf, roundMs } from './statistics.js';
import { checkTraceTarget, traceParams } from './trace-params.js';

const Params = Type.Object(
  {
    cycles: Type.Integer({ minimum: 1, maximum: 60, default: 10, description: 'Packets per hop.' }),
    interval_ms: Type.Integer({
      minimum: 200,
      maximum: 5000,
      default: 1000,
      description: 'Length of a cycle, in milliseconds; its packets are spread over it.',
    }),
    ...traceParams,
  },
  { additionalProperties: false },
);

const Spec = specOf('A host name or address.', Params);

const Result = pathResult(HopStatistics);

const Summary = Type.Object(
  {
    ...pathSummaryFields,
    loss_pct: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()], {
      description: 'Mean loss at the target, over the nodes that reached it.',
    }),
    rtt_avg_ms: nullableMilliseconds('Mean of the means of the nodes at the target.'),
  },
  { additionalProperties: false },
);

type MtrSpec = Static<typeof Spec>;
type MtrResult = Static<typeof Result>;

/** Hops a cycle is spread over while the length of the path is not known; mtr begins with the same. */
export const mtrFirstGuessHops = 10;

function targetHost(spec: MtrSpec): Host {
  return parseHost(spec.target);
}

/** 6 s for names, then all cycles, the first of which may be of max_hops, and the wait for the last one. */
function deadlineMs({ params }: MtrSpec): number {
  const growth = Math.ceil(params.max_hops / mtrFirstGuessHops);
  return 6000 + (params.cycles + growth) * params.interval_ms + params.timeout_ms;
}

function summarise(results: readonly MtrResult[]): Static<typeof Summary> {
  const reached = results.filter((r) => r.reached);
  const last = reached.flatMap((r) => r.hops.slice(-1));
  return {
    reached_count: reached.length,
    hops_avg: roundMs(meanOf(reached.map((r) => r.hops.length))),
    loss_pct: roundMs(meanOf(last.map((hop) => hop.loss_pct))),
    rtt_avg_ms: roundMs(meanOf(last.map((hop) => hop.rtt.avg_ms).filter((value) => value !== null))),
  };
}

/** The path to a target with loss and times at each hop, over several cycles, as mtr measures it. */
export const mtr = {
  type: 'mtr',
  title: 'MTR',
  summary: 'The routers on the path to a target, with the loss and round-trip times of each',
  capability: 'icmp',
  Params,
  formParams: ['cycles', 'protocol', 'ip_version'],
  Spec,
  Result,
  maxResultBytes: MAX_RESULT_BYTES,
  Summary,
  TaskFields: NoTaskFields,
  exampleTarget: 'example.com',
  deadlineMs,
  targetWeight: () => 1,
  blank: ({ params }: MtrSpec) => ({
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
    { title: 'Reached', cell: (r: MtrResult) => (r.reached ? 'yes' : 'no') },
    { title: 'Hops', cell: (r: MtrResult) => textCell(r.hops.length) },
    { title: 'Loss', cell: (r: MtrResult) => (r.hops.length === 0 ? '-' : `${r.hops.at(-1)?.loss_pct} %`) },
    { title: 'Avg', isInDetails: true, cell: (r: MtrResult) => msCell(r.hops.at(-1)?.rtt.avg_ms ?? null) },
    { title: 'Address', cell: (r: MtrResult) => textCell(r.resolved_ip) },
  ],
  details: { shows: ['hops'], lines: (r: MtrResult) => statisticsLines(r.hops) },
  summarise,
  taskFields: () => ({}),
  annotate: placeHops,
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof NoTaskFields>;
