import { textCell } from '@vantage/shared/probe-types/cells.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import { Command } from 'commander';
import type { TaskView } from '../modules/probes/index.js';
import { outputScreen, printJson } from '../terminal/print.js';
import type { ApiClient } from './api-client.js';
import { taskText } from './result-text.js';
import { type ClientOptions, withClient } from './with-client.js';

/** `vantage task pt_…`: a stored task, as its probe printed it. */
export function taskCommand(): Command {
  return new Command('task')
    .description('Show the results of a probe again')
    .argument('<id>', 'id of the task, pt_…')
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the task as JSON')
    .addHelpText('after', '\nExample:\n  vantage task pt_1ChThKHH7H6WcUqHWrb5fr')
    .action((id: string, options: ClientOptions) => withClient(options, (client) => showTask(client, id, options)));
}

async function showTask(client: ApiClient, id: string, { json }: ClientOptions): Promise<void> {
  const task = await client.call<TaskView>('GET', `/v1/probe/tasks/${encodeURIComponent(id)}`);
  if (json) return printJson(task);
  const screen = outputScreen();
  const { probe_type, target, created_at, status } = task;
  const at = created_at.slice(0, 19).replace('T', ' ');
  const title = `${definitionOf(probe_type).title} ${target}, ${at} UTC, ${status}`;
  process.stdout.write(`${screen.paint(textCell(title), 'strong')}\n${taskText(task, screen)}\n`);
}
