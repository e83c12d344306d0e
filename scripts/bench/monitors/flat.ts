import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { cpuSecondsOf } from '../processes.js';
import { figureOf, figureText } from '../statistics.js';
import { countChecks, deliver, untilJudged, untilStored } from './deliver.js';
import { startWatchedSite, type WatchedSite } from './watched-site.js';

const SIZES = [1_000, 10_000, 100_000];
const NODES = 100;
const CHECKS = 50_000;
/** Checks that travel together: as many as come in a tenth of a second of a large installation. */
const AT_ONCE = 500;

/** Whether a check costs the same however many monitors there are. */
export const flat: LinkComparison = {
  name: 'flat',
  title: 'what a check costs, from a thousand monitors to a hundred thousand',
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
    // plans statements, fills caches, and says of every monitor what its nodes say
    await all(watched, monitors * 3);
    // the first word of each node is news: what comes of it is no part of a usual check
    await untilJudged(watched);
    const costs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = cpuOf(watched);
      await all(watched, CHECKS);
      costs.push(((cpuOf(watched) - before) * 1e6) / CHECKS);
    }
    return costs;
  } finally {
    await watched.stop();
  }
}

async function all(watched: WatchedSite, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const before = await countChecks(watched);
    await untilStored(watched, before + deliver(watched, Math.min(AT_ONCE, count - from), from));
  }
}

function cpuOf({ site }: WatchedSite): number {
  return cpuSecondsOf(site.server().pid) + cpuSecondsOf(site.databasePid());
}
