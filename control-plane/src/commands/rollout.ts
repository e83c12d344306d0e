import { isUpgradeVersion } from '@vantage/shared/protocol/upgrade-version.js';
import { Command, InvalidArgumentError } from 'commander';
import { commandLine } from '../audit-log/actor.js';
import { type CountedRollout, rolloutView } from '../modules/rollouts/index.js';
import { parseFrom } from '../node-words.js';
import { printJson, printTable, printText } from '../terminal/print.js';
import type { Office } from './office.js';
import { runInOffice } from './run-command.js';

interface StartOptions {
  readonly to: string;
  readonly from?: string;
  readonly stages: readonly number[];
  readonly maxFailures: number;
  readonly pauseS: number;
  readonly json?: true;
}

/** Rows of a list at most. */
const ALL = { number: 1, limit: 1_000, offset: 0 };

/** `vantage-control rollout start | list | show | pause | resume | abort` */
export function rolloutCommand(): Command {
  return [
    startCommand(),
    listCommand(),
    showCommand(),
    actCommand('pause', 'Request no further upgrades; those that run go on.'),
    actCommand('resume', 'Go on. The failures of a roll-out that has halted do not count any more.'),
    actCommand('abort', 'End a roll-out: nodes that wait keep their version.'),
  ].reduce(
    (parent, command) => parent.addCommand(command),
    new Command('rollout').description('Upgrade nodes in stages.'),
  );
}

function startCommand(): Command {
  return new Command('start')
    .description('Start a roll-out: upgrade the agents of many nodes in stages. A running server carries it out.')
    .requiredOption('--to <version>', 'version to install, for example 1.4.0 or 1.4.0-rc.2', parseVersion)
    .option('--from <places>', 'nodes, as in `vantage probe --from`: DE,AS3320,tag:canary (default: all nodes)')
    .option('--stages <percent>', 'shares of the nodes, ascending, in percent', parseStages, [1, 10, 100])
    .option('--max-failures <n>', 'failed nodes at which it halts, 1 to 1000', integer(1, 1_000), 3)
    .option('--pause-s <s>', 'pause between two stages in seconds, at most 604800', integer(0, 604_800), 600)
    .option('--json', 'print the roll-out as JSON')
    .addHelpText(
      'after',
      '\nAt most --max-failures nodes, less those that have failed, are upgraded at the same time.\nNodes without a link wait until they are back.',
    )
    .action(({ to: version, from, stages, maxFailures, pauseS, json }: StartOptions) =>
      runInOffice(async ({ rollouts }) => {
        const {
          owned: _owned,
          limit: _limit,
          spread: _spread,
          ...selection
        } = from === undefined ? {} : parseFrom(from);
        print(await rollouts.create({ version, selection, stages, maxFailures, pauseS }, commandLine), json);
      }),
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('List roll-outs, newest first.')
    .option('--json', 'print the list as JSON')
    .action(({ json }: { json?: true }) =>
      runInOffice(async ({ rollouts }) => {
        const { rollouts: all } = await rollouts.list(ALL);
        if (json) return printJson(all.map(rolloutView));
        printTable(
          ['ID', 'VERSION', 'STATE', 'STAGE', 'NODES', 'DONE', 'FAILED', 'CREATED'],
          all.map((one) => {
            const { nodes, created_at } = rolloutView(one);
            const counts = [nodes.total, nodes.done, nodes.failed].map(String);
            return [one.id, one.version, one.state, stageText(one), ...counts, created_at];
          }),
        );
      }),
    );
}

function showCommand(): Command {
  return new Command('show')
    .description('Show a roll-out and its nodes that are being upgraded or have failed.')
    .argument('<id>', 'id of the roll-out, ro_…')
    .option('--json', 'print the roll-out as JSON')
    .action((id: string, { json }: { json?: true }) =>
      runInOffice(async ({ rollouts }) => {
        const rollout = await rollouts.get(id);
        print(rollout, json);
        if (json) return;
        const of = async (state: 'requested' | 'failed') => (await rollouts.listNodes(id, { ...ALL, state })).nodes;
        const nodes = [...(await of('requested')), ...(await of('failed'))];
        if (nodes.length === 0) return;
        printTable(
          ['NODE', 'STATE', 'NAME', 'REASON'],
          nodes.map(({ nodeId, state, name, error }) => [nodeId, state, name ?? '-', error ?? '']),
        );
      }),
    );
}

function actCommand(name: 'pause' | 'resume' | 'abort', description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<id>', 'id of the roll-out, ro_…')
    .option('--json', 'print the roll-out as JSON')
    .action((id: string, { json }: { json?: true }) =>
      runInOffice(async ({ rollouts }: Office) => print(await rollouts[name](id, commandLine), json)),
    );
}

function print(rollout: CountedRollout, json: true | undefined): void {
  const view = rolloutView(rollout);
  if (json) return printJson(view);
  const { total, done, failed, requested, waiting, skipped } = view.nodes;
  printText(
    `${view.id} to ${view.version} ${view.state}, stage ${stageText(rollout)}: of ${total} nodes ` +
      `${done} done, ${failed} failed, ${requested} running, ${waiting} waiting, ${skipped} skipped`,
  );
}

/** `2 of 3 (10 %)` */
function stageText({ stage, stages }: CountedRollout): string {
  return `${stage + 1} of ${stages.length} (${stages[stage]} %)`;
}

function parseVersion(text: string): string {
  if (!isUpgradeVersion(text)) throw new InvalidArgumentError('must be a version such as 1.4.0 or 1.4.0-rc.2');
  return text;
}

function parseStages(text: string): number[] {
  const stages = text.split(',').map(integer(1, 100));
  if (stages.some((percent, index) => index > 0 && percent <= (stages[index - 1] ?? 0)))
    throw new InvalidArgumentError('must ascend, for example 1,10,100');
  return stages;
}

function integer(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isInteger(value) || value < minimum || value > maximum)
      throw new InvalidArgumentError(`must be ${minimum} to ${maximum}`);
    return value;
  };
}
