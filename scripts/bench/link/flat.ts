import { cpuSecondsOf, ownCpuSecondsOf } from '../processes.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import type { LinkComparison } from './comparison.js';
import { insertPending, writeTasks } from './pending-tasks.js';
import { type Site, startSite } from './site.js';

const FEW = 10;
const PER_SECOND = 1_000;
const SECONDS = sized(10, 0.5);

/** Cost of a result with few and with many agents. */
export const flat: LinkComparison = {
  name: 'flat',
  title: 'flat: what one result costs with few and with many agents',
  question: 'Does a result cost the same with ten thousand agents as with ten?',
  method: ({ rounds, agents }) =>
    `${FEW} and ${agents} agents, ${rounds} rounds of ${SECONDS} s, ${PER_SECOND} single results a second; CPU of control plane and PostgreSQL less what the same agents cost when idle`,
  async run({ rounds, agents }) {
    const site = await startSite(agents);
    try {
      await site.fleet.order('connect', { first: 0, count: FEW });
      const few = await costs(site, FEW, rounds);
      await site.fleet.order('connect', { first: FEW, count: agents - FEW });
      const many = await costs(site, agents, rounds);
      const [own, base] = [figureOf(many), figureOf(few)];
      return [
        {
          what: `CPU microseconds a result, ${agents} agents`,
          ours: figureText(own, 0),
          baseline: `${FEW} agents: ${figureText(base, 0)}`,
          ratio: (own.median / base.median).toFixed(2),
          goal: '0.8 to 1.2',
        },
      ];
    } finally {
      await site.stop();
    }
  },
};

async function costs(site: Site, agents: number, rounds: number): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const idle = await cpuOver(site, () => new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000)));
    const tasks = await tasksInTurns(site, agents);
    const tasksFile = await writeTasks(site, tasks);
    await site.database.query('CHECKPOINT');
    const busy = await cpuOver(site, () => site.fleet.order('trickle', { agents, tasksFile, perSecond: PER_SECOND }));
    if (round > 0) found.push((1e6 * (busy - idle)) / tasks.length);
  }
  return found;
}

/** Node tasks such that the n-th is of the agent whose turn it is then. */
async function tasksInTurns(site: Site, agents: number): Promise<string[]> {
  const count = PER_SECOND * SECONDS;
  const owners = site.nodeIds.slice(0, agents);
  const byOwner = await insertPending(site, owners, Math.ceil(count / agents));
  return Array.from({ length: count }, (_, index) => byOwner[index % agents]?.[Math.floor(index / agents)] as string);
}

async function cpuOver(site: Site, work: () => Promise<unknown>): Promise<number> {
  const now = () => ownCpuSecondsOf(site.server().pid) + cpuSecondsOf(site.databasePid());
  const before = now();
  await work();
  return now() - before;
}
