import { type Static, Type } from 'typebox';
import { checkAssertions } from '../assertions/check.js';
import { noFacts } from '../assertions/facts.js';
import { type Failure, failureOf } from '../assertions/failures.js';
import type { AssertionType } from '../assertions/schema.js';
import { shownValue } from '../assertions/shown.js';
import { measurements, type ProbeResults, type ProbeSpecs } from '../probe-types/index.js';
import { parseHttpUrl } from '../target-policy/url.js';
import type { CheckDetails } from './check-details.js';
import { commonFields } from './common-fields.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';
import { judgeCheck } from './judgment.js';

const { properties: params } = measurements.browser.Params;
const measured: readonly AssertionType[] = ['response_time', 'status_code'];

const Config = Type.Object(
  {
    selector: params.selector,
    text: params.text,
    console_errors: Type.Enum(['ignore', 'degraded', 'down'], {
      type: 'string',
      default: 'ignore',
      description: 'Effect of errors that the page writes to its console or throws.',
    }),
    verify_tls: params.verify_tls,
    timeout_ms: params.timeout_ms,
    ...commonFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function toSpec(target: string, { selector, text, verify_tls, timeout_ms }: Config): ProbeSpecs['browser'] {
  parseHttpUrl(target);
  const optional = { ...(selector === undefined ? {} : { selector }), ...(text === undefined ? {} : { text }) };
  return { target, params: { ...optional, verify_tls, timeout_ms } };
}

function judge(result: ProbeResults['browser'], config: Config): CheckJudgment {
  const facts = { ...noFacts, responseMs: result.load_ms, statusCode: result.status_code };
  const failures = [
    ...statusFailures(result, config),
    ...contentFailures(result, config),
    ...complaints(result, config),
  ];
  return judgeCheck({ error: result.error, facts, failures }, config);
}

function statusFailures({ status_code: found }: ProbeResults['browser'], { assertions }: Config): Failure[] {
  if (found === null || (found >= 200 && found < 300) || assertions.some(({ type }) => type === 'status_code'))
    return [];
  return [failureOf({ subject: 'the status', severity: 'down', expected: '2xx' }, { found }, [])];
}

function contentFailures(result: ProbeResults['browser'], { selector, text }: Config): Failure[] {
  const missing = (what: string) =>
    failureOf({ subject: 'the page', severity: 'down', expected: what }, { came: 'does not contain it' }, []);
  return [
    ...(result.selector_found === false ? [missing(`what ${shownValue(selector, [])} selects`)] : []),
    ...(result.text_found === false ? [missing(`the text ${shownValue(text, [])}`)] : []),
  ];
}

function complaints({ console_errors: errors }: ProbeResults['browser'], config: Config): Failure[] {
  const [first] = errors;
  if (config.console_errors === 'ignore' || first === undefined) return [];
  const { console_errors: severity } = config;
  return [failureOf({ subject: 'the first error of the page', severity, expected: 'none' }, { found: first }, [])];
}

function details({
  status_code,
  load_ms,
  timing,
  requests,
  refused,
  selector_found,
  text_found,
  console_errors,
}: ProbeResults['browser']): CheckDetails {
  return { status_code, load_ms, timing, requests, refused, selector_found, text_found, console_errors };
}

/** A page in a headless browser. */
export const browser = {
  type: 'browser',
  title: 'Browser',
  summary: 'A page in headless Chromium, and its required content',
  probeType: 'browser',
  capability: 'browser',
  Config,
  secrecyOf: null,
  defaultIntervalSeconds: null,
  exampleTarget: 'https://example.com/',
  exampleConfig: {},
  checkConfig: ({ assertions }: Config) => checkAssertions(assertions, { types: measured }),
  toSpec,
  judge,
  details,
} satisfies MonitorTypeDefinition<typeof Config, 'browser'>;
