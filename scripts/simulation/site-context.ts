import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { SeededRandom } from '../seeded-random.js';
import type { BusHub } from './bus-hub.js';
import type { DatabaseServer } from './database/server.js';
import type { Network } from './network.js';
import type { Recorder } from './recorder.js';
import type { World } from './world.js';

/** The parts of a site that its agents and replicas use. */
export interface SiteContext {
  readonly world: World;
  readonly recorder: Recorder;
  readonly network: Network;
  readonly database: DatabaseServer;
  readonly bus: BusHub;
  readonly audience: string;
  readonly serverIdentity: {
    readonly privateKey: KeyObject;
    readonly publicKey: Buffer;
    readonly serverPublicKey: KeyObject;
  };
  /** The addresses an agent was given: all of them, each in an order of its own. */
  controlUrls(random: SeededRandom): string[];
  /** A log whose lines are kept for a search for what must not be in them. */
  logOf(name: string): Logger;
}
