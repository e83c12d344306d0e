import { systemClock } from '@vantage/shared/clock.js';
import { Progress } from '@vantage/shared/terminal/progress.js';
import { type Cell, tableLines } from '@vantage/shared/terminal/table.js';
import { Command } from 'commander';
import { outputScreen, printJson, printText } from '../terminal/print.js';
import { addCommand } from './add-monitor.js';
import type { ApiClient } from './api-client.js';
import { clientCommand } from './client-command.js';
import { confirm } from './confirm.js';
import { editCommand } from './edit-monitor.js';
import { factsText } from './facts-text.js';
import { findMonitor, listMonitors } from './find-monitor.js';
import { eventsCommand, lastEventsText, pingsCommand } from './monitor-log-commands.js';
import { type Check, type MonitorDetail, monitorText } from './monitor-text.js';
import { type Monitor, monitorsText, reasonText, toned } from './monitors-text.js';
import { type PlaceOf, readPlaces } from './node-places.js';
import { type ClientOptions, withClient } from './with-client.js';

interface ShowOptions extends ClientOptions {
  readonly all?: true;
}

interface DeleteOptions extends ClientOptions {
  readonly yes?: true;
}

/** Checks to read for each node of a monitor: others may have checked more often, on request. */
const CHECKS_PER_NODE = 4;
const MAX_PAGE = 200;

/** `vantage monitors`: list, show, add, edit, delete, pause, resume, test, events and pings. */
export function monitorsCommand(): Command {
  const command = new Command('monitors').description('Your monitors; without a command, list them');
  command.addCommand(clientCommand('list', 'List your monitors', ['monitors']).action(list), { isDefault: true });
  command.addCommand(
    ofMonitor('show', 'Show the state of a monitor, why, its last checks and the next one')
      .option('--all', 'also settings and events')
      .action(show),
  );
  command.addCommand(addCommand());
  command.addCommand(editCommand());
  command.addCommand(
    ofMonitor('delete', 'Delete a monitor and its events')
      .option('--yes', 'delete it without a question')
      .action(remove),
  );
  command.addCommand(eventsCommand());
  command.addCommand(pingsCommand());
  for (const verb of ['pause', 'resume'] as const)
    command.addCommand(
      ofMonitor(verb, `${verb === 'pause' ? 'Pause' : 'Resume'} a monitor`).action(
        (word: string, options: ClientOptions) => act(word, verb, options),
      ),
    );
  return command.addCommand(ofMonitor('test', 'Check a monitor now, outside its schedule').action(test));
}

function ofMonitor(name: string, about: string): Command {
  return clientCommand(name, about, [`monitors ${name} Shop`]).argument('<monitor>', 'name or id');
}

function list(options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const monitors = await listMonitors(client);
    if (options.json) return printJson(monitors);
    if (monitors.length === 0) return printText('you have no monitors yet: `vantage monitors add --help`');
    process.stdout.write(`${monitorsText(monitors, outputScreen())}\n`);
  });
}

function show(word: string, options: ShowOptions): Promise<void> {
  return withClient(options, async (client) => {
    const { id } = await findMonitor(client, word);
    const monitor = await client.call<MonitorDetail>('GET', `/v1/monitors/${id}`);
    if (options.json) return printJson(monitor);
    const [checks, placeOf] = await Promise.all([readChecks(client, monitor), readPlaces(client)]);
    const screen = outputScreen();
    const text = monitorText(monitor, { checks, placeOf, nowMs: systemClock.now() }, screen);
    process.stdout.write(`${text}\n`);
    if (options.all !== true) return;
    const facts = { ...monitor, reason: monitor.reason === null ? null : reasonText(monitor.reason) };
    process.stdout.write(`\n${factsText(facts, screen)}\n\n${await lastEventsText(client, id, screen)}\n`);
  });
}

async function readChecks(client: ApiClient, { id, type, assigned_node_ids: nodes }: MonitorDetail): Promise<Check[]> {
  if (type === 'heartbeat' || nodes.length === 0) return [];
  const limit = Math.min(MAX_PAGE, nodes.length * CHECKS_PER_NODE);
  return client.call<Check[]>('GET', `/v1/monitors/${id}/checks?limit=${limit}`);
}

function remove(word: string, options: DeleteOptions): Promise<void> {
  return withClient(options, async (client) => {
    const { id, name } = await findMonitor(client, word);
    if (options.yes !== true && !(await confirm(`delete the monitor "${name}" and its events?`))) return;
    const reply = await client.call('DELETE', `/v1/monitors/${id}`);
    if (options.json) printJson(reply);
    else printText(`${name} is deleted`);
  });
}

function act(word: string, verb: 'pause' | 'resume', options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const { id } = await findMonitor(client, word);
    const monitor = await client.call<Monitor>('POST', `/v1/monitors/${id}/${verb}`);
    if (options.json) return printJson(monitor);
    process.stdout.write(`${factsText({ name: monitor.name, status: monitor.status }, outputScreen())}\n`);
  });
}

function test(word: string, options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const { id } = await findMonitor(client, word);
    const progress = new Progress(process.stderr);
    progress.show('waiting for the nodes');
    const answer = await client.call<Tested>('POST', `/v1/monitors/${id}/test?wait=30`).finally(() => progress.clear());
    if (options.json) printJson(answer);
    else process.stdout.write(`${checksText(answer, await readPlaces(client))}\n`);
    if (answer.waiting_nodes.length > 0 || answer.checks.some(({ success }) => !success)) process.exitCode = 1;
  });
}

interface Tested {
  readonly checks: readonly Check[];
  readonly waiting_nodes: readonly string[];
}

function checksText({ checks, waiting_nodes: waiting }: Tested, placeOf: PlaceOf): string {
  const columns = ['NODE', 'RESULT', 'TIME', 'ERROR'].map((title) => ({ title }));
  const rows = [
    ...checks.map(({ node_id, outcome, response_ms, error }): Cell[] => [
      placeOf(node_id),
      toned(outcome),
      response_ms === null ? '-' : `${response_ms} ms`,
      error ?? '',
    ]),
    ...waiting.map((node): Cell[] => [placeOf(node), 'no result yet']),
  ];
  return tableLines({ columns, rows }, outputScreen()).join('\n');
}
