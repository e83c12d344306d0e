import { Progress } from '@vantage/shared/terminal/progress.js';
import { type Cell, tableLines } from '@vantage/shared/terminal/table.js';
import { Command } from 'commander';
import { outputScreen, printJson } from '../terminal/print.js';
import { addCommand } from './add-monitor.js';
import type { ApiClient } from './api-client.js';
import { factsText } from './facts-text.js';
import { type Monitor, monitorsText, toned } from './monitors-text.js';
import { type ClientOptions, withClient } from './with-client.js';

/** Fields of a check that are shown. */
interface Check {
  readonly node_id: string;
  readonly success: boolean;
  readonly outcome: string;
  readonly response_ms: number | null;
  readonly error: string | null;
}

const PAGE_SIZE = 100;

/** `vantage monitors`: list, show, add, pause, resume and test. */
export function monitorsCommand(): Command {
  const command = new Command('monitors').description('Your monitors; without a command, list them');
  command.addCommand(withOptions('list', 'List your monitors', ['list', 'list --json']).action(list), {
    isDefault: true,
  });
  command.addCommand(
    withOptions('show', 'Show a monitor', ['show Shop']).argument('<monitor>', 'name or id').action(show),
  );
  command.addCommand(addCommand());
  for (const verb of ['pause', 'resume'] as const)
    command.addCommand(
      withOptions(verb, `${verb === 'pause' ? 'Pause' : 'Resume'} a monitor`, [`${verb} Shop`])
        .argument('<monitor>', 'name or id')
        .action((word: string, options: ClientOptions) => act(word, verb, options)),
    );
  return command.addCommand(
    withOptions('test', 'Check a monitor now, outside its schedule', ['test Shop'])
      .argument('<monitor>', 'name or id')
      .action(test),
  );
}

function withOptions(name: string, about: string, examples: readonly string[]): Command {
  return new Command(name)
    .description(about)
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the response as JSON')
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  vantage monitors ${line}`).join('\n')}`);
}

function list(options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const monitors = await listMonitors(client);
    if (options.json) return printJson(monitors);
    process.stdout.write(`${monitorsText(monitors, outputScreen())}\n`);
  });
}

function show(word: string, options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const monitor = await client.call<Monitor>('GET', `/v1/monitors/${await idOf(client, word)}`);
    printFacts(monitor, options);
  });
}

function act(word: string, verb: 'pause' | 'resume', options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const monitor = await client.call<Monitor>('POST', `/v1/monitors/${await idOf(client, word)}/${verb}`);
    if (options.json) return printJson(monitor);
    process.stdout.write(`${factsText({ name: monitor.name, status: monitor.status }, outputScreen())}\n`);
  });
}

function test(word: string, options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const id = await idOf(client, word);
    const progress = new Progress(process.stderr);
    progress.show('waiting for the nodes');
    const answer = await client
      .call<{ checks: Check[]; waiting_nodes: string[] }>('POST', `/v1/monitors/${id}/test?wait=30`)
      .finally(() => progress.clear());
    if (options.json) printJson(answer);
    else process.stdout.write(`${checksText(answer)}\n`);
    if (answer.waiting_nodes.length > 0 || answer.checks.some(({ success }) => !success)) process.exitCode = 1;
  });
}

function checksText({
  checks,
  waiting_nodes: waiting,
}: {
  checks: readonly Check[];
  waiting_nodes: readonly string[];
}): string {
  const columns = ['NODE', 'RESULT', 'TIME', 'ERROR'].map((title) => ({ title }));
  const rows = [
    ...checks.map(({ node_id, outcome, response_ms, error }): Cell[] => [
      node_id,
      toned(outcome),
      response_ms === null ? '-' : `${response_ms} ms`,
      error ?? '',
    ]),
    ...waiting.map((node): Cell[] => [node, 'no result yet']),
  ];
  return tableLines({ columns, rows }, outputScreen()).join('\n');
}

function printFacts(monitor: Monitor, { json }: ClientOptions): void {
  if (json) printJson(monitor);
  else process.stdout.write(`${factsText(monitor, outputScreen())}\n`);
}

/** Id of a monitor that is given by its id or its name; a word that is neither goes to the API, which refuses it. */
async function idOf(client: ApiClient, word: string): Promise<string> {
  const named = (await listMonitors(client)).find(({ id, name }) => id === word || name === word);
  return named?.id ?? encodeURIComponent(word);
}

async function listMonitors(client: ApiClient): Promise<Monitor[]> {
  const all: Monitor[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/v1/monitors?page_size=${PAGE_SIZE}&page=${page}`;
    const { items } = await client.call<{ items: Monitor[] }>('GET', path);
    all.push(...items);
    if (items.length < PAGE_SIZE) return all;
  }
}
