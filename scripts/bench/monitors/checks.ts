import { setTimeout as pause } from 'node:timers/promises';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { cpuSecondsOf } from '../processes.js';
import { figureOf, figureText } from '../statistics.js';
import { countChecks, deliver, untilStored } from './deliver.js';
import { startWatchedSite, type WatchedSite } from './watched-site.js';

const MONITORS = 10_000;
const NODES = 100;
const PER_MONITOR = 3;
const INTERVAL_S = 60;
const PER_SECOND = (MONITORS * PER_MONITOR) / INTERVAL_S;
const SECONDS = 20;
/** Frames a second: a node's checks come one by one. */
const STEPS_PER_SECOND = 10;
const MAX_IN_FLIGHT = 20_000;

/** Ten thousand monitors on three nodes each, and what that costs. */
export const checks: LinkComparison = {
  name: 'checks',
  title: 'checks of ten thousand monitors on three nodes each, at 60 s',
  method: ({ rounds }) =>
    `${NODES} simulated nodes; ${rounds} rounds of ${SECONDS} s at ${PER_SECOND} checks a second, and of as many as are taken; CPU of the control plane alone and with PostgreSQL, of one core`,
  async run({ rounds }) {
    const watched = await startWatchedSite({
      monitors: MONITORS,
      nodes: NODES,
      perMonitor: PER_MONITOR,
      intervalSeconds: INTERVAL_S,
    });
    try {
      await steady(watched, 5);
      const loads: number[] = [];
      const withDatabase: number[] = [];
      const ceilings: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const { own, database } = await measured(watched, () => steady(watched, SECONDS));
        loads.push((100 * own) / SECONDS);
        withDatabase.push((100 * (own + database)) / SECONDS);
        ceilings.push(await ceiling(watched));
      }
      return rowsOf(loads, withDatabase, ceilings);
    } finally {
      await watched.stop();
    }
  },
};

async function measured(
  { site }: WatchedSite,
  work: () => Promise<void>,
): Promise<{ readonly own: number; readonly database: number }> {
  const before = { own: cpuSecondsOf(site.server().pid), database: cpuSecondsOf(site.databasePid()) };
  await work();
  return {
    own: cpuSecondsOf(site.server().pid) - before.own,
    database: cpuSecondsOf(site.databasePid()) - before.database,
  };
}

/** Delivers at the rate of the intervals; every check is stored when it resolves. */
async function steady(watched: WatchedSite, seconds: number): Promise<void> {
  const before = await countChecks(watched);
  const perStep = PER_SECOND / STEPS_PER_SECOND;
  const startedMs = performance.now();
  let sent = 0;
  for (let step = 0; step < seconds * STEPS_PER_SECOND; step += 1) {
    sent += deliver(watched, perStep, step * perStep);
    const waitMs = startedMs + ((step + 1) * 1_000) / STEPS_PER_SECOND - performance.now();
    if (waitMs > 0) await pause(waitMs);
  }
  await untilStored(watched, before + sent);
}

/** Checks a second when all there are come at once. */
async function ceiling(watched: WatchedSite): Promise<number> {
  const before = await countChecks(watched);
  const startedMs = performance.now();
  const sent = deliver(watched, MAX_IN_FLIGHT, 0);
  await untilStored(watched, before + sent);
  return sent / ((performance.now() - startedMs) / 1_000);
}

function rowsOf(loads: readonly number[], withDatabase: readonly number[], ceilings: readonly number[]): LinkRow[] {
  const row = (what: string, figures: readonly number[], digits: number, goal: string): LinkRow => ({
    what,
    ours: figureText(figureOf(figures), digits),
    baseline: '',
    ratio: '',
    goal,
  });
  return [
    row(`control plane at ${PER_SECOND} checks/s, % of a core`, loads, 1, 'at most 15'),
    row('with PostgreSQL, % of a core', withDatabase, 1, ''),
    row('as many as are taken, checks/s', ceilings, 0, ''),
  ];
}
