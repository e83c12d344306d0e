import { generateKeyPairSync } from 'node:crypto';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import { type Logger, pino } from 'pino';
import type { SeededRandom } from '../seeded-random.js';
import { BusHub } from './bus-hub.js';
import { DatabaseServer } from './database/server.js';
import { Network } from './network.js';
import { Recorder } from './recorder.js';
import { SimulatedAgent } from './simulated-agent.js';
import { SimulatedReplica } from './simulated-replica.js';
import type { SiteContext } from './site-context.js';
import type { World } from './world.js';

/** All parts of one run. */
export class Site implements SiteContext {
  readonly recorder: Recorder;
  readonly network: Network;
  readonly database: DatabaseServer;
  readonly bus: BusHub;
  readonly replicas: readonly SimulatedReplica[];
  readonly agents: readonly SimulatedAgent[];
  readonly audience = 'http://control.test';
  readonly serverIdentity;
  /** Lines that the programs have logged. */
  readonly logged: string[] = [];
  readonly #random: SeededRandom;
  readonly #log = this.#newLog();

  constructor(readonly world: World) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.serverIdentity = { privateKey, publicKey: rawPublicKey(publicKey), serverPublicKey: publicKey };
    this.#random = world.random.fork();
    this.recorder = new Recorder(world);
    this.network = new Network(world, this.recorder);
    this.database = new DatabaseServer(world);
    this.bus = new BusHub(world);
    const replicaCount = this.#random.integer(1, 3);
    this.replicas = Array.from(
      { length: replicaCount },
      (_, index) => new SimulatedReplica(this, `replica${index + 1}`),
    );
    this.agents = Array.from({ length: this.#random.integer(2, 4) }, (_, index) => this.#newAgent(index));
  }

  start(): void {
    for (const { nodeId, publicKey } of this.agents) {
      this.database.tables.nodes.set(nodeId, {
        id: nodeId,
        publicKey,
        generation: 0,
        bootId: null,
        opening: 0,
        bootOpening: 0,
        bootSeenAt: null,
        sessionId: null,
        replicaId: null,
        lostAfter: null,
        bannedAt: null,
        quarantinedAt: null,
        updatedAt: this.database.nowMs,
        revision: (this.database.tables.revision += 1),
      });
    }
    for (const part of [...this.replicas, ...this.agents]) part.start();
  }

  controlUrls(random: SeededRandom): string[] {
    const urls = this.replicas.map(({ url }) => url);
    return [...urls].sort(() => random.next() - 0.5);
  }

  logOf(name: string): Logger {
    return this.#log.child({ name });
  }

  #newLog(): Logger {
    const write = (line: string) => {
      this.logged.push(line);
      if (this.world.trace.isPrinted) process.stdout.write(`             ${line}`);
    };
    return pino({ level: 'info', base: null, timestamp: false }, { write });
  }

  #newAgent(index: number): SimulatedAgent {
    const random = this.#random.fork();
    const nodeId = newId(idPrefixes.node, this.world.wallMs + index, random.bytes(10));
    // some have so little space that they have to drop rows
    const limits = random.chance(0.2)
      ? { maxBytes: 8_192, maxPendingBytes: 4_096 }
      : { maxBytes: 1 << 20, maxPendingBytes: 1 << 18 };
    return new SimulatedAgent(this, nodeId, limits);
  }
}
