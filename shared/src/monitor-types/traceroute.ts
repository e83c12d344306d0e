import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import { noFacts } from '../assertions/facts.js';
import { type ProbeResults, type ProbeSpecs, probeTypes } from '../probe-types/index.js';
import { parseHost } from '../target-policy/host.js';
import type { CheckDetails } from './check-details.js';
import { commonFields } from './common-fields.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { judgeCheck } from './judgment.js';

const { properties: params } = probeTypes.traceroute.Params;

const Config = Type.Object(
  {
    max_hops: params.max_hops,
    protocol: params.protocol,
    port: params.port,
    queries: Type.Integer({ minimum: 1, maximum: 3, default: 2, description: 'Packets per hop.' }),
    timeout_ms: params.timeout_ms,
    ip_version: params.ip_version,
    ...commonFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function toSpec(target: string, config: Config): ProbeSpecs['traceroute'] {
  const { max_hops, protocol, port, queries, timeout_ms, ip_version } = config;
  parseHost(target);
  const optional = port === undefined ? {} : { port };
  // a check cannot fail because of names of hops
  const own = { flows: 1, reverse_dns: false };
  return { target, params: { max_hops, protocol, ...optional, queries, timeout_ms, ip_version, ...own } };
}

function judge(result: ProbeResults['traceroute'], config: Config): CheckJudgment {
  const facts = { ...noFacts, responseMs: targetRtt(result) };
  const message = `the target did not reply within ${config.max_hops} hops`;
  const error = result.error ?? (result.reached ? null : { code: 'no_reply' as const, message });
  return judgeCheck({ error, facts, failures: [] }, config);
}

/** Round-trip time of the first reply of the target itself; null when it gave none. */
function targetRtt({ hops, resolved_ip: target }: ProbeResults['traceroute']): number | null {
  const replies = hops.flatMap((hop) => hop.replies);
  return replies.find(({ ip, rtt_ms: rttMs }) => ip !== null && ip === target && rttMs !== null)?.rtt_ms ?? null;
}

function details({ resolved_ip, ip_version, protocol, reached, hops }: ProbeResults['traceroute']): CheckDetails {
  const path = hops.map(({ replies }) => replies.find(({ ip }) => ip !== null)?.ip ?? null);
  return { resolved_ip, ip_version, protocol, reached, hops: hops.length, path };
}

/** The way to a target. */
export const traceroute = {
  type: 'traceroute',
  title: 'Traceroute',
  summary: 'The path to a target, which must be reached',
  probeType: 'traceroute',
  capability: 'icmp',
  Config,
  secrecyOf: null,
  defaultIntervalSeconds: null,
  exampleTarget: 'example.com',
  exampleConfig: {},
  checkConfig: ({ assertions }: Config) => checkAssertions(assertions, { types: ['response_time'] }),
  toSpec,
  judge,
  details,
} satisfies MonitorTypeDefinition<typeof Config, 'traceroute'>;
