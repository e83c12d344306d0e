import { textCell } from '@vantage/shared/probe-types/cells.js';
import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import { programCall } from '@vantage/shared/terminal/program-call.js';
import { Progress } from '@vantage/shared/terminal/progress.js';
import { Command } from 'commander';
import { readEnv } from '../config/config.js';
import type { TaskView } from '../modules/probes/index.js';
import { parseFrom } from '../node-words.js';
import { outputScreen, printJson } from '../terminal/print.js';
import type { ApiClient } from './api-client.js';
import { addParamOptions, paramsOf } from './param-options.js';
import { taskText } from './result-text.js';
import { runProbe } from './run-probe.js';
import { withPlaces } from './unmatched-places.js';
import { type ClientOptions, parseLimit, type Server, withClient } from './with-client.js';

interface ProbeOptions extends ClientOptions, Record<string, unknown> {
  readonly from?: string;
  readonly limit?: number;
}

interface Asked {
  readonly type: ProbeType;
  readonly target: string;
  readonly options: ProbeOptions;
}

/** `vantage http`, `ping`, …: a probe of one type from several nodes. */
export function probeCommand(type: ProbeType): Command {
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
    .addHelpText('after', examplesOf(type, exampleTarget))
    .action((target: string, options: ProbeOptions) =>
      withClient(options, (client, server) => probe(client, server, { type, target, options })),
    );
}

function examplesOf(type: ProbeType, target: string): string {
  const lines = [`${type} ${target}`, `${type} ${target} --from DE,AS3320 --limit 5`, `${type} ${target} --json`];
  return `\nExamples:\n${lines.map((line) => `  vantage ${line}`).join('\n')}`;
}

async function probe(client: ApiClient, server: Server, asked: Asked): Promise<void> {
  const { options } = asked;
  const task = await runWithScheme(client, asked);
  if (options.json) printJson(task);
  else {
    const screen = outputScreen();
    const texts = [taskText(task, screen), textCell(againText(task, server))];
    process.stdout.write(`${texts.join('\n')}\n`);
  }
  if (task.summary.fail_count > 0 || task.status === 'failed') process.exitCode = 1;
}

/** Where a result is read again: the page for everyone, or the command for the owner. */
function againText({ task_id: id }: TaskView, { url, hasToken }: Server): string {
  return hasToken ? `again: ${programCall('vantage', readEnv())} task ${id}` : `page: ${new URL(`/p/${id}`, url).href}`;
}

/** Runs a probe; a host without a scheme is asked by https, and by http where each node was refused. */
async function runWithScheme(client: ApiClient, asked: Asked): Promise<TaskView> {
  const isBare = asked.type === 'http' && !/^[a-z][a-z0-9+.-]*:\/\//i.test(asked.target);
  if (!isBare) return run(client, asked);
  const secure = await run(client, { ...asked, target: `https://${asked.target}` });
  const results = secure.node_results;
  const isRefused = results.length > 0 && results.every(({ error }) => error?.code === 'tcp_refused');
  if (!isRefused) return secure;
  process.stderr.write('https was refused, trying http\n');
  return run(client, { ...asked, target: `http://${asked.target}` });
}

async function run(client: ApiClient, { type, target, options }: Asked): Promise<TaskView> {
  const progress = new Progress(process.stderr);
  const nodes = { ...parseFrom(options.from ?? ''), ...(options.limit === undefined ? {} : { limit: options.limit }) };
  progress.show('sending the request');
  try {
    const order = { type, target, params: paramsOf(type, options), nodes };
    return await runProbe(client, order, (answered, asked) =>
      progress.show(`${answered} of ${asked} ${asked === 1 ? 'node' : 'nodes'} responded`),
    );
  } catch (error) {
    progress.clear();
    throw await withPlaces(error, client, options.from);
  } finally {
    progress.clear();
  }
}
