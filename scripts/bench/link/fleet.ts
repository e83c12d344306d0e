import { once } from 'node:events';
import { BenchError, type Stops } from '../harness.js';
import { startChild } from '../programs.js';

/** One enrolled node, as a fleet needs it to connect. */
export interface FleetNode {
  readonly nodeId: string;
  /** Ed25519, PKCS #8, base64. */
  readonly privateKey: string;
}

/** Order to a fleet, one at a time; each is answered by the milliseconds that it took. */
export type FleetOrder =
  /** Connects all agents; they reconnect by themselves when a link ends. */
  | { readonly kind: 'connect' }
  /** Prepares results for the node tasks in a file, string[][]: one list for each agent. */
  | { readonly kind: 'prepare'; readonly tasksFile: string }
  /** Sends what was prepared, within credits, until all of it is acknowledged; once more if it was sent before. */
  | { readonly kind: 'deliver' }
  /** Waits until every agent is connected. */
  | { readonly kind: 'reopened' };

/** Agents in a process of their own. */
export interface Fleet {
  /** Sends an order, and returns how many milliseconds it took. @throws BenchError when the fleet ends before */
  order(order: FleetOrder): Promise<number>;
}

/** Starts a fleet of the nodes in a file, FleetNode[] as JSON, which link to `url`. */
export async function startFleet(url: string, nodesFile: string, stops: Stops): Promise<Fleet> {
  const script = new URL('./fleet-process.js', import.meta.url);
  const { child } = await startChild(script, [url, nodesFile], { stops });
  const ended = once(child, 'exit').then(() => {
    throw new BenchError('the fleet ended');
  });
  ended.catch(() => undefined);
  return {
    async order(order) {
      child.send(order);
      const [tookMs] = (await Promise.race([once(child, 'message'), ended])) as [number];
      return tookMs;
    },
  };
}
