import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import { noFacts } from '../assertions/facts.js';
import { type Failure, failureOf } from '../assertions/failures.js';
import { type ProbeResults, type ProbeSpecs, probeTypes } from '../probe-types/index.js';
import { parseHost } from '../target-policy/host.js';
import type { FieldErrors } from '../validation.js';
import type { CheckDetails } from './check-details.js';
import { commonFields } from './common-fields.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { judgeCheck } from './judgment.js';

const { properties: params } = probeTypes.ping.Params;

const Config = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: 10, default: 3, description: 'Packets to send.' }),
    max_loss_pct: Type.Number({
      minimum: 0,
      maximum: 100,
      default: 50,
      description: 'Greatest loss at which a check is ok, in percent; a check without any reply always fails.',
    }),
    interval_ms: Type.Integer({
      minimum: 200,
      maximum: 2000,
      default: 500,
      description: 'Between packets, in milliseconds.',
    }),
    timeout_ms: params.timeout_ms,
    size: params.size,
    ip_version: params.ip_version,
    protocol: params.protocol,
    port: Type.Optional({ ...params.port, description: 'tcp: the port to connect to.' }),
    ...commonFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function checkConfig({ protocol, port, assertions }: Config): FieldErrors {
  const errors = checkAssertions(assertions, { types: ['response_time'] });
  if (protocol === 'icmp' && port !== undefined)
    return { ...errors, port: [{ code: 'conflict', message: 'applies only to protocol tcp' }] };
  return errors;
}

function toSpec(target: string, config: Config): ProbeSpecs['ping'] {
  const { count, timeout_ms, interval_ms, size, ip_version, protocol, port } = config;
  parseHost(target);
  const optional = port === undefined ? {} : { port };
  return { target, params: { count, timeout_ms, interval_ms, size, ttl: 64, ip_version, protocol, ...optional } };
}

function judge(result: ProbeResults['ping'], config: Config): CheckJudgment {
  const facts = { ...noFacts, responseMs: result.rtt.avg_ms };
  return judgeCheck({ error: result.error, facts, failures: lossFailures(result, config) }, config);
}

function lossFailures({ loss_pct: found }: ProbeResults['ping'], { max_loss_pct: most }: Config): Failure[] {
  if (found <= most) return [];
  const expected = `at most ${most}`;
  return [failureOf({ subject: 'the loss in percent', severity: 'down', expected }, { found }, [])];
}

function details({
  resolved_ip,
  ip_version,
  packets_sent,
  packets_received,
  loss_pct,
  rtt,
}: ProbeResults['ping']): CheckDetails {
  return { resolved_ip, ip_version, packets_sent, packets_received, loss_pct, rtt };
}

/** Echo requests, and how many are answered. */
export const ping = {
  type: 'ping',
  title: 'Ping',
  summary: 'ICMP echo requests, or TCP connects, and the share of replies',
  probeType: 'ping',
  capability: 'icmp_echo',
  Config,
  secrecyOf: null,
  defaultIntervalSeconds: null,
  exampleTarget: 'example.com',
  exampleConfig: {},
  checkConfig,
  toSpec,
  judge,
  details,
} satisfies MonitorTypeDefinition<typeof Config, 'ping'>;
