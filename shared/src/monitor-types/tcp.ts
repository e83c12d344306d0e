import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import { noFacts } from '../assertions/facts.js';
import { type ProbeResults, type ProbeSpecs, probeTypes } from '../probe-types/index.js';
import { tcpPort } from '../probe-types/tcp.js';
import type { CheckDetails } from './check-details.js';
import { commonFields } from './common-fields.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { judgeCheck } from './judgment.js';

const { properties: params } = probeTypes.tcp.Params;

const Config = Type.Object(
  {
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: 'Port, unless the target has one.' })),
    timeout_ms: { ...params.timeout_ms, description: 'Deadline of the connect, in milliseconds.' },
    ip_version: params.ip_version,
    ...commonFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function toSpec(target: string, { port, timeout_ms, ip_version }: Config): ProbeSpecs['tcp'] {
  const spec = {
    target,
    params: { ...(port === undefined ? {} : { port }), timeout_ms, ip_version, count: 1, banner: false },
  };
  tcpPort(spec);
  return spec;
}

function judge({ error, connect_ms: responseMs }: ProbeResults['tcp'], config: Config): CheckJudgment {
  return judgeCheck({ error, facts: { ...noFacts, responseMs }, failures: [] }, config);
}

function details({ resolved_ip, ip_version, port, dns_ms, connect_ms, attempts }: ProbeResults['tcp']): CheckDetails {
  return { resolved_ip, ip_version, port, dns_ms, connect_ms, attempts };
}

/** A TCP connect. */
export const tcp = {
  type: 'tcp',
  title: 'TCP',
  summary: 'A TCP connect to a port',
  probeType: 'tcp',
  capability: null,
  Config,
  secrecyOf: null,
  defaultIntervalSeconds: null,
  exampleTarget: 'example.com:443',
  exampleConfig: {},
  checkConfig: ({ assertions }: Config) => checkAssertions(assertions, { types: ['response_time'] }),
  toSpec,
  judge,
  details,
} satisfies MonitorTypeDefinition<typeof Config, 'tcp'>;
