import { definitionOf, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { Progress } from '@vantage/shared/terminal/progress.js';
import { Command } from 'commander';
import type { Static } from 'typebox';
import type { nodeSchemas } from '../modules/nodes/index.js';
import { parseFrom } from '../node-words.js';
import { outputScreen, printJson, printTable } from '../terminal/print.js';
import { version } from '../version.js';
import type { ApiClient } from './api-client.js';
import { diagnoseCommand } from './diagnose-command.js';
import { lookupCommands } from './lookup-commands.js';
import { addParamOptions, paramsOf } from './param-options.js';
import { taskText } from './result-text.js';
import { runProbe } from './run-probe.js';
import { type ClientOptions, parseLimit, withClient } from './with-client.js';

/** Exit codes of vantage; the one list. */
export const clientExitCodes = [
  { code: 0, meaning: 'every node succeeded' },
  { code: 1, meaning: 'a node failed, or a report has failed or scores less than --min-score' },
  { code: 2, meaning: 'wrong arguments, or the API refused the request' },
  { code: 3, meaning: 'the API cannot be reached' },
] as const;

const PAGE_SIZE = 200;

const environmentHelp = `
Environment:
  VANTAGE_URL     address of the API (default: http://127.0.0.1:8080)
  VANTAGE_TOKEN   personal access token, sent as a bearer token

Exit codes:
${clientExitCodes.map(({ code, meaning }) => `  ${code}  ${meaning}`).join('\n')}`;

interface CommonOptions extends ClientOptions, Record<string, unknown> {
  readonly from?: string;
  readonly limit?: number;
}

/** The command line of vantage: a command for each probe type, those of lookups, one for reports, and one for nodes. */
export function buildClientProgram(): Command {
  const program = new Command('vantage')
    .description('Run probes from many places with the Vantage API.')
    .version(version)
    .addHelpText('after', '\nExample:\n  vantage http https://example.com/ --from DE,AS3320 --limit 5')
    .addHelpText('afterAll', environmentHelp);
  for (const type of probeTypeNames) program.addCommand(probeCommand(type));
  for (const command of lookupCommands()) program.addCommand(command);
  return program.addCommand(diagnoseCommand()).addCommand(nodesCommand());
}

function probeCommand(type: ProbeType): Command {
  const { summary, exampleTarget } = definitionOf(type);
  const command = new Command(type)
    .description(summary)
    .argument('<target>', `for example ${exampleTarget}`)
    .option(
      '--from <list>',
      'comma-separated country codes, AS numbers, regions, ISO 3166-2 codes, cities, tag:NAME or node ids',
    )
    .option('--limit <n>', 'greatest number of nodes, 1 to 50 (default: 3)', parseLimit);
  return addParamOptions(command, type)
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the task as JSON')
    .action((target: string, options: CommonOptions) =>
      withClient(options, (client) => probe(client, type, target, options)),
    );
}

async function probe(client: ApiClient, type: ProbeType, target: string, options: CommonOptions): Promise<void> {
  const progress = new Progress(process.stderr);
  const nodes = { ...parseFrom(options.from ?? ''), ...(options.limit === undefined ? {} : { limit: options.limit }) };
  progress.show('sending the request…');
  try {
    const task = await runProbe(client, { type, target, params: paramsOf(type, options), nodes }, (answered, asked) =>
      progress.show(`${answered} of ${asked} ${asked === 1 ? 'node' : 'nodes'} responded`),
    );
    progress.clear();
    if (options.json) printJson(task);
    else process.stdout.write(`${taskText(task, outputScreen())}\n`);
    if (task.summary.fail_count > 0 || task.status === 'failed') process.exitCode = 1;
  } finally {
    progress.clear();
  }
}

function nodesCommand(): Command {
  return new Command('nodes')
    .description('List the nodes that you can use')
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the nodes as JSON')
    .action((options: CommonOptions) =>
      withClient(options, async (client) => {
        const items = await listNodes(client);
        if (options.json) return printJson(items);
        printTable(
          ['ID', 'STATUS', 'COUNTRY', 'CITY', 'NETWORK', 'NAME', 'CAN'],
          items.map((node) => [
            node.id,
            node.status,
            node.country ?? '-',
            node.city ?? '-',
            node.asn === null ? '-' : `AS${node.asn}`,
            node.name,
            node.capabilities.join(' ') || '-',
          ]),
        );
      }),
    );
}

type NodeRecord = Static<typeof nodeSchemas.node>;

/** All of them, page by page. */
async function listNodes(client: ApiClient): Promise<NodeRecord[]> {
  const all: NodeRecord[] = [];
  for (let page = 1; ; page += 1) {
    const { items } = await client.call<{ items: NodeRecord[] }>(
      'GET',
      `/v1/nodes?page_size=${PAGE_SIZE}&page=${page}`,
    );
    all.push(...items);
    if (items.length < PAGE_SIZE) return all;
  }
}
