import { Progress } from '@vantage/shared/terminal/progress.js';
import { Command, InvalidArgumentError } from 'commander';
import { outputScreen, printJson, printText } from '../terminal/print.js';
import type { ApiClient } from './api-client.js';
import { parseSeconds } from './duration.js';
import { factsText } from './facts-text.js';
import { inWords } from './field-words.js';
import { type ClientOptions, withClient } from './with-client.js';

interface LookupOptions extends ClientOptions {
  readonly maxAge?: number;
  readonly port?: string;
  readonly type?: string;
}

interface LookupText {
  readonly about: string;
  readonly argument: string;
  /** Path of the API; `ip` has another one for the address of the caller. */
  readonly path: string;
  readonly examples: readonly string[];
  /** Options of this kind alone: flags, help, and parameter of the API. */
  readonly options?: readonly (readonly [flags: string, help: string, parameter: 'port' | 'type'])[];
  /** True if a node answers and the answer is kept, so that its age can be limited. */
  readonly isKept: boolean;
}

const lookups = {
  ip: {
    about: 'Location and network of an address; without one, of your own',
    argument: '[address]',
    path: '/v1/info/ip',
    examples: ['ip 1.1.1.1', 'ip'],
    isKept: false,
  },
  whois: {
    about: 'Registration of a domain or an address',
    argument: '<domain or address>',
    path: '/v1/info/whois',
    examples: ['whois example.com', 'whois 192.0.2.1 --max-age 1h'],
    isKept: true,
  },
  icp: {
    about: 'ICP filing of a domain',
    argument: '<domain>',
    path: '/v1/info/icp',
    examples: ['icp example.cn'],
    isKept: true,
  },
  headers: {
    about: 'Response headers of a site, graded',
    argument: '<domain or URL>',
    path: '/v1/info/headers',
    examples: ['headers example.com', 'headers https://example.com/shop --json'],
    isKept: true,
  },
  reputation: {
    about: 'Reputation of an address or a domain, by lists',
    argument: '<address or domain>',
    path: '/v1/ip/reputation',
    examples: ['reputation 192.0.2.1'],
    isKept: false,
  },
  ssl: {
    about: 'Certificate and TLS of a host, graded',
    argument: '<domain>',
    path: '/v1/info/ssl',
    examples: ['lookup ssl example.com --port 8443'],
    options: [['--port <port>', 'port of the server (default: 443)', 'port']],
    isKept: true,
  },
  dns: {
    about: 'DNS records of a domain, as a node of the network gets them',
    argument: '<domain>',
    path: '/v1/info/dns',
    examples: ['lookup dns example.com --type MX'],
    options: [['--type <type>', 'type of the records (default: all)', 'type']],
    isKept: true,
  },
} as const satisfies Record<string, LookupText>;

type Kind = keyof typeof lookups;

/** Kinds whose name is also a command of its own: probes have the others. */
const shortKinds = ['ip', 'whois', 'icp', 'headers', 'reputation'] as const satisfies readonly Kind[];

/** `vantage ip`, `whois`, …, and `vantage lookup KIND` for every kind. */
export function lookupCommands(): Command[] {
  const all = new Command('lookup')
    .description(`Look up what is known of a domain or an address: ${Object.keys(lookups).join(', ')}`)
    .addHelpText('after', '\nExample:\n  vantage lookup ssl example.com');
  for (const kind of Object.keys(lookups) as Kind[]) all.addCommand(lookupCommand(kind));
  return [...shortKinds.map(lookupCommand), all];
}

function lookupCommand(kind: Kind): Command {
  const { about, argument, examples, options = [], isKept }: LookupText = lookups[kind];
  const command = new Command(kind).description(about).argument(argument);
  for (const [flags, help] of options) command.option(flags, help);
  if (isKept)
    command.option('--max-age <duration>', 'oldest answer to show: 10m, 1d, at most 7d; requires a token', parseMaxAge);
  return command
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  vantage ${example}`).join('\n')}`)
    .action((q: string | undefined, given: LookupOptions) =>
      withClient(given, (client) => lookUp(client, kind, { q, given })),
    );
}

interface Cache {
  readonly hit: boolean;
  readonly age_sec: number;
  readonly stale?: boolean;
}

async function lookUp(
  client: ApiClient,
  kind: Kind,
  { q, given }: { readonly q: string | undefined; readonly given: LookupOptions },
): Promise<void> {
  const { path, options = [] }: LookupText = lookups[kind];
  const parameters = new URLSearchParams(q === undefined ? {} : { q });
  for (const [, , parameter] of options) {
    const value = given[parameter];
    if (value !== undefined) parameters.set(parameter, value);
  }
  if (given.maxAge !== undefined) parameters.set('max_age_s', String(given.maxAge));
  const progress = new Progress(process.stderr);
  progress.show('asking…');
  try {
    const reading = client.read<object, { readonly cache?: Cache }>(
      q === undefined ? `${path}/me` : `${path}?${parameters}`,
    );
    const { data, meta } = await inWords(reading, (field) => (field === 'nodes' ? 'lookups' : field));
    progress.clear();
    if (given.json === true) printJson(data);
    else {
      process.stdout.write(`${factsText(data, outputScreen())}\n`);
      if (meta.cache !== undefined) printText(ageText(meta.cache));
    }
  } finally {
    progress.clear();
  }
}

/** How old an answer is, and why. */
function ageText({ hit, age_sec: seconds, stale }: Cache): string {
  if (!hit) return 'asked just now';
  return `from memory, ${seconds} s old${stale === true ? ': a newer answer cannot be had at the moment' : ''}`;
}

/** Age in seconds. @throws InvalidArgumentError */
function parseMaxAge(text: string): number {
  const seconds = parseSeconds(text);
  if (seconds > 604_800) throw new InvalidArgumentError('must be at most 7d');
  return seconds;
}
