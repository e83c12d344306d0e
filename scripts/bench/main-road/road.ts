import type { Usage } from '../processes.js';

/** Kinds of processes whose cost is distinguished; every process is of one kind. */
export const processKinds = [
  'control plane',
  'PostgreSQL',
  'agent',
  'measuring child',
  'load generator',
  'target',
] as const;
export type ProcessKind = (typeof processKinds)[number];
type RoadKind = Exclude<ProcessKind, 'load generator' | 'target'>;

/** Names of the roads, in the order of the tables. */
export const roadNames = ['vantage', 'bare road'] as const;
export type RoadName = (typeof roadNames)[number];

/** Programs that take a probe from request to result. */
export interface Road {
  readonly name: RoadName;
  readonly url: string;
  /** Usage of the processes of each kind so far. */
  usage(): Readonly<Record<RoadKind, Usage>>;
  /** Starts agents until there are as many, all of them connected. */
  haveAgents(count: number): Promise<void>;
}
