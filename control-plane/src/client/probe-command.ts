import { isIPv6 } from 'node:net';
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
import { readNames } from './list-nodes.js';
import { needsNames } from './node-places.js';
import { noteLines } from './note.js';
import { addParamOptions, paramsOf } from './param-options.js';
import { fromHelp, paramsOfWords, splitPlaces, targetOf, understood } from './probe-words.js';
import { hasFailed, nodesOf, taskText } from './result-text.js';
import { runProbe } from './run-probe.js';
import { withPlaces } from './unmatched-places.js';
import { type ClientOptions, parseLimit, withClient } from './with-client.js';

interface ProbeOptions extends ClientOptions, Record<string, unknown> {
  readonly from?: string;
  readonly limit?: number;
  readonly share?: true;
  readonly anyStatus?: true;
  readonly details?: true;
}

interface Asked {
  readonly type: ProbeType;
  readonly target: string;
  readonly params: object;
  readonly options: ProbeOptions;
}

/** `vantage http`, `ping`, …: a probe of one type from several nodes. */
export function probeCommand(type: ProbeType): Command {
  const { summary, exampleTarget } = definitionOf(type);
  const command = new Command(type)
    .description(summary)
    .argument('<target>', `for example ${exampleTarget}`)
    .argument('[words...]', wordsHelp[type] ?? 'from and places')
    .option('--from <places>', fromHelp)
    .option('--limit <n>', 'greatest number of nodes, 1 to 50 (default: 3)', parseLimit);
  if (type === 'http') command.option('--any-status', 'a status of 400 or more is no failure');
  return addParamOptions(command, type)
    .option('--share', 'let everyone with the link read the results of your account, and print the link')
    .option('--details', 'show the ids of nodes too')
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the task as JSON')
    .addHelpText('after', examplesOf(type, exampleTarget))
    .action((first: string, words: string[], given: ProbeOptions) => {
      const target = understood(command, () => targetOf(first));
      const { before, from } = understood(command, () => splitPlaces(words, given.from));
      const params = { ...paramsOf(type, given), ...understood(command, () => paramsOfWords(type, before)) };
      const options = { ...given, ...(from === undefined ? {} : { from }) };
      const asked = { type, target, params, options };
      return withClient(options, (client) => probe(client, asked));
    });
}

/** Words after the target of a type, where there are others than places. */
const wordsHelp: Readonly<Partial<Record<ProbeType, string>>> = {
  dns: 'record type, @server, from and places',
  tcp: 'port, from and places',
  ssl: 'port, from and places',
  smtp: 'port, from and places',
};

const ownExamples: Readonly<Partial<Record<ProbeType, readonly string[]>>> = {
  http: ["http https://example.com/ -X POST -H 'Accept: text/html' --timeout 5s"],
  dns: ['dns example.com MX @9.9.9.9'],
  tcp: ['tcp example.com 22 from Germany, Japan'],
  ping: ['ping example.com -c 10 from Europe'],
};

function examplesOf(type: ProbeType, target: string): string {
  const lines = [
    `${type} ${target} from Germany`,
    `${type} ${target} --from DE,AS3320 --limit 5`,
    ...(ownExamples[type] ?? []),
    `${type} ${target} --json`,
  ];
  return `\nExamples:\n${lines.map((line) => `  vantage ${line}`).join('\n')}`;
}

async function probe(client: ApiClient, asked: Asked): Promise<void> {
  const { options } = asked;
  const task = await runWithScheme(client, asked);
  if (options.json) printJson(task);
  else {
    const nameOf = needsNames(nodesOf(task)) ? await readNames(client) : () => null;
    const text = taskText(task, outputScreen(), { nameOf, hasIds: options.details === true });
    process.stdout.write(`${text}\n${textCell(againText(task))}\n`);
  }
  if (hasFailed(task, options.anyStatus)) process.exitCode = 1;
}

/** Where a result is read again: the page for everyone, or the command for the owner. */
export function againText({ task_id: id, page }: TaskView): string {
  return page === null ? `again: ${programCall('vantage', readEnv())} task ${id}` : `page: ${page}`;
}

/** Failures that plain http may not have. */
const withoutTls: ReadonlySet<string> = new Set(['tcp_refused', 'tcp_reset', 'tls_handshake']);

/**
 * Runs a probe; a host without a scheme is asked by https, and by http where no node could speak TLS to it. The second task counts if a
 * node got a response.
 */
async function runWithScheme(client: ApiClient, asked: Asked): Promise<TaskView> {
  const { type, target } = asked;
  const isBare = type === 'http' && !/^[a-z][a-z0-9+.-]*:\/\//i.test(target);
  if (!isBare) return run(client, asked);
  const host = isIPv6(target) ? `[${target}]` : target;
  const secure = await run(client, { ...asked, target: `https://${host}` });
  const errors = secure.node_results.map(({ error }) => error);
  if (errors.length === 0 || !errors.every((error) => withoutTls.has(error?.code ?? ''))) return secure;
  noteLines([`https://${host} failed (${errors[0]?.code}), trying http`]);
  const plain = await run(client, { ...asked, target: `http://${host}` });
  return plain.node_results.some(({ success }) => success) ? plain : secure;
}

async function run(client: ApiClient, { type, target, params, options }: Asked): Promise<TaskView> {
  const { from, limit, share } = options;
  const progress = new Progress(process.stderr);
  const nodes = { ...parseFrom(from ?? ''), ...(limit === undefined ? {} : { limit }) };
  progress.show('sending the request');
  try {
    const order = { type, target, params, nodes, ...(share === undefined ? {} : { shared: share }) };
    return await runProbe(client, order, (answered, asked) =>
      progress.show(`${answered} of ${asked} ${asked === 1 ? 'node' : 'nodes'} responded`),
    );
  } catch (error) {
    progress.clear();
    throw await withPlaces(error, client, from);
  } finally {
    progress.clear();
  }
}
