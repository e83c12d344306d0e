import type { SeededRandom } from '../../seeded-random.js';
import type { World } from '../world.js';

/** Numbers of the parts that can be broken. */
export interface Shape {
  readonly agents: number;
  readonly replicas: number;
}

/** Undoes a fault. Whatever it finds, it leaves the world as good as new. */
export type Heal = () => Promise<void>;

/** A fault that knows what it will break. */
export interface Strike {
  /** One line for people, without the fault's name: `agent-2`. */
  readonly says: string;
  /** Things that no other fault may break meanwhile. */
  readonly claims: readonly string[];
  /** Breaks it; resolves with how to mend it once it is broken. */
  inflict(world: World): Promise<Heal>;
}

/** A way to break something. */
export interface FaultKind {
  /** Weight in the draw, relative to the others. */
  readonly weight: number;
  readonly lastsMs: { readonly least: number; readonly most: number };
  /** Chooses what to break: the same for the same `random`. */
  aim(shape: Shape, random: SeededRandom): Strike;
}

/**
 * The claim on an agent's process, its link, its spool's disk, what the control plane is sent about its node, a replica's
 * process, its wire to PostgreSQL, PostgreSQL, or the enrollment of strangers.
 */
export const claims = {
  agent: (index: number) => `agent ${index}`,
  disk: (index: number) => `disk of agent ${index}`,
  node: (index: number) => `node of agent ${index}`,
  agentLine: (index: number) => `line of agent ${index}`,
  replica: (index: number) => `replica ${index}`,
  replicaLine: (index: number) => `line of replica ${index}`,
  database: 'database',
  enrollment: 'enrollment',
};
