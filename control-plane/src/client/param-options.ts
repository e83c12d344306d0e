import { durationOption, parseDuration } from '@vantage/shared/durations.js';
import { nearestOf } from '@vantage/shared/nearest.js';
import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import { flagOf, isDuration } from '@vantage/shared/probe-types/param-flags.js';
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

/** Short options, as in the tools of the field: curl, ping, mtr, traceroute, dig. */
const shortFlags: Readonly<Record<string, string>> = {
  method: '-X',
  headers: '-H',
  body: '-d',
  count: '-c',
  cycles: '-c',
  size: '-s',
  max_hops: '-m',
  queries: '-q',
  record_type: '-t',
};

/** An option for every parameter of a type, from the schema that validates it: `record_type` is `--record-type`. */
export function addParamOptions(command: Command, type: ProbeType): Command {
  for (const [name, schema] of paramSchemas(type)) command.addOption(toOption(name, schema));
  return command;
}

/** The parameters given on the command line, under their API names. */
export function paramsOf(type: ProbeType, options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = paramSchemas(type).map(([name]) => [name, options[attributeOf(name)]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function paramSchemas(type: ProbeType): [string, ParamSchema][] {
  const { properties } = definitionOf(type).Params as unknown as { properties: Record<string, ParamSchema> };
  return Object.entries(properties);
}

function toOption(name: string, schema: ParamSchema): Option {
  const short = shortFlags[name];
  const flag = short === undefined ? flagOf(name) : `${short}, ${flagOf(name)}`;
  const description = describe(name, schema);
  if (schema.enum) return new Option(`${flag} <value>`, description).argParser(choiceOf(schema.enum));
  // without a value the option is true
  if (schema.type === 'boolean') return new Option(`${flag} [yes|no]`, description).argParser(parseYesNo);
  if (isDuration(name)) return new Option(`${flag} <time>`, description).argParser(durationWithin(schema));
  if (schema.type === 'integer') return new Option(`${flag} <n>`, description).argParser(parseWhole);
  // one value each time: an option that takes several would take the target too
  if (schema.type === 'array')
    return new Option(`${flag} <text>`, `${description}; may be repeated`).argParser(collect);
  if (schema.type === 'object')
    return new Option(`${flag} <line>`, `${description}; "Name: value", may be repeated`).argParser(collectPairs);
  return new Option(`${flag} <text>`, description);
}

/** Description, choices or range, and default; a range only if the description names no value of it. */
function describe(name: string, schema: ParamSchema): string {
  const { description = '', enum: choices, default: fallback } = schema;
  const about = description.replace(/, in milliseconds(?=[.;])/, '').replace(/\.$/, '');
  const values = choices === undefined ? rangeText(name, schema, about) : `: ${choices.join(', ')}`;
  const isWorthShowing = fallback !== undefined && typeof fallback !== 'object';
  return `${about}${values}${isWorthShowing ? ` (default: ${valueText(name, fallback)})` : ''}`;
}

function rangeText(name: string, { minimum, maximum }: ParamSchema, about: string): string {
  if (minimum === undefined || maximum === undefined) return '';
  const named = [...about.matchAll(/\b\d+\b/g)].map(([figure]) => Number(figure));
  if (named.some((value) => value >= minimum && value <= maximum)) return '';
  return `, ${valueText(name, minimum)} to ${valueText(name, maximum)}`;
}

function valueText(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return isDuration(name) ? durationOption(Number(value)) : String(value);
}

/** A choice in any letter case. */
function choiceOf(choices: readonly string[]): (text: string) => string {
  return (text) => {
    const choice = choices.find((one) => one.toLowerCase() === text.toLowerCase());
    if (choice !== undefined) return choice;
    const meant = nearestOf(text, choices);
    const hint = meant === null ? '' : `; did you mean "${meant}"?`;
    throw new InvalidArgumentError(`must be one of ${choices.join(', ')}${hint}`);
  };
}

function durationWithin({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: ParamSchema): (text: string) => number {
  return (text) => {
    const ms = parseDuration(text);
    if (ms === null) {
      const hint = /^\d+$/.test(text) ? `${text}s or ${text}ms` : '5s or 500ms';
      throw new InvalidArgumentError(`must be a number with a unit: ${hint}`);
    }
    if (ms >= minimum && ms <= maximum) return ms;
    throw new InvalidArgumentError(`must be ${durationOption(minimum)} to ${durationOption(maximum)}`);
  };
}

function parseWhole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}

function parseYesNo(text: string): boolean {
  if (text === 'yes' || text === 'true') return true;
  if (text === 'no' || text === 'false') return false;
  throw new InvalidArgumentError('must be yes or no; write the target before this option');
}

function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}

/** `Name: value` as curl has it, or `name=value`. */
function collectPairs(text: string, previous: Record<string, string> | undefined): Record<string, string> {
  const [, name = '', value = ''] = /^([^:=\s]+)\s*[:=]\s*(.*)$/s.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('must be "Name: value"');
  return { ...previous, [name]: value };
}

/** Name under which commander has the value of the option of a parameter. */
function attributeOf(param: string): string {
  return flagOf(param)
    .slice(2)
    .replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
