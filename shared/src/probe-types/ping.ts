import { type Static, Type } from 'typebox';
import { type Host, parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { msCell, textCell } from './cells.js';
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
import { PingReplySchema } from './ping-reply.js';
import { replyLines } from './reply-lines.js';
import { meanOf, roundMs } from './statistics.js';

const Params = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: 50, default: 4, description: 'Packets to send.' }),
    timeout_ms: timeoutParam(100, 10000, 5000, 'Timeout of each reply, in milliseconds.'),
    interval_ms: Type.Integer({
      minimum: 200,
      maximum: 5000,
      default: 1000,
      description: 'Between packets, in milliseconds.',
    }),
    size: Type.Integer({ minimum: 0, maximum: 64, default: 56, description: 'ICMP payload bytes.' }),
    ttl: Type.Integer({ minimum: 1, maximum: 255, default: 64, description: 'Time to live or hop limit.' }),
    ip_version: ipVersionParam,
    protocol: Type.Enum(['icmp', 'tcp'], {
      type: 'string',
      default: 'icmp',
      description: 'icmp, or tcp to measure TCP connects.',
    }),
    port: Type.Optional(portParam),
  },
  { additionalProperties: false },
);

const Spec = specOf('A host name or address.', Params);

/** Round-trip times over the answered packets, in milliseconds; null when none was. */
export const RttSchema = Type.Object(
  {
    min_ms: nullableMilliseconds('Smallest.'),
    avg_ms: nullableMilliseconds('Mean.'),
    max_ms: nullableMilliseconds('Largest.'),
    mdev_ms: nullableMilliseconds('Mean deviation, as ping prints it.'),
    p95_ms: nullableMilliseconds('95th percentile.'),
  },
  { additionalProperties: false },
);

const Result = Type.Object(
  {
    ...outcomeFields,
    resolved_ip: resolvedIpField,
    ip_version: ipVersionField,
    packets_sent: Type.Integer({ minimum: 0 }),
    packets_received: Type.Integer({ minimum: 0, description: 'Packets with a reply in time, each counted once.' }),
    loss_pct: Type.Number({ minimum: 0, maximum: 100, description: 'Packets without a reply in time, of those sent.' }),
    packets_duplicate: Type.Integer({
      minimum: 0,
      description: 'Number of further replies to the same packets.',
    }),
    packets_late: Type.Integer({
      minimum: 0,
      description: 'Packets with a reply after `timeout_ms`; they count as lost.',
    }),
    packets_out_of_order: Type.Integer({
      minimum: 0,
      description: 'Packets received after a packet that was sent later (RFC 4737).',
    }),
    rtt: RttSchema,
    replies: Type.Array(PingReplySchema, {
      maxItems: 200,
      description: 'Replies in the order of packets; at most 150 duplicates are listed.',
    }),
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  {
    loss_pct: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()], {
      description: 'Mean over all nodes that sent packets.',
    }),
    rtt_avg_ms: nullableMilliseconds('Mean of the means of the nodes.'),
  },
  { additionalProperties: false },
);

type PingSpec = Static<typeof Spec>;

function targetHost(spec: PingSpec): Host {
  return parseHost(spec.target);
}

function checkTarget(spec: PingSpec, policy: TargetPolicy): void {
  policy.checkHost(targetHost(spec));
}

/** ICMP echo (RFC 792, RFC 4443), or TCP connect where asked. */
export const ping = {
  type: 'ping',
  title: 'Ping',
  summary: 'ICMP echo requests, or TCP connects, with loss and round-trip times',
  capability: 'icmp_echo',
  Params,
  formParams: ['count', 'ip_version'],
  Spec,
  Result,
  maxResultBytes: 64 * 1024,
  Summary,
  TaskFields: NoTaskFields,
  exampleTarget: 'example.com',
  deadlineMs: ({ params }: PingSpec) => 5000 + (params.count - 1) * params.interval_ms + params.timeout_ms,
  targetWeight: () => 1,
  blank: () => ({
    resolved_ip: null,
    ip_version: null,
    packets_sent: 0,
    packets_received: 0,
    loss_pct: 0,
    packets_duplicate: 0,
    packets_late: 0,
    packets_out_of_order: 0,
    rtt: { min_ms: null, avg_ms: null, max_ms: null, mdev_ms: null, p95_ms: null },
    replies: [],
  }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
  columns: [
    { title: 'Replies', cell: (r: Static<typeof Result>) => `${r.packets_received}/${r.packets_sent}` },
    { title: 'Loss', cell: (r: Static<typeof Result>) => `${r.loss_pct} %` },
    { title: 'Min', isInDetails: true, cell: (r: Static<typeof Result>) => msCell(r.rtt.min_ms) },
    { title: 'Avg', cell: (r: Static<typeof Result>) => msCell(r.rtt.avg_ms) },
    { title: 'Max', isInDetails: true, cell: (r: Static<typeof Result>) => msCell(r.rtt.max_ms) },
    { title: 'Mdev', cell: (r: Static<typeof Result>) => msCell(r.rtt.mdev_ms) },
    { title: 'Address', cell: (r: Static<typeof Result>) => textCell(r.resolved_ip) },
  ],
  details: { shows: ['replies'], lines: (r: Static<typeof Result>) => replyLines(r.replies) },
  summarise: (results: readonly Static<typeof Result>[]) => {
    const sent = results.filter((r) => r.packets_sent > 0);
    const means = sent.map((r) => r.rtt.avg_ms).filter((value) => value !== null);
    return { loss_pct: roundMs(meanOf(sent.map((r) => r.loss_pct))), rtt_avg_ms: roundMs(meanOf(means)) };
  },
  taskFields: () => ({}),
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof NoTaskFields>;
