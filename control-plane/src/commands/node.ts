import { isUpgradeVersion } from '@vantage/shared/protocol/upgrade-version.js';
import type { SelfTestCheck } from '@vantage/shared/self-test.js';
import { Command, InvalidArgumentError } from 'commander';
import { commandLine } from '../audit-log/actor.js';
import type { ActOn, AdminNode } from '../modules/nodes/index.js';
import { printJson, printTable, printText } from '../terminal/print.js';
import { nodeText } from './node-text.js';
import type { Office } from './office.js';
import { runInOffice } from './run-command.js';

/** `vantage-control node list | show | audit | ban | unban | drain | undrain | rotate-key | upgrade` */
export function nodeCommand(): Command {
  const ban = actCommand('ban', {
    description: 'Ban a node: its link closes within a second, and it cannot connect again.',
    act: (acts, on, { reason }) => acts.ban(on, reason ?? ''),
    says: ({ id }) => `${id} is banned`,
  }).requiredOption('--reason <text>', 'reason for the ban, kept in the audit log and shown to the owner');
  const unban = actCommand('unban', {
    description: 'Lift a ban or a quarantine. The agent of the node must be started again.',
    act: (acts, on) => acts.unban(on),
    says: ({ id }) => `${id} may connect again`,
  });
  const drain = actCommand('drain', {
    description: 'Drain a node: it gets no new work, finishes the work it has, and keeps its link.',
    act: (acts, on) => acts.drain(on),
    says: ({ id }) => `${id} gets no new work`,
  });
  const undrain = actCommand('undrain', {
    description: 'Undrain a node: it gets new work again.',
    act: (acts, on) => acts.undrain(on),
    says: ({ id }) => `${id} gets work again`,
  });
  const rotateKey = actCommand('rotate-key', {
    description: 'Rotate the key of a node, immediately or when it is online again.',
    act: (acts, on) => acts.rotateKey(on),
    says: ({ id, status }) =>
      status === 'offline'
        ? `the key of ${id} will be rotated when it is online again`
        : `the key of ${id} is being rotated`,
  });
  const upgrade = actCommand('upgrade', {
    description:
      'Upgrade the agent of a node, or downgrade it. The operator of the node decides how: the agent runs the command in VANTAGE_AGENT_UPGRADE_COMMAND, or refuses if there is none. `node show` shows the result.',
    act: (acts, on, { to }) => acts.upgrade(on, to ?? ''),
    says: ({ id, upgrade: asked }) => `${id} is requested to install version ${asked?.version}`,
  }).requiredOption('--to <version>', 'version to install, for example 1.4.0 or 1.4.0-rc.2', parseVersion);
  return [listCommand(), showCommand(), auditCommand(), ban, unban, drain, undrain, rotateKey, upgrade].reduce(
    (parent, command) => parent.addCommand(command),
    new Command('node').description('Manage nodes.'),
  );
}

function listCommand(): Command {
  return new Command('list')
    .description('List all nodes, newest first.')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', '\nA question mark after COUNTRY: the address of the node contradicts its declared location.')
    .action((options: { json?: true }) =>
      runInOffice(async ({ nodes }) => {
        const views = await nodes.describeAll();
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
    .description('Show a node, with the fields that only administrators see.')
    .argument('<id>', 'id of the node, n_…')
    .option('--json', 'print JSON')
    .action((id: string, options: { json?: true }) =>
      runInOffice(async ({ nodes }) => {
        const view = await nodes.describe(id);
        if (options.json) printJson(view);
        else process.stdout.write(nodeText(view));
      }),
    );
}

function auditCommand(): Command {
  return new Command('audit')
    .description('List the audit log of a node, also of a deleted one: the newest hundred entries, newest first.')
    .argument('<id>', 'id of the node, n_…')
    .option('--json', 'print JSON')
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
  throw new InvalidArgumentError('must be a version, for example 1.4.0 or 1.4.0-rc.2.');
}

interface ActOptions {
  readonly json?: true;
  readonly reason?: string;
  readonly to?: string;
}

/** Command that performs one act on one node and prints the result. */
function actCommand(
  name: string,
  act: {
    readonly description: string;
    readonly act: (acts: Office['nodes']['acts'], on: ActOn, options: ActOptions) => Promise<void>;
    readonly says: (node: AdminNode) => string;
  },
): Command {
  return new Command(name)
    .description(act.description)
    .argument('<id>', 'id of the node, n_…')
    .option('--json', 'print the node as JSON')
    .action((id: string, options: ActOptions) =>
      runInOffice(async ({ nodes }) => {
        await act.act(nodes.acts, { id, ownerId: null, actor: commandLine }, options);
        const view = await nodes.describe(id);
        if (options.json) printJson(view);
        else printText(act.says(view));
      }),
    );
}

/** Failed checks of a node's newest self-test; `-` before the first one. */
function failedChecks(report: { readonly checks: readonly SelfTestCheck[] } | undefined): string {
  if (report === undefined) return '-';
  const failed = report.checks.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length === 0 ? 'ok' : `no ${failed.join(' ')}`;
}
