import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, isId } from '@vantage/shared/ids.js';
import { Command } from 'commander';
import { outputScreen, printJson, printText } from '../terminal/print.js';
import type { ApiClient } from './api-client.js';
import { clientCommand } from './client-command.js';
import { parseSeconds } from './duration.js';
import { inWords } from './field-words.js';
import { findMonitor, listMonitors } from './find-monitor.js';
import { instantText } from './instant-text.js';
import { Mistake } from './mistake.js';
import { noteLines } from './note.js';
import { type Silence, silencesText } from './silences-text.js';
import { type ClientOptions, withClient } from './with-client.js';

interface SilenceOptions extends ClientOptions {
  readonly reason: string;
}

const PAGE_SIZE = 200;

/** `vantage silence MONITOR 1h`. */
export function silenceCommand(): Command {
  return clientCommand('silence', 'Keep messages about a monitor back for a time', [
    'silence Shop 1h --reason "new switches"',
  ])
    .argument('<monitor>', 'name or id')
    .argument('<duration>', '30m, 2h, 1d …', parseSeconds)
    .option('--reason <text>', 'reason, for others in your account', 'silenced with vantage')
    .action((word: string, duration: number, options: SilenceOptions) =>
      withClient(options, async (client) => {
        const { id, name } = await findMonitor(client, word);
        const body = { monitor_id: id, duration_sec: duration, reason: options.reason };
        const silence = await inWords(client.call<Silence>('POST', '/v1/alert-silences', body), wordOf);
        if (options.json) return printJson(silence);
        printText(`${name} is silenced until ${instantText(silence.ends_at, systemClock.now())}`);
        noteLines([`end it: \`vantage silences end ${silence.id}\``]);
      }),
    );
}

/** `vantage silences`: list and end. */
export function silencesCommand(): Command {
  const command = new Command('silences').description('Silences of your alerts; without a command, list them');
  command.addCommand(clientCommand('list', 'List the silences that have not expired', ['silences']).action(list), {
    isDefault: true,
  });
  return command.addCommand(
    clientCommand('end', 'End a silence now, or all silences of one monitor', ['silences end Shop'])
      .argument('<silence>', 'id of the silence, or name or id of its monitor')
      .action(end),
  );
}

function list(options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const silences = await listSilences(client);
    if (options.json) return printJson(silences);
    if (silences.length === 0) return printText('no silences');
    const names = new Map((await listMonitors(client)).map(({ id, name }) => [id, name]));
    const nowMs = systemClock.now();
    process.stdout.write(`${silencesText(silences, { nameOf: (id) => names.get(id) ?? id, nowMs }, outputScreen())}\n`);
  });
}

function end(word: string, options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const ids = await silencesOf(client, word);
    for (const id of ids) await client.call('DELETE', `/v1/alert-silences/${id}`);
    if (options.json) return printJson(ids);
    printText(ids.length === 1 ? 'the silence is ended' : `${ids.length} silences are ended`);
  });
}

/** Ids of the silences that a word means. @throws Mistake if there are none */
async function silencesOf(client: ApiClient, word: string): Promise<string[]> {
  if (isId(idPrefixes.alertSilence, word)) return [word];
  const { id, name } = await findMonitor(client, word);
  const own = (await listSilences(client)).filter(({ monitor_id }) => monitor_id === id);
  if (own.length === 0) throw new Mistake(`${name} has no silence of its own; \`vantage silences\` lists all`);
  return own.map((silence) => silence.id);
}

/** Silences that have begun or will begin. */
async function listSilences(client: ApiClient): Promise<Silence[]> {
  const lists = await Promise.all(
    ['active', 'upcoming'].map((status) =>
      client.call<{ items: Silence[] }>('GET', `/v1/alert-silences?status=${status}&page_size=${PAGE_SIZE}`),
    ),
  );
  return lists.flatMap(({ items }) => items);
}

function wordOf(field: string): string {
  if (field === 'reason') return '--reason';
  return field === 'duration_sec' || field === 'ends_at' ? 'duration' : field;
}
