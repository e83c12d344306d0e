import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import { flagWords } from '@vantage/shared/probe-types/param-flags.js';

/** Parameters whose values are for the target alone: a page that everyone may read names them and does not show them. */
const PRIVATE: ReadonlySet<string> = new Set(['headers', 'body']);

/** Parameters of a request, as a page shows them. */
export interface ShownParams {
  /** Those that differ from their defaults, in the order of the schema. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** Names of those that are set and not shown. */
  readonly hidden: readonly string[];
}

/** Parameters that differ from the defaults of a type, those that may be secret apart. */
export function shownParams(type: ProbeType, params: Readonly<Record<string, unknown>>): ShownParams {
  const { properties } = definitionOf(type).Params as unknown as { properties: Record<string, { default?: unknown }> };
  const set = Object.entries(properties).flatMap(([name, schema]) => {
    const value = params[name];
    return value === undefined || JSON.stringify(value) === JSON.stringify(schema.default)
      ? []
      : [[name, value] as const];
  });
  return {
    shown: Object.fromEntries(set.filter(([name]) => !PRIVATE.has(name))),
    hidden: set.map(([name]) => name).filter((name) => PRIVATE.has(name)),
  };
}

interface Repeated {
  readonly type: ProbeType;
  readonly target: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly publicUrl: string;
}

/** The request as a command of curl, on lines that fit a phone. */
export function curlCommand({ type, target, params, publicUrl }: Repeated): string {
  const body = JSON.stringify({ target, ...(Object.keys(params).length > 0 ? { params } : {}) });
  return `curl -s ${publicUrl}/v1/probe/${type} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(body)}`;
}

/** The request as a command of the client. */
export function clientCommand({ type, target, params, publicUrl }: Repeated): string {
  const options = Object.entries(params).flatMap(([name, value]) =>
    flagWords(name, value).flatMap(([flag, text]) => [flag, quoted(text)]),
  );
  return ['vantage', type, quoted(target), ...options, '--url', quoted(publicUrl)].join(' ');
}

/** A word for a shell: in quotes unless no character of it needs them. */
function quoted(word: string): string {
  return /^[\w.:/@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
