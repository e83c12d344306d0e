import { Command, InvalidArgumentError } from 'commander';
import { printJson, printText } from '../terminal/print.js';
import type { Monitor } from './monitors-text.js';
import { type ClientOptions, withClient } from './with-client.js';

const HEARTBEAT = 'heartbeat';

interface AddOptions extends ClientOptions {
  readonly name?: string;
  readonly interval?: number;
  readonly cron?: string;
  readonly timezone?: string;
  readonly grace?: number;
}

/** Monitor that was created; one that waits for a job has the address at which the job checks in. */
interface Added extends Monitor {
  readonly heartbeat?: { readonly url: string };
}

/** `vantage monitors add`: a monitor that nodes check, or a heartbeat at which a job checks in. Prints its id, and the address. */
export function addCommand(): Command {
  return new Command('add')
    .description('Create a monitor; a heartbeat waits for a job to check in')
    .argument('<type>', 'https, ping, tcp, dns, heartbeat, …; docs/monitors.md lists them')
    .argument('[target]', 'URL, host or host:port; a heartbeat has none')
    .option('--name <name>', 'name (default: the target)')
    .option('--interval <seconds>', 'seconds between checks, or between two pings of a job', parseSeconds)
    .option('--cron <expression>', 'heartbeat: times of the job, as in crontab')
    .option('--timezone <zone>', 'heartbeat: time zone of --cron (default: UTC)')
    .option('--grace <seconds>', 'heartbeat: seconds that a ping may be late (default: 3600)', parseSeconds)
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the response as JSON')
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  vantage monitors add ${line}`).join('\n')}`)
    .action((type: string, target: string | undefined, options: AddOptions, command: Command) => {
      const mistake = mistakeOf(type, target, options);
      if (mistake !== null) command.error(`error: ${mistake}`);
      return add(bodyOf(type, target, options), options);
    });
}

const examples = [
  'https https://example.com/ --name Shop --interval 60',
  'ping 192.0.2.1',
  "heartbeat --name Backup --cron '30 2 * * *' --timezone Europe/Berlin",
];

/** Mistake that the words of the command show, or null. */
function mistakeOf(type: string, target: string | undefined, { name, cron, timezone, grace }: AddOptions) {
  if (type !== HEARTBEAT) {
    if (target === undefined) return `a monitor of type ${type} needs a target`;
    const isForeign = [cron, timezone, grace].some((option) => option !== undefined);
    return isForeign ? `--cron, --timezone and --grace are for heartbeats, not for ${type}` : null;
  }
  if (target !== undefined) return `a heartbeat has no target: what is "${target}"?`;
  return name === undefined ? 'a heartbeat needs a --name, for example that of the job' : null;
}

function bodyOf(type: string, target: string | undefined, options: AddOptions): object {
  const { name = target, interval, cron, timezone, grace } = options;
  if (type !== HEARTBEAT) return { name, type, target, ...(interval === undefined ? {} : { interval_s: interval }) };
  const config = {
    ...(cron === undefined ? {} : { mode: 'cron', cron_expr: cron }),
    ...(interval === undefined ? {} : { interval_s: interval }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(grace === undefined ? {} : { grace_s: grace }),
  };
  return { name, type, config };
}

function add(body: object, options: AddOptions): Promise<void> {
  return withClient(options, async (client) => {
    const monitor = await client.call<Added>('POST', '/v1/monitors', body);
    if (options.json) return printJson(monitor);
    const { id, heartbeat } = monitor;
    printText([id, ...(heartbeat === undefined ? [] : [heartbeat.url])].join('\n'));
  });
}

function parseSeconds(text: string): number {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds');
  return Number(text);
}
