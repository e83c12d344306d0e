import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Part, rowOf, sized } from '../harness.js';
import { cpuSecondsOf } from '../processes.js';
import { msOf } from '../statistics.js';
import { countChecks, deliver, deliverFirst, untilStored } from './deliver.js';
import { startWatchedSite, type WatchedSite } from './watched-site.js';

const MONITORS = sized(10_000, 200);
const NODES = sized(100, 10);
const PER_MONITOR = 3;
const INTERVAL_S = 60;
const PER_SECOND = (MONITORS * PER_MONITOR) / INTERVAL_S;
const WARM_SECONDS = sized(5, 1);
const SECONDS = sized(20, 1);
/** Frames a second: a node's checks come one by one. */
const STEPS_PER_SECOND = 10;
const MAX_IN_FLIGHT = sized(20_000, 500);

/** Ten thousand monitors on three nodes each, and their cost. */
export const monitorChecks: Part = {
  name: 'checks',
  title: 'checks of ten thousand monitors on three nodes each, at 60 s',
  question: 'Does the control plane take 500 checks a second with 15 % of a core, and how many at most?',
  method: ({ rounds }) =>
    `${NODES} simulated nodes; ${rounds} rounds of ${SECONDS} s at ${PER_SECOND} checks a second, and of as many as are taken; CPU of the control plane alone and with PostgreSQL, of one core`,
  async run({ rounds }, stops) {
    const size = { monitors: MONITORS, nodes: NODES, perMonitor: PER_MONITOR, intervalSeconds: INTERVAL_S };
    const watched = await startWatchedSite(size, stops);
    await deliverFirst(watched);
    await steady(watched, WARM_SECONDS);
    const [loads, withDatabase, ceilings, copies]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < rounds; round += 1) {
      const pids = [watched.site.server.pid, watched.site.databasePid];
      const [own = 0, database = 0] = pids.map(cpuSecondsOf);
      await steady(watched, SECONDS);
      const [ownAfter = 0, databaseAfter = 0] = pids.map(cpuSecondsOf);
      loads.push((100 * (ownAfter - own)) / SECONDS);
      withDatabase.push((100 * (ownAfter - own + databaseAfter - database)) / SECONDS);
      ceilings.push(await ceiling(watched));
      copies.push(await copied(watched));
    }
    return [
      rowOf(`control plane at ${PER_SECOND} checks/s, % of a core`, { ours: loads, digits: 1, goal: 'at most 15' }),
      rowOf('with PostgreSQL, % of a core', { ours: withDatabase, digits: 1 }),
      rowOf('as many as are taken, checks/s', {
        ours: ceilings,
        baseline: copies,
        against: 'one COPY of the rows',
        digits: 0,
      }),
    ];
  },
};

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

/** Checks a second when all of them come at once. */
async function ceiling(watched: WatchedSite): Promise<number> {
  const before = await countChecks(watched);
  const startedMs = performance.now();
  const sent = deliver(watched, MAX_IN_FLIGHT, 0);
  await untilStored(watched, before + sent);
  return sent / ((performance.now() - startedMs) / 1_000);
}

/** Rows a second of one COPY of as many into the same table, read from a file on the server's disk: no state, no roll-ups, no notifications. */
async function copied({ site }: WatchedSite): Promise<number> {
  const file = join(site.exchange, 'checks.copy');
  const at = new Date().toISOString();
  const row = (index: number) => [at, (index % MONITORS) + 1, (index % NODES) + 1, 4, 23.4, 200, 0, 0, 90].join('\t');
  await writeFile(file, `${Array.from({ length: MAX_IN_FLIGHT }, (_, index) => row(index)).join('\n')}\n`);
  await chmod(file, 0o644);
  const columns = 'at, monitor_key, node_key, late_ms, response_ms, status_code, outcome, flags, keep_days';
  const ms = await msOf(() => site.database.query(`COPY monitor_checks (${columns}) FROM '${file}'`));
  return (1_000 * MAX_IN_FLIGHT) / ms;
}
