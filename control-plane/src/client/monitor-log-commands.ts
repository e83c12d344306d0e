import { systemClock } from '@vantage/shared/clock.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { type Command, InvalidArgumentError } from 'commander';
import { outputScreen, printJson } from '../terminal/print.js';
import type { ApiClient } from './api-client.js';
import { clientCommand } from './client-command.js';
import { parseSeconds } from './duration.js';
import { inWords } from './field-words.js';
import { findMonitor, listMonitors } from './find-monitor.js';
import { eventsText, type MonitorEvent, type Ping, pingsText } from './monitor-log-text.js';
import { type ClientOptions, withClient } from './with-client.js';

interface LogOptions extends ClientOptions {
  readonly limit: number;
  readonly last?: number;
  readonly kind?: string;
}

/** `vantage monitors events`: periods when a monitor, or any of them, was down or degraded. */
export function eventsCommand(): Command {
  return withRange(
    clientCommand('events', 'List when monitors were down or degraded, and why', ['monitors events Shop --last 7d']),
  )
    .argument('[monitor]', 'name or id (default: all monitors)')
    .action((word: string | undefined, options: LogOptions) =>
      withClient(options, async (client) => {
        const monitor = word === undefined ? null : await findMonitor(client, word);
        const monitors = monitor === null ? await listMonitors(client) : [monitor];
        const { items, hasMore } = await readLog<MonitorEvent>(client, '/v1/monitor-events', options, {
          monitor_id: monitor?.id,
        });
        if (options.json) return printJson(items);
        const names = new Map(monitors.map(({ id, name }) => [id, name]));
        const nameOf = monitor === null ? (id: string) => names.get(id) ?? id : null;
        print(eventsText(items, { nameOf, nowMs: systemClock.now() }, outputScreen()), hasMore);
      }),
    );
}

/** `vantage monitors pings`: log of the pings of a heartbeat. */
export function pingsCommand(): Command {
  return withRange(
    clientCommand('pings', 'List the pings of a heartbeat, with what the job sent', [
      'monitors pings Backup --kind fail',
    ]),
  )
    .argument('<monitor>', 'name or id')
    .option('--kind <kind>', 'only pings of this kind: success, fail, start, exit, …')
    .action((word: string, options: LogOptions) =>
      withClient(options, async (client) => {
        const { id } = await findMonitor(client, word);
        const { items, hasMore } = await readLog<Ping>(client, `/v1/monitors/${id}/pings`, options, {
          kind: options.kind,
        });
        if (options.json) return printJson(items);
        print(pingsText(items, outputScreen()), hasMore);
      }),
    );
}

/** Events of a monitor, newest first, for a screen. @throws ApiRefusal, ApiUnreachable */
export async function lastEventsText(client: ApiClient, id: string, screen: Screen): Promise<string> {
  const { items } = await readLog<MonitorEvent>(client, '/v1/monitor-events', { limit: 10 }, { monitor_id: id });
  return eventsText(items, { nameOf: null, nowMs: systemClock.now() }, screen);
}

function withRange(command: Command): Command {
  return command
    .option('--last <duration>', 'only those of the last 30m, 2h, 7d …', parseSeconds)
    .option('--limit <n>', 'greatest number, newest first, 1 to 200', parseRows, 20);
}

async function readLog<T>(
  client: ApiClient,
  path: string,
  { limit, last }: Pick<LogOptions, 'limit' | 'last'>,
  filter: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly items: readonly T[]; readonly hasMore: boolean }> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (last !== undefined) query.set('from', new Date(systemClock.now() - last * 1_000).toISOString());
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  const reading = client.read<{ items: readonly T[] }, Meta>(`${path}?${query}`);
  const { data, meta } = await inWords(reading, (field) => (field === 'kind' ? '--kind' : field));
  return { items: data.items, hasMore: meta.pagination?.has_more === true };
}

interface Meta {
  readonly pagination?: { readonly has_more?: boolean };
}

function print(text: string, hasMore: boolean): void {
  process.stdout.write(`${text}\n`);
  if (hasMore) process.stderr.write('there are older ones: --limit shows up to 200\n');
}

function parseRows(text: string): number {
  const rows = Number(text);
  if (!/^\d+$/.test(text) || rows < 1 || rows > 200) throw new InvalidArgumentError('must be 1 to 200');
  return rows;
}
