import { isUpgradeVersion } from '@vantage/shared/protocol/upgrade-version.js';
import type { SelfTestCheck } from '@vantage/shared/self-test.js';
import { Command, InvalidArgumentError } from 'commander';
import { commandLine } from '../actor.js';
import type { ActOn, AdminNode, NodeActs } from '../modules/nodes/index.js';
import { printJson, printTable } from '../terminal/print.js';
import { nodeText } from './node-text.js';
import type { Office } from './office.js';
import { runInOffice } from './run-command.js';

/** `vantage-control node list | show | audit | ban | unban | drain | undrain | rotate-key | upgrade` */
export function nodeCommand(): Command {
  const ban = actCommand('ban', {
    description: 'Shut a node out: its link closes within a second, it can’t come back.',
    act: (acts, on, { reason }) => acts.ban(on, reason ?? ''),
    says: ({ id }) => `${id} is banned`,
  }).requiredOption('--reason <text>', 'kept in the audit log; shown to its owner');
  const unban = actCommand('unban', {
    description: 'Let a banned or quarantined node in again; its agent must be started again.',
    act: (acts, on) => acts.unban(on),
    says: ({ id }) => `${id} may connect again`,
  });
  const drain = actCommand('drain', {
    description: 'Give a node no new work; it finishes what it has and keeps its link.',
    act: (acts, on) => acts.drain(on),
    says: ({ id }) => `${id} gets no new work`,
  });
  const undrain = actCommand('undrain', {
    description: 'Give a drained node work again.',
    act: (acts, on) => acts.undrain(on),
    says: ({ id }) => `${id} gets work again`,
  });
  const rotateKey = actCommand('rotate-key', {
    description: 'Have a node make itself a new key, now or when it is back.',
    act: (acts, on) => acts.rotateKey(on),
    says: ({ id, status }) =>
      status === 'offline' ? `${id} will be asked for a new key when it is back` : `${id} is asked for a new key`,
  });
  const upgrade = actCommand('upgrade', {
    description:
      'Ask a node for another version of its agent. Whether and how it gets there is up to its operator: the agent runs the command of VANTAGE_AGENT_UPGRADE_COMMAND, or refuses. `node show` tells what came of it.',
    act: (acts, on, { to }) => acts.upgrade(on, to ?? ''),
    says: ({ id, upgrade: asked }) => `${id} is asked for version ${asked?.version}`,
  }).requiredOption('--to <version>', 'the version, as 1.4.0 or 1.4.0-rc.2', parseVersion);
  return [listCommand(), showCommand(), auditCommand(), ban, unban, drain, undrain, rotateKey, upgrade].reduce(
    (parent, command) => parent.addCommand(command),
    new Command('node').description('Nodes.'),
  );
}

function listCommand(): Command {
  return new Command('list')
    .description('List all nodes, newest first.')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nCOUNTRY with a ?: the address of the node contradicts what it declares.')
    .action((options: { json?: true }) =>
      runInOffice(async (office) => {
        const views = await listAll(office);
        if (options.json) return printJson(views);
        const rows = views.map((node) => [
          node.id,
          node.status,
          `${node.country ?? '-'}${node.geo_mismatch ? ' ?' : ''}`,
          node.asn === null ? '-' : `AS${node.asn}`,
          node.capabilities.join(' ') || '-',
          failedChecks(node.self_test),
          node.version,
          node.name,
        ]);
        printTable(['ID', 'STATUS', 'COUNTRY', 'NETWORK', 'CAN', 'SELF-TEST', 'VERSION', 'NAME'], rows);
      }),
    );
}

function showCommand(): Command {
  return new Command('show')
    .description('Show one node, with what only administrators see.')
    .argument('<id>', 'id of the node, n_…')
    .option('--json', 'print it as JSON')
    .action((id: string, options: { json?: true }) =>
      runInOffice(async ({ nodes, adminNodeView }) => {
        const view = adminNodeView(await nodes.record(id, null));
        if (options.json) printJson(view);
        else process.stdout.write(nodeText(view));
      }),
    );
}

function auditCommand(): Command {
  return new Command('audit')
    .description('Show what was done to a node, also to one that was deleted: the newest hundred acts, newest first.')
    .argument('<id>', 'id of the node, n_…')
    .option('--json', 'print it as JSON')
    .action((id: string, options: { json?: true }) =>
      runInOffice(async ({ audit }) => {
        const { items } = await audit.listOf(id, { limit: 100 });
        if (options.json) return printJson(items);
        const rows = items.map(({ at, action, actor, details }) => [
          at,
          action,
          [actor.kind, actor.user_id ?? actor.credential_id].filter(Boolean).join(' '),
          Object.keys(details).length === 0 ? '' : JSON.stringify(details),
        ]);
        printTable(['AT', 'ACT', 'BY', 'DETAILS'], rows);
      }),
    );
}

function parseVersion(text: string): string {
  if (isUpgradeVersion(text)) return text;
  throw new InvalidArgumentError('must be a version as 1.4.0 or 1.4.0-rc.2.');
}

async function listAll({ nodes, adminNodeView, anyRecord }: Office): Promise<AdminNode[]> {
  const { records } = await nodes.listRecords(anyRecord, { limit: Number.MAX_SAFE_INTEGER, offset: 0 });
  return records.map(adminNodeView);
}

interface ActOptions {
  readonly json?: true;
  readonly reason?: string;
  readonly to?: string;
}

/** A command that does one thing to one node and shows what became of it. */
function actCommand(
  name: string,
  act: {
    readonly description: string;
    readonly act: (acts: NodeActs, on: ActOn, options: ActOptions) => Promise<void>;
    readonly says: (node: AdminNode) => string;
  },
): Command {
  return new Command(name)
    .description(act.description)
    .argument('<id>', 'id of the node, n_…')
    .option('--json', 'print the node as JSON')
    .action((id: string, options: ActOptions) =>
      runInOffice(async ({ nodes, adminNodeView }) => {
        await act.act(nodes.acts, { id, ownerId: null, actor: commandLine }, options);
        const view = adminNodeView(await nodes.record(id, null));
        if (options.json) printJson(view);
        else process.stdout.write(`${act.says(view)}\n`);
      }),
    );
}

/** What a node found wrong with itself; - before its first self-test. */
function failedChecks(report: { readonly checks: readonly SelfTestCheck[] } | undefined): string {
  if (report === undefined) return '-';
  const failed = report.checks.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length === 0 ? 'ok' : `no ${failed.join(' ')}`;
}
