import type { SelfTestCheck } from '@vantage/shared/self-test.js';
import { Command } from 'commander';
import { commandLine } from '../actor.js';
import { printJson, printTable } from '../terminal/print.js';
import { runInOffice } from './run-command.js';

const operator = { userId: null, isAdmin: true, isTest: false };

/** `vantage-control node list | ban | unban` */
export function nodeCommand(): Command {
  const list = new Command('list')
    .description('List all nodes, newest first.')
    .option('--json', 'print them as JSON')
    .action((options: { json?: true }) =>
      runInOffice(async ({ nodes, nodeView }) => {
        await nodes.directory.load();
        const views = nodes.list(operator, {}).map((node) => nodeView(node, true));
        if (options.json) return printJson(views);
        const rows = views.map((node) => [
          node.id,
          node.status,
          node.country ?? '-',
          node.asn === null ? '-' : `AS${node.asn}`,
          node.capabilities.join(' ') || '-',
          failedChecks(node.self_test),
          node.name,
        ]);
        printTable(['ID', 'STATUS', 'COUNTRY', 'NETWORK', 'CAN', 'SELF-TEST', 'NAME'], rows);
      }),
    );
  const ban = new Command('ban')
    .description('Shut a node out: its link closes within a second, it can’t come back.')
    .argument('<id>', 'id of the node, n_…')
    .requiredOption('--reason <text>', 'kept in the audit log')
    .option('--json', 'print the node as JSON')
    .action((id: string, options: { reason: string; json?: true }) =>
      runInOffice(async ({ nodes, nodeView }) => {
        const node = await nodes.ban(id, options.reason, commandLine);
        if (options.json) printJson(nodeView(node, true));
        else process.stdout.write(`${id} is banned\n`);
      }),
    );
  const unban = new Command('unban')
    .description('Let a banned node in again; its agent must be started again.')
    .argument('<id>', 'id of the node, n_…')
    .option('--json', 'print the node as JSON')
    .action((id: string, options: { json?: true }) =>
      runInOffice(async ({ nodes, nodeView }) => {
        const node = await nodes.unban(id, commandLine);
        if (options.json) printJson(nodeView(node, true));
        else process.stdout.write(`${id} may connect again\n`);
      }),
    );
  return new Command('node').description('Nodes.').addCommand(list).addCommand(ban).addCommand(unban);
}

/** What a node found wrong with itself; - before its first self-test. */
function failedChecks(report: { readonly checks: readonly SelfTestCheck[] } | undefined): string {
  if (report === undefined) return '-';
  const failed = report.checks.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length === 0 ? 'ok' : `no ${failed.join(' ')}`;
}
