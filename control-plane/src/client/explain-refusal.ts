import type { ApiRefusal } from './api-client.js';

/** Fields of the API that are an option with another name, or an argument. */
const otherNames: Readonly<Record<string, string>> = {
  nodes: '--from',
  'nodes.limit': '--limit',
  node_ids: '--from',
  max_age_s: '--max-age',
  q: 'argument',
  target: 'target',
};
/** Fields of a selection of nodes: all of them are words of one option. */
const SELECTION = /^nodes\.(?!limit)/;

interface Caller {
  /** True if the caller sent a token. */
  readonly hasToken: boolean;
  readonly nowMs: number;
}

/** A refusal in the words of the command line: its message, a line for each field by its option, and how long to wait. */
export function explainRefusal(error: ApiRefusal, caller: Caller): string {
  const fields = Object.entries(error.details).map(
    ([field, errors]) => `  ${optionOf(field)}: ${errors.map(({ message }) => message).join('; ')}`,
  );
  return [`${error.message} (${error.code})`, ...fields, ...advice(error, caller)].join('\n');
}

/** `params.record_type` is `--record-type`. */
export function optionOf(field: string): string {
  const name = SELECTION.test(field) ? 'nodes' : field;
  const other = otherNames[name];
  if (other !== undefined) return other;
  const [param = ''] = name.replace(/^params\./, '').split('.');
  return name.startsWith('params.') ? `--${param.replaceAll('_', '-')}` : name;
}

function advice({ status, allowance }: ApiRefusal, { hasToken, nowMs }: Caller): string[] {
  if (status === 401) return ['  `vantage login` takes a token and keeps it'];
  if (status !== 429) return [];
  const limits = allowance === null ? [] : [limitText(allowance, nowMs)];
  const account = hasToken ? [] : ['  with an account the limits are higher, and its own: `vantage login`'];
  return [...limits, ...account];
}

function limitText({ limit, resetsAt }: NonNullable<ApiRefusal['allowance']>, nowMs: number): string {
  const seconds = Math.max(1, Math.ceil((Date.parse(resetsAt) - nowMs) / 1_000));
  return `  the limit is ${limit}; the window ends at ${resetsAt.slice(11, 19)} UTC: wait ${seconds} s`;
}
