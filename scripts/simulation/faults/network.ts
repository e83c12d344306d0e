import type { SeededRandom } from '../../seeded-random.js';
import type { Site } from '../site.js';
import type { Way } from '../way.js';
import type { Fault } from './fault.js';

/** One way, or all of them. */
function someWays(site: Site, random: SeededRandom): readonly Way[] {
  const ways = site.agents.map(({ nodeId }) => site.network.wayOf(nodeId));
  return random.chance(0.2) ? ways : [random.pick(ways)];
}

function mend(ways: readonly Way[]): () => void {
  return () => {
    for (const way of ways) way.unblock();
  };
}

function slowDown(ways: readonly Way[], change: Partial<Pick<Way, 'latencyMs' | 'jitterMs' | 'bytesPerSecond'>>) {
  for (const way of ways) Object.assign(way, change);
  return () => {
    for (const way of ways)
      Object.assign(way, { latencyMs: 20, jitterMs: 5, bytesPerSecond: Number.POSITIVE_INFINITY });
  };
}

/** Blocks everything between agents and control planes. */
const partition: Fault = {
  name: 'partition',
  lastsMs: [1_000, 90_000],
  begin: (site, random) => {
    const ways = someWays(site, random);
    for (const way of ways) way.block('up', 'down');
    return mend(ways);
  },
};

/** Loses the messages of one direction while those of the other get through. */
const oneWay: Fault = {
  name: 'one-directional',
  lastsMs: [1_000, 90_000],
  begin: (site, random) => {
    const ways = someWays(site, random);
    const direction = random.pick(['up', 'down'] as const);
    for (const way of ways) way.block(direction);
    return mend(ways);
  },
};

const slow: Fault = {
  name: 'two seconds of latency',
  lastsMs: [2_000, 30_000],
  begin: (site, random) => slowDown(someWays(site, random), { latencyMs: 2_000, jitterMs: 500 }),
};

const narrow: Fault = {
  name: '64 kbit/s',
  lastsMs: [2_000, 30_000],
  begin: (site, random) => slowDown(someWays(site, random), { bytesPerSecond: 8_000 }),
};

const reset: Fault = {
  name: 'connection reset',
  lastsMs: [1, 2],
  begin: (site, random) => {
    const { connections } = site.network;
    if (connections.length === 0) return null;
    site.network.reset(random.pick(connections));
    return () => undefined;
  },
};

/** One end is gone, and the other never hears of it. */
const halfOpen: Fault = {
  name: 'half-open connection',
  lastsMs: [1, 2],
  begin: (site, random) => {
    const { connections } = site.network;
    if (connections.length === 0) return null;
    const { agent, server } = random.pick(connections);
    for (const end of random.pick([[agent], [server], [agent, server]])) end.lose();
    return () => undefined;
  },
};

/** Longer than a run has time for, unless it is given some. */
export const longPartition: Fault = { ...partition, name: 'partition of an hour', lastsMs: [3_600_000, 3_600_001] };

export const networkFaults: readonly Fault[] = [partition, oneWay, slow, narrow, reset, halfOpen];
