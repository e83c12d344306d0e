import { textCell } from '@vantage/shared/probe-types/cells.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import { Command } from 'commander';
import type { TaskView } from '../modules/probes/index.js';
import { outputScreen, printJson } from '../terminal/print.js';
import type { ApiClient } from './api-client.js';
import { readNames } from './list-nodes.js';
import { needsNames } from './node-places.js';
import { nodesOf, taskText } from './result-text.js';
import { type ClientOptions, withClient } from './with-client.js';

interface TaskOptions extends ClientOptions {
  /** False if the results are shared no longer. */
  readonly share?: boolean;
  readonly details?: true;
}

/** `vantage task pt_…`: a stored task, as its probe printed it. */
export function taskCommand(): Command {
  return new Command('task')
    .description('Show the results of a probe again')
    .argument('<id>', 'id of the task, pt_…')
    .option('--share', 'let everyone with the link read the results, and print the link')
    .option('--no-share', 'let only your account read the results')
    .option('--details', 'show the ids of nodes too')
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the task as JSON')
    .addHelpText('after', '\nExample:\n  vantage task pt_1ChThKHH7H6WcUqHWrb5fr')
    .action((id: string, options: TaskOptions) => withClient(options, (client) => showTask(client, id, options)));
}

async function showTask(client: ApiClient, id: string, { json, share, details }: TaskOptions): Promise<void> {
  const path = `/v1/probe/tasks/${encodeURIComponent(id)}`;
  const task = await (share === undefined
    ? client.call<TaskView>('GET', path)
    : client.call<TaskView>('PATCH', path, { shared: share }));
  if (json) return printJson(task);
  const screen = outputScreen();
  const { probe_type, target, created_at, status, page } = task;
  const at = created_at.slice(0, 19).replace('T', ' ');
  const title = `${definitionOf(probe_type).title} ${target}, ${at} UTC, ${status}`;
  const nameOf = needsNames(nodesOf(task)) ? await readNames(client) : () => null;
  const text = taskText(task, screen, { nameOf, hasIds: details === true });
  const link = page === null ? '' : `page: ${textCell(page)}\n`;
  process.stdout.write(`${screen.paint(textCell(title), 'strong')}\n${text}\n${link}`);
}
