import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demand } from '@vantage/shared/_support/missing.js';
import { AdministeredNode, standInForSystemd } from '../../release/_support/bare-node.js';
import { CleanRoot } from '../../release/_support/clean-root.js';
import { startFromArchive } from '../../release/_support/installed-control-plane.js';
import { BenchError } from '../bench-error.js';
import { machineText, tableText, writeReport } from '../report.js';
import { figureOf, figureText } from '../statistics.js';

/** Measures an installation in bare roots: needs root and debootstrap. */
export async function benchInstall({
  rounds,
  isDryRun,
}: {
  readonly rounds: number;
  readonly isDryRun: boolean;
}): Promise<void> {
  demand('curl');
  const cleanUps: (() => unknown)[] = [];
  const scope = { teardown: (cleanUp: () => unknown) => void cleanUps.unshift(cleanUp) };
  try {
    const figures = await measure(scope, rounds);
    const report = `## install: an agent in a bare Debian\n\n${machineText()}; ${rounds} rounds, release served by a control plane on the same machine.\n\n${tableText(
      ['seconds', 'measured', 'goal'],
      [
        ['one line to node online', spread(figures.install), 'at most 20'],
        ['interruption of the link by an upgrade', spread(figures.interruption), 'at most 5'],
        ['start of the installed agent to its first result', spread(figures.firstJob), 'at most 1'],
      ],
    )}`;
    process.stdout.write(`${report}\n`);
    if (!isDryRun) writeReport('install', report);
  } finally {
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

const spread = (seconds: readonly number[]) => figureText(figureOf(seconds));

type Scope = Parameters<typeof CleanRoot.make>[0];

async function measure(scope: Scope, rounds: number) {
  const controlPlane = await startFromArchive(scope);
  const node = await AdministeredNode.of(controlPlane);
  const root = await CleanRoot.make(scope);
  const systemd = await standInForSystemd(root);
  const install: number[] = [];
  const interruption: number[] = [];
  const firstJob: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const token = await controlPlane.command('enrollment-token', 'create');
    if (round > 1)
      await root.run(['sh', '-c', `curl -fsSL ${controlPlane.url}/install.sh | sh -s -- --uninstall --purge`]);
    const started = performance.now();
    const line = `curl -fsSL ${controlPlane.url}/install.sh -o /run/install.sh && sh /run/install.sh --token - --name bare-${round}`;
    const installed = await root.run(['sh', '-c', line], token);
    if (installed.code !== 0) throw new BenchError(installed.stderr);
    install.push((performance.now() - started) / 1_000);
    firstJob.push(await startToFirstResult(root, node));
  }
  systemd.watch(scope);
  for (let round = 1; round <= rounds; round += 1) {
    await controlPlane.offer(`0.1.${round}`);
    await node.upgrade(`0.1.${round}`);
    interruption.push(await lastInterruption(root));
  }
  return { install, interruption, firstJob };
}

async function startToFirstResult(root: CleanRoot, node: AdministeredNode): Promise<number> {
  await root.run(['/etc/vantage/service', 'stop']);
  await node.is(({ status }) => status !== 'online');
  const started = performance.now();
  await root.run(['/etc/vantage/service', 'start']);
  await node.isOnline();
  if ((await node.ping()) === null) throw new BenchError('the node takes no probe');
  return (performance.now() - started) / 1_000;
}

/** Seconds from the last stop of an agent to the next open link, by the log of both versions. */
async function lastInterruption(root: CleanRoot): Promise<number> {
  const lines = (await readFile(join(root.path, 'run/agent.log'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const stop = lines.findLastIndex(({ msg }) => msg === 'stopping');
  const open = lines.slice(stop).find(({ msg }) => msg === 'link open');
  return (Date.parse(open.time) - Date.parse(lines[stop].time)) / 1_000;
}
