import { setTimeout as pause } from 'node:timers/promises';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import type { LinkComparison } from './comparison.js';
import { insertPending, writeTasks } from './pending-tasks.js';
import { type Site, startSite } from './site.js';

const AGENTS = 10;
const AWAY_MS = sized(5_000, 200);

/** Time until results are stored again once PostgreSQL is back. */
export const firstRow: LinkComparison = {
  name: 'first-row',
  title: 'first row: PostgreSQL restarts while agents hold results',
  question: 'Are results stored within two seconds of PostgreSQL coming back?',
  method: ({ rounds }) => `${rounds} restarts, away for ${AWAY_MS / 1_000} s, ${AGENTS} agents with results`,
  async run({ rounds }) {
    const site = await startSite(AGENTS);
    try {
      await site.fleet.order('connect', { first: 0, count: AGENTS });
      const seconds: number[] = [];
      for (let round = 0; round < rounds; round += 1) seconds.push(await oneRestart(site));
      const ours = figureText(figureOf(seconds), 2);
      const what = 'seconds from the first connection PostgreSQL accepts to the last acknowledgement of those results';
      return [{ what, ours, baseline: '', ratio: '', goal: 'at most 2' }];
    } finally {
      await site.stop();
    }
  },
};

async function oneRestart(site: Site): Promise<number> {
  const tasks = await insertPending(site, site.nodeIds, 10);
  await site.fleet.order('prepare', { tasksFile: await writeTasks(site, tasks) });
  const start = await site.stopDatabase();
  const delivered = site.fleet.order('deliver', {});
  await pause(AWAY_MS);
  await start();
  const acceptsAt = Date.now();
  return ((await delivered).at - acceptsAt) / 1_000;
}
