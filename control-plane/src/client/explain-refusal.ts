import { durationText } from '@vantage/shared/durations.js';
import { flagOf } from '@vantage/shared/probe-types/param-flags.js';
import type { ApiRefusal } from './api-client.js';

/** Fields of the API that are an option with another name, or an argument; and what a quota counts. */
const otherNames: Readonly<Record<string, string>> = {
  nodes: '--from',
  'nodes.limit': '--limit',
  node_ids: '--from',
  max_age_s: '--max-age',
  node_tests: 'node tests',
  reputation_checks: 'reputation checks',
  q: 'argument',
  target: 'target',
};
/** Fields of a selection of nodes: all of them are words of one option. */
const SELECTION = /^nodes\.(?!limit)/;

/** End of a message that says how many an account has, where that is a number of the plan. */
const ACCOUNT_HINT = /; (an account has [^;]+)$/;

interface Caller {
  /** True if the caller sent a token. */
  readonly hasToken: boolean;
  readonly nowMs: number;
}

/** A refusal in the words of the command line: a line for each field by its option, else its message, and how long to wait. */
export function explainRefusal(error: ApiRefusal, caller: Caller): string {
  const isLimited = error.status === 429 && error.allowance !== null;
  const fields = Object.entries(error.details).flatMap(([field, errors]) => {
    // the size of a limit is in the lines about it
    if (isLimited && field === 'requests' && errors.some(({ message }) => ACCOUNT_HINT.test(message))) return [];
    const messages = errors.map(({ message }) => (isLimited ? message.replace(ACCOUNT_HINT, '') : message));
    return [`${optionOf(field)}: ${messages.join('; ')}`];
  });
  const [first = error.message, ...more] = fields;
  return [`${first} (${error.code})`, ...more.map((line) => `  ${line}`), ...advice(error, caller)].join('\n');
}

/** `params.record_type` is `--record-type`. */
export function optionOf(field: string): string {
  const name = SELECTION.test(field) ? 'nodes' : field;
  const other = otherNames[name];
  if (other !== undefined) return other;
  const [param = ''] = name.replace(/^params\./, '').split('.');
  return name.startsWith('params.') ? flagOf(param) : name;
}

function advice({ status, code, allowance, details }: ApiRefusal, { hasToken, nowMs }: Caller): string[] {
  if (status === 401) return ['  `vantage login` takes a token and keeps it'];
  if (status !== 429) return [];
  const limits = allowance === null ? [] : [`  ${limitText(allowance, code, nowMs)}`];
  if (hasToken) return limits;
  const hints = Object.values(details).flatMap((errors) =>
    errors.flatMap(({ message }) => ACCOUNT_HINT.exec(message)?.[1] ?? []),
  );
  return [...limits, `  ${hints[0] ?? 'an account has limits of its own'}: \`vantage login\``];
}

type Allowance = NonNullable<ApiRefusal['allowance']>;

/** Refusals of a number that waiting does not lift. */
const standing: ReadonlySet<string> = new Set(['MONITOR_LIMIT_EXCEEDED', 'TOKEN_LIMIT_EXCEEDED']);

function limitText({ limit, resetsAt, windowSeconds }: Allowance, code: string, nowMs: number): string {
  if (standing.has(code)) return `the limit is ${limit}, however long you wait`;
  const seconds = Math.max(1, Math.ceil((Date.parse(resetsAt) - nowMs) / 1_000));
  const size = windowSeconds === null ? `${limit}` : `${limit} in ${windowText(windowSeconds)}`;
  const end = seconds < DAY_SECONDS ? `${resetsAt.slice(11, 19)} UTC` : `${resetsAt.slice(0, 10)}`;
  return `the limit is ${size}; it starts again at ${end}: wait ${durationText(seconds * 1_000)}`;
}

const DAY_SECONDS = 86_400;

function windowText(seconds: number): string {
  if (seconds > 27 * DAY_SECONDS) return 'a month';
  const names: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 3_600: 'an hour', 86_400: 'a day' };
  return names[seconds] ?? `${seconds} s`;
}
