import { type Static, Type } from 'typebox';
import { checkAssertion } from '../assertions/check.js';
import { findFailures } from '../assertions/failures.js';
import { type Assertion, assertionOps, MAX_VALUE_LENGTH } from '../assertions/schema.js';
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

const Config = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: MAX_VALUE_LENGTH,
      description:
        'A JSONPath (RFC 9535, without functions). Every selected value is compared, and at least one value must be selected.',
    }),
    op: Type.Enum([...assertionOps], {
      type: 'string',
      default: 'eq',
      description: 'Same as in an assertion of type json_path.',
    }),
    value: Type.Unknown({ description: 'Same as in an assertion of type json_path.' }),
    ...httpFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

const lookFor = ({ path }: Config) => ({ jsonPaths: [path] });

/** The type is this assertion. */
const ownAssertion = ({ path, op, value }: Config): Assertion => ({
  type: 'json_path',
  severity: 'down',
  path,
  op,
  value,
});

function judge(result: ProbeResults['http'], config: Config, nowMs: number): CheckJudgment {
  const facts = httpFacts(result, config, nowMs);
  const failures = [...statusFailures(facts, config), ...findFailures([ownAssertion(config)], facts)];
  return judgeCheck({ error: result.error, facts, failures }, config);
}

/** A value in the JSON that answers a request. */
export const json = {
  type: 'json',
  title: 'JSON',
  summary: 'A value in the JSON response to an HTTP request',
  probeType: 'http',
  capability: null,
  Config,
  secrecyOf: httpSecrecy,
  defaultIntervalSeconds: null,
  exampleTarget: 'https://example.com/status.json',
  exampleConfig: { path: '$.status', value: 'ok' },
  checkConfig: (config: Config) => ({
    ...checkHttpConfig(config, lookFor(config)),
    ...checkAssertion(ownAssertion(config)),
  }),
  normalise: (config: Config) => normaliseHttpConfig(config),
  toSpec: (target: string, config: Config) => {
    parseHttpUrl(target);
    return httpSpec(target, config, lookFor(config));
  },
  judge,
  details: httpDetails,
} satisfies MonitorTypeDefinition<typeof Config, 'http'>;
