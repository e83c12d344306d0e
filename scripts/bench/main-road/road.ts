import type { Usage } from './usage.js';

/** Kinds of processes whose cost is told apart; every process is of one kind. */
export const processKinds = [
  'control plane',
  'PostgreSQL',
  'agent',
  'measuring child',
  'load generator',
  'target',
] as const;
export type ProcessKind = (typeof processKinds)[number];
export type RoadKind = Exclude<ProcessKind, 'load generator' | 'target'>;

/** Programs that take a probe from request to result. */
export interface Road {
  readonly name: 'vantage' | 'bare road';
  readonly url: string;
  /** Usage of the processes of each kind so far. */
  usage(): Readonly<Record<RoadKind, Usage>>;
  /** Process ids of the Node.js programs. */
  programs(): readonly number[];
  /** Starts agents until there are as many, all of them connected. */
  haveAgents(count: number): Promise<void>;
}
