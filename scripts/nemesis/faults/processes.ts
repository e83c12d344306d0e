import type { AgentUnit } from '../agent-unit.js';
import type { Unit } from '../unit.js';
import { type World, waitFor } from '../world.js';
import { claims, type FaultKind, type Heal, type Shape } from './fault.js';

/** A replica has to be ready again within this. */
const READY_MS = 240_000;

type Break = (unit: Unit) => Promise<Heal>;
type AgentBreak = (agent: AgentUnit) => Promise<Heal>;

const killed: Break = async (unit) => {
  await unit.kill();
  return async () => unit.start();
};

const terminated: Break = async (unit) => {
  await unit.terminate();
  return async () => unit.start();
};

const stopped: Break = async (unit) => {
  unit.pause();
  return async () => unit.resume();
};

/** Reads the disk of an agent that is down before it goes on. */
const witnessed =
  (act: Break): AgentBreak =>
  async (agent) => {
    const heal = await act(agent.unit);
    await agent.witnessSpool();
    return heal;
  };

/** kill -9; started again afterwards. */
export const agentKilled = ofAgents(witnessed(killed), { weight: 4, lastsMs: { least: 100, most: 8_000 } });
/** SIGTERM; started again afterwards. */
export const agentTerminated = ofAgents(witnessed(terminated), { weight: 2, lastsMs: { least: 100, most: 5_000 } });
/** SIGSTOP of all its processes, then SIGCONT: a machine that was suspended. */
export const agentStopped = ofAgents(({ unit }) => stopped(unit), {
  weight: 3,
  lastsMs: { least: 1_000, most: 30_000 },
});
/** kill -9; started again afterwards. */
export const replicaKilled = ofReplicas(killed, { weight: 4, lastsMs: { least: 100, most: 15_000 } });
/** SIGTERM; started again afterwards. */
export const replicaTerminated = ofReplicas(terminated, { weight: 2, lastsMs: { least: 100, most: 10_000 } });
/** SIGSTOP, then SIGCONT: it wakes with what it held. */
export const replicaStopped = ofReplicas(stopped, { weight: 3, lastsMs: { least: 1_000, most: 30_000 } });

/** One replica after another is terminated and started again, each once the one before is ready. */
export const replicasRolling: FaultKind = {
  weight: 1,
  // time for the restart, during which no other fault hits them
  lastsMs: { least: 25_000, most: 35_000 },
  aim: ({ replicas }) => ({
    says: 'all of them',
    claims: Array.from({ length: replicas }, (_, index) => claims.replica(index)),
    inflict: async (world) => {
      for (const replica of world.replicas) {
        await replica.unit.terminate();
        replica.unit.start();
        // the database may be unavailable as well: healing continues to wait
        await waitFor('a restarted replica', READY_MS, () => replica.isReady).catch(() => {});
      }
      return async () => {};
    },
  }),
};

function ofAgents(act: AgentBreak, kind: Pick<FaultKind, 'weight' | 'lastsMs'>): FaultKind {
  return {
    ...kind,
    aim: ({ agents }, random) => {
      const index = random.integer(0, agents - 1);
      return {
        says: `agent-${index + 1}`,
        claims: [claims.agent(index)],
        inflict: (world) => act(agentOf(world, index)),
      };
    },
  };
}

function ofReplicas(act: Break, kind: Pick<FaultKind, 'weight' | 'lastsMs'>): FaultKind {
  return {
    ...kind,
    aim: ({ replicas }: Shape, random) => {
      const index = random.integer(0, replicas - 1);
      const inflict = (world: World) => act(replicaOf(world, index));
      return { says: `replica-${index + 1}`, claims: [claims.replica(index)], inflict };
    },
  };
}

function agentOf({ agents }: World, index: number): AgentUnit {
  const agent = agents[index];
  if (agent === undefined) throw new RangeError(`there is no agent ${index}`);
  return agent;
}

function replicaOf({ replicas }: World, index: number): Unit {
  const replica = replicas[index];
  if (replica === undefined) throw new RangeError(`there is no replica ${index}`);
  return replica.unit;
}
