import { type Static, Type } from 'typebox';
import type { Miss } from '../assertions/evaluate.js';
import type { Facts } from '../assertions/facts.js';
import { type Failure, failureOf } from '../assertions/failures.js';
import { shownValue } from '../assertions/shown.js';
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
    keyword: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Text to look for in the first MiB of the body.',
    }),
    mode: Type.Enum(['contains', 'absent'], {
      type: 'string',
      default: 'contains',
      description: 'If the text must be present or absent.',
    }),
    case_sensitive: Type.Boolean({ default: true, description: 'True: the comparison is case-sensitive.' }),
    ...httpFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

const lookFor = ({ keyword }: Config) => ({ keywords: [keyword] });

function judge(result: ProbeResults['http'], config: Config, nowMs: number): CheckJudgment {
  const facts = httpFacts(result, config, nowMs);
  const failures = [...statusFailures(facts, config), ...keywordFailures(facts, config)];
  return judgeCheck({ error: result.error, facts, failures }, config);
}

function keywordFailures(facts: Facts, config: Config): Failure[] {
  const miss = findMiss(facts, config);
  const subject = `the keyword ${shownValue(config.keyword, facts.secrets)}`;
  const expected = config.mode === 'absent' ? 'to be absent' : 'to be present';
  return miss === null ? [] : [failureOf({ subject, severity: 'down', expected }, miss, facts.secrets)];
}

function findMiss({ keywords }: Facts, { keyword, mode, case_sensitive: isCaseSensitive }: Config): Miss | null {
  const finding = keywords.find((one) => one.keyword === keyword);
  const count = finding?.[isCaseSensitive ? 'count' : 'count_any_case'] ?? null;
  if (count === null) return { reason: finding?.error ?? 'the body was not searched' };
  return count > 0 === (mode === 'contains') ? null : { came: `is in the body ${count} times` };
}

/** A text that must be in the answer to a request, or must not. */
export const keyword = {
  type: 'keyword',
  title: 'Keyword',
  summary: 'A text that the response to an HTTP request must, or must not, contain',
  probeType: 'http',
  capability: null,
  Config,
  secrecyOf: httpSecrecy,
  defaultIntervalSeconds: null,
  exampleTarget: 'https://example.com/',
  exampleConfig: { keyword: 'Example Domain' },
  checkConfig: (config: Config) => checkHttpConfig(config, lookFor(config)),
  normalise: (config: Config) => normaliseHttpConfig(config),
  toSpec: (target: string, config: Config) => {
    parseHttpUrl(target);
    return httpSpec(target, config, lookFor(config));
  },
  judge,
  details: httpDetails,
} satisfies MonitorTypeDefinition<typeof Config, 'http'>;
