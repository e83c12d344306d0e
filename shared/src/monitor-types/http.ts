import { type Static, Type } from 'typebox';
import type { ProbeResults } from '../probe-types/index.js';
import { parseHttpUrl } from '../target-policy/url.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import {
  checkHttpConfig,
  httpDetails,
  httpFacts,
  httpFields,
  httpSpec,
  normaliseHttpConfig,
  statusFailures,
} from './http-request.js';
import { judgeCheck } from './judgment.js';
import { httpSecrecy } from './secrets.js';

const Config = Type.Object(httpFields, { additionalProperties: false });
type Config = Static<typeof Config>;

function judge(result: ProbeResults['http'], config: Config, nowMs: number): CheckJudgment {
  const facts = httpFacts(result, config, nowMs);
  return judgeCheck({ error: result.error, facts, failures: statusFailures(facts, config) }, config);
}

/** An HTTP or HTTPS request. */
export const http = {
  type: 'http',
  title: 'HTTP',
  summary: 'An HTTP or HTTPS request',
  probeType: 'http',
  capability: null,
  Config,
  secrecyOf: httpSecrecy,
  defaultIntervalSeconds: null,
  exampleTarget: 'https://example.com/',
  exampleConfig: {},
  checkConfig: (config: Config) => checkHttpConfig(config),
  normalise: (config: Config) => normaliseHttpConfig(config),
  toSpec: (target: string, config: Config) => {
    parseHttpUrl(target);
    return httpSpec(target, config);
  },
  judge,
  details: httpDetails,
} satisfies MonitorTypeDefinition<typeof Config, 'http'>;
