import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Members of a parameter's JSON Schema that define a command line option. */
interface ParamSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** An option for every parameter of a type, from the schema that validates it: `record_type` is `--record-type`. */
export function addParamOptions(command: Command, type: ProbeType): Command {
  for (const [name, schema] of paramSchemas(type)) command.addOption(toOption(name, schema));
  return command;
}

/** The parameters given on the command line, under their API names. */
export function paramsOf(type: ProbeType, options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = paramSchemas(type).map(([name]) => [name, options[camelCase(name)]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function paramSchemas(type: ProbeType): [string, ParamSchema][] {
  const { properties } = definitionOf(type).Params as unknown as { properties: Record<string, ParamSchema> };
  return Object.entries(properties);
}

function toOption(name: string, schema: ParamSchema): Option {
  const flag = `--${name.replaceAll('_', '-')}`;
  const description = describe(schema);
  if (schema.enum) return new Option(`${flag} <value>`, description).argParser(choiceOf(schema.enum));
  // without a value the option is true
  if (schema.type === 'boolean') return new Option(`${flag} [yes|no]`, description).argParser(parseYesNo);
  if (schema.type === 'integer') return new Option(`${flag} <n>`, description).argParser(parseWhole);
  if (schema.type === 'array') return new Option(`${flag} <text...>`, description);
  if (schema.type === 'object') return new Option(`${flag} <name=value...>`, description).argParser(collectPairs);
  return new Option(`${flag} <text>`, description);
}

/** Description, choices or range, and default; a range only if the description names no value of it. */
function describe(schema: ParamSchema): string {
  const { description = '', enum: choices, default: fallback } = schema;
  const about = description.replace(/\.$/, '');
  const values = choices === undefined ? rangeText(schema, about) : `: ${choices.join(', ')}`;
  const isWorthShowing = fallback !== undefined && typeof fallback !== 'object';
  return `${about}${values}${isWorthShowing ? ` (default: ${valueText(fallback)})` : ''}`;
}

function rangeText({ minimum, maximum }: ParamSchema, about: string): string {
  if (minimum === undefined || maximum === undefined) return '';
  const named = [...about.matchAll(/\b\d+\b/g)].map(([figure]) => Number(figure));
  return named.some((value) => value >= minimum && value <= maximum) ? '' : `, ${minimum} to ${maximum}`;
}

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}

function choiceOf(choices: readonly string[]): (text: string) => string {
  return (text) => {
    if (!choices.includes(text)) throw new InvalidArgumentError(`must be one of ${choices.join(', ')}`);
    return text;
  };
}

function parseWhole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}

function parseYesNo(text: string): boolean {
  if (text === 'yes' || text === 'true') return true;
  if (text === 'no' || text === 'false') return false;
  throw new InvalidArgumentError('must be yes or no');
}

function collectPairs(text: string, previous: Record<string, string> | undefined): Record<string, string> {
  const split = text.indexOf('=');
  if (split < 1) throw new InvalidArgumentError('must be name=value');
  return { ...previous, [text.slice(0, split)]: text.slice(split + 1) };
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
