import type { Direction, Line, Weather } from '../line.js';
import type { World } from '../world.js';
import { claims, type FaultKind, type Heal } from './fault.js';

const KBIT = 1_000 / 8;
const both: readonly Direction[] = ['up', 'down'];
const ways: Record<string, readonly Direction[]> = {
  'both ways': both,
  'towards the control plane': ['up'],
  'from the control plane': ['down'],
};

/** Blocks everything between an agent and all replicas, in both directions or one. */
export const agentPartition: FaultKind = {
  weight: 4,
  lastsMs: { least: 1_000, most: 25_000 },
  aim: ({ agents }, random) => {
    const index = random.integer(0, agents - 1);
    const name = random.pick(Object.keys(ways));
    return {
      says: `agent-${index + 1}, ${name}`,
      claims: [claims.agentLine(index)],
      inflict: (world) => change(agentLines(world, index), { isStalled: true }, ways[name] ?? both),
    };
  },
};

/** An agent and one replica of several do not hear each other: its links there are half-open, others are good. */
export const agentHalfOpen: FaultKind = {
  weight: 2,
  lastsMs: { least: 5_000, most: 25_000 },
  aim: ({ agents, replicas }, random) => {
    const index = random.integer(0, agents - 1);
    const replica = random.integer(0, replicas - 1);
    return {
      says: `agent-${index + 1} to replica-${replica + 1}`,
      claims: [claims.agentLine(index)],
      inflict: (world) => change(agentLines(world, index).slice(replica, replica + 1), { isStalled: true }, both),
    };
  },
};

/** All links of an agent are reset at once, or closed in good order. */
export const agentCut: FaultKind = {
  weight: 3,
  lastsMs: { least: 100, most: 200 },
  aim: ({ agents }, random) => {
    const index = random.integer(0, agents - 1);
    const by = random.pick(['rst', 'fin'] as const);
    return {
      says: `agent-${index + 1}, by ${by}`,
      claims: [claims.agentLine(index)],
      inflict: async (world) => {
        for (const line of agentLines(world, index)) line.cut(by);
        return async () => {};
      },
    };
  },
};

/** Each direction takes a second. */
export const agentLatency = weatherOfAgent({ latencyMs: 1_000, jitterMs: 100 }, 2);
/** 64 kbit/s each way. */
export const agentNarrow = weatherOfAgent({ bytesPerSecond: 64 * KBIT }, 2);
/** Frames come in pieces of 7 bytes, and a connection breaks off in the middle of one. */
export const agentSliced = weatherOfAgent({ sliceBytes: 7, cutAfterBytes: 20_000 }, 1);

/** A replica's database does not answer, or does not hear: connections stay as they are. */
export const databasePartition: FaultKind = {
  weight: 2,
  lastsMs: { least: 1_000, most: 25_000 },
  aim: ({ replicas }, random) => {
    const index = random.integer(0, replicas - 1);
    const name = random.pick(Object.keys(ways));
    return {
      says: `replica-${index + 1}, ${name.replace('the control plane', 'PostgreSQL')}`,
      claims: [claims.replicaLine(index)],
      inflict: (world) => {
        const lines = world.replicas.slice(index, index + 1).map(({ line }) => line);
        return change(lines, { isStalled: true }, ways[name] ?? both);
      },
    };
  },
};

function weatherOfAgent(weather: Partial<Weather>, weight: number): FaultKind {
  return {
    weight,
    lastsMs: { least: 5_000, most: 30_000 },
    aim: ({ agents }, random) => {
      const index = random.integer(0, agents - 1);
      return {
        says: `agent-${index + 1}`,
        claims: [claims.agentLine(index)],
        inflict: (world) => change(agentLines(world, index), weather, both),
      };
    },
  };
}

async function change(
  lines: readonly Line[],
  weather: Partial<Weather>,
  directions: readonly Direction[],
): Promise<Heal> {
  for (const line of lines) line.set(weather, directions);
  return async () => {
    for (const line of lines) line.heal();
  };
}

function agentLines({ agents }: World, index: number): readonly Line[] {
  return agents[index]?.lines ?? [];
}
