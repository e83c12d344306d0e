import { durationOption } from '@vantage/shared/durations.js';
import { type Command, InvalidArgumentError } from 'commander';
import { parseFrom } from '../node-words.js';
import { parseSeconds } from './duration.js';
import { Mistake } from './mistake.js';

/** Settings of a monitor as options give them. */
export interface SettingOptions {
  readonly name?: string;
  readonly interval?: number;
  readonly from?: string;
  readonly nodes?: number;
  readonly tags?: readonly string[];
  readonly contains?: string;
  readonly absent?: string;
  readonly path?: string;
  readonly equals?: unknown;
  readonly cron?: string;
  readonly timezone?: string;
  readonly grace?: number;
  readonly set?: Readonly<Record<string, unknown>>;
}

export const HEARTBEAT = 'heartbeat';

/** Types that an option is for, where it is not for all; `nodes`: for all that nodes check. */
const typesOf: Readonly<Partial<Record<keyof SettingOptions, readonly string[]>>> = {
  contains: ['keyword', HEARTBEAT],
  absent: ['keyword'],
  path: ['json'],
  equals: ['json'],
  cron: [HEARTBEAT],
  timezone: [HEARTBEAT],
  grace: [HEARTBEAT],
};

/** Adds the options of `monitors add` and `monitors edit`. */
export function addSettingOptions(command: Command): Command {
  return command
    .option('--name <name>', 'name (of a new monitor by default: its target)')
    .option('--interval <duration>', 'time between checks, or between two pings of a job: 30s, 5m, 1d', parseSeconds)
    .option('--from <list>', 'nodes that may check it: country codes, AS numbers, cities, tag:NAME, ids, as for probes')
    .option('--nodes <n>', 'number of nodes that check it (default: 3)', parseCount)
    .option('--tags <list>', 'comma-separated tags', parseList)
    .option('--contains <text>', 'keyword: text that the page must contain; heartbeat: text of each ping')
    .option('--absent <text>', 'keyword: text that the page must not contain')
    .option('--path <jsonpath>', 'json: where the value is, as $.status')
    .option('--equals <value>', 'json: the value, as JSON or plain text', parseValue)
    .option('--cron <expression>', 'heartbeat: times of the job, as in crontab')
    .option('--timezone <zone>', 'heartbeat: time zone of --cron (default: UTC)')
    .option('--grace <duration>', 'heartbeat: how late a ping may be (default: 1h)', parseSeconds)
    .option(
      '--set <name=value>',
      'any other setting of the type (docs/monitors.md); an empty value takes it away; can be repeated',
      collectSettings,
    );
}

/** Checks that each option is for the type. @throws Mistake */
export function refuseForeignOptions(type: string, options: SettingOptions): void {
  for (const [option, types] of Object.entries(typesOf) as [keyof SettingOptions, readonly string[]][])
    if (options[option] !== undefined && !types.includes(type))
      throw new Mistake(`--${option} is for ${types.join(' and ')}, not for ${type}`);
  for (const option of ['from', 'nodes'] as const)
    if (type === HEARTBEAT && options[option] !== undefined)
      throw new Mistake(`--${option} is for monitors that nodes check, not for heartbeat`);
  if (options.contains !== undefined && options.absent !== undefined)
    throw new Mistake('--contains and --absent exclude each other: make two monitors');
}

/** Fields of the API that options set. `before`: settings that a change keeps, since the API replaces them as a whole. */
export function settingFields(type: string, options: SettingOptions, before: Settings = {}): object {
  const { name, interval, from, nodes, tags } = options;
  const own = type === HEARTBEAT ? heartbeatConfig(options) : checkedConfig(options);
  const change = { ...own, ...options.set };
  const config = given({ ...without(before, replacedBy(change)), ...change });
  return {
    ...given({ name, tags, node_count: nodes, interval_s: type === HEARTBEAT ? undefined : interval }),
    ...(from === undefined ? {} : { node_selection: parseFrom(from) }),
    ...(Object.keys(change).length === 0 ? {} : { config }),
  };
}

type Settings = Readonly<Record<string, unknown>>;

function checkedConfig({ contains, absent, path, equals }: SettingOptions): Settings {
  return {
    ...(contains === undefined ? {} : { keyword: contains, mode: 'contains' }),
    ...(absent === undefined ? {} : { keyword: absent, mode: 'absent' }),
    ...given({ path, value: equals }),
  };
}

function heartbeatConfig({ interval, cron, timezone, grace, contains }: SettingOptions): Settings {
  return {
    ...(interval === undefined ? {} : { mode: 'interval', interval_s: interval }),
    ...(cron === undefined ? {} : { mode: 'cron', cron_expr: cron }),
    ...given({ timezone, grace_s: grace, assert_body_contains: contains }),
  };
}

/** Setting that another mode of a heartbeat has in its place. */
function replacedBy(change: Settings): string {
  return change['mode'] === 'cron' ? 'interval_s' : change['mode'] === 'interval' ? 'cron_expr' : '';
}

function without(settings: Settings, name: string): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([other]) => other !== name));
}

function given(fields: Settings): Settings {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const words: Readonly<Record<string, string>> = {
  name: '--name',
  interval_s: '--interval',
  'config.interval_s': '--interval',
  node_count: '--nodes',
  tags: '--tags',
  'config.keyword': '--contains',
  'config.assert_body_contains': '--contains',
  'config.path': '--path',
  'config.value': '--equals',
  'config.cron_expr': '--cron',
  'config.timezone': '--timezone',
  'config.grace_s': '--grace',
};

/** Option that sets a field of a monitor; the field itself if none does. */
export function settingWord(field: string): string {
  const word = words[field];
  if (word !== undefined) return word;
  if (field.startsWith('node_selection')) return '--from';
  if (field.startsWith('tags.')) return '--tags';
  return field.startsWith('config.') ? `--set ${field.slice('config.'.length)}` : field;
}

/** Refusal of a setting in the words of its option: intervals are durations. */
export function settingRefusal(word: string, message: string): string {
  if (word !== '--interval' || !message.startsWith('must be one of ')) return message;
  return message.replace(/\d+/g, (seconds) => durationOption(Number(seconds) * 1_000));
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 50) throw new InvalidArgumentError('must be 1 to 50');
  return count;
}

function parseList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function collectSettings(text: string, before: Settings | undefined): Settings {
  const split = text.indexOf('=');
  if (split < 1) throw new InvalidArgumentError('must be name=value, such as expected_status=204');
  const value = text.slice(split + 1);
  return { ...before, [text.slice(0, split)]: value === '' ? undefined : parseValue(value) };
}

/** Value that is written as JSON; other texts, and whole numbers that would be rounded, stay as they are. */
function parseValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
  } catch {
    return text;
  }
}
