import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { cpuSecondsOf } from '../processes.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { AT_ONCE, deliverAll, deliverFirst } from './deliver.js';
import { startWatchedSite, type WatchedSite } from './watched-site.js';

const SIZES = sized([1_000, 10_000, 100_000], [100, 200]);
const NODES = sized(100, 10);
const CHECKS = sized(50_000, 500);

/** Cost of a check by the number of monitors. */
export const flat: LinkComparison = {
  name: 'flat',
  title: 'what a check costs, from a thousand monitors to a hundred thousand',
  question: 'Does a check cost the same with 100 000 monitors as with 1 000?',
  method: ({ rounds }) =>
    `${NODES} simulated nodes, three for each monitor; ${rounds} rounds of ${CHECKS} checks, ${AT_ONCE} at once; CPU of control plane and PostgreSQL`,
  async run({ rounds }) {
    const costs = new Map<number, readonly number[]>();
    for (const monitors of SIZES) costs.set(monitors, await measure(monitors, rounds));
    const [least] = SIZES;
    const base = figureOf(costs.get(least ?? 0) ?? []);
    return SIZES.map((monitors): LinkRow => {
      const own = figureOf(costs.get(monitors) ?? []);
      const isBase = monitors === least;
      return {
        what: `${monitors} monitors, CPU of a check, µs`,
        ours: figureText(own, 0),
        baseline: isBase ? '' : `${least} monitors: ${base.median.toFixed(0)}`,
        ratio: isBase ? '' : (own.median / base.median).toFixed(2),
        goal: isBase ? '' : 'within 20 %',
      };
    });
  },
};

async function measure(monitors: number, rounds: number): Promise<number[]> {
  const watched = await startWatchedSite({ monitors, nodes: NODES, perMonitor: 3, intervalSeconds: 60 });
  try {
    // also plans statements and fills caches
    await deliverFirst(watched);
    const costs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = cpuOf(watched);
      await deliverAll(watched, CHECKS);
      costs.push(((cpuOf(watched) - before) * 1e6) / CHECKS);
    }
    return costs;
  } finally {
    await watched.stop();
  }
}

function cpuOf({ site }: WatchedSite): number {
  return cpuSecondsOf(site.server().pid) + cpuSecondsOf(site.databasePid());
}
