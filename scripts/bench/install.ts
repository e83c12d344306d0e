import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demand } from '@vantage/shared/_support/missing.js';
import { AdministeredNode, standInForSystemd } from '../release/_support/bare-node.js';
import { CleanRoot } from '../release/_support/clean-root.js';
import { startFromArchive } from '../release/_support/installed-control-plane.js';
import { BenchError, type Part, rowOf } from './harness.js';
import { msOf } from './statistics.js';

/** Installation, upgrade and start of an agent in bare roots. */
export const install: Part = {
  name: 'install',
  question: 'How long do installation, upgrade and start of an agent take? Needs root: it makes a bare Debian.',
  title: 'an agent in a bare Debian',
  method: ({ rounds }) => `${rounds} rounds, release served by a control plane on the same machine`,
  async run({ rounds }, stops) {
    demand('curl');
    const scope = { teardown: (cleanUp: () => unknown) => void stops.push(cleanUp) };
    const controlPlane = await startFromArchive(scope);
    const node = await AdministeredNode.of(controlPlane);
    const root = await CleanRoot.make(scope);
    const systemd = await standInForSystemd(root);
    const times = { install: [] as number[], firstResult: [] as number[], interruption: [] as number[] };
    for (let round = 1; round <= rounds; round += 1) {
      const token = await controlPlane.command('enrollment-token', 'create');
      const script = `curl -fsSL ${controlPlane.url}/install.sh`;
      if (round > 1) await root.run(['sh', '-c', `${script} | sh -s -- --uninstall --purge`]);
      const line = `${script} -o /run/install.sh && sh /run/install.sh --token - --name bare-${round}`;
      const ms = await msOf(async () => {
        const { code, stderr } = await root.run(['sh', '-c', line], token);
        if (code !== 0) throw new BenchError(stderr);
      });
      times.install.push(ms / 1_000);
      times.firstResult.push(await startToFirstResult(root, node));
    }
    systemd.watch(scope);
    for (let round = 1; round <= rounds; round += 1) {
      await controlPlane.offer(`0.1.${round}`);
      await node.upgrade(`0.1.${round}`);
      times.interruption.push(await lastInterruption(root));
    }
    return [
      rowOf('one line to node online, s', { ours: times.install, goal: 'at most 20' }),
      rowOf('interruption of the link by an upgrade, s', { ours: times.interruption, goal: 'at most 5' }),
      rowOf('start of the installed agent to its first result, s', { ours: times.firstResult, goal: 'at most 1' }),
    ];
  },
};

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
