import type { Abuse } from './abuse.js';

/** One enrolled node, as a fleet needs it to connect. */
export interface FleetNode {
  readonly nodeId: string;
  /** Ed25519, PKCS #8, base64. */
  readonly privateKey: string;
}

/** Orders to a fleet. Each is answered by one `FleetDone` with the same id. */
export type FleetOrder = { readonly id: number } & (
  | /** Nodes of the fleet, FleetNode[] as JSON, and the URL that they link to. */
  { readonly kind: 'begin'; readonly url: string; readonly nodesFile: string }
  /** Connects agents from `first` on; whenever a link ends they come back by themselves. */
  | { readonly kind: 'connect'; readonly first: number; readonly count: number }
  /** Prepares results for the node tasks in a file, string[][]: one list for each agent. */
  | { readonly kind: 'prepare'; readonly tasksFile: string }
  /** Sends what was prepared, within credits; done when all of it is acknowledged. */
  | { readonly kind: 'deliver' }
  /** Sends the same again. */
  | { readonly kind: 'repeat' }
  /** Sends `frames` small frames that want no answer, over the first `agents` links. */
  | { readonly kind: 'flood'; readonly agents: number; readonly frames: number }
  /** One agent sends frames of a kind that no honest one would send so fast. */
  | { readonly kind: 'abuse'; readonly agent: number; readonly how: Abuse; readonly seconds: number }
  /** Done once every agent is open. */
  | { readonly kind: 'reopened' }
  /** Results of the node tasks in a file, string[], one by one from the first `agents` in turns. */
  | { readonly kind: 'trickle'; readonly agents: number; readonly tasksFile: string; readonly perSecond: number }
);

/** Reply of a fleet. */
export interface FleetDone {
  readonly id: number;
  /** Time from the order to its end, in milliseconds. */
  readonly tookMs: number;
  /** Agents, rows or frames, whatever the order is about. */
  readonly count: number;
  /** Time of the end, milliseconds since the epoch. */
  readonly at: number;
}
