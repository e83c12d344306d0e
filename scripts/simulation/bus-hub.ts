import type { Bus, BusMessage } from 'vantage-control/bus/bus.js';
import type { SeededRandom } from '../seeded-random.js';
import type { SimulatedProcess } from './process.js';
import type { World } from './world.js';

/** Carries messages between replicas, at most once. */
export class BusHub {
  /** Share of messages that no one gets. */
  lossRatio = 0;
  readonly #members = new Map<string, BusMember>();
  readonly #world: World;
  readonly random: SeededRandom;

  constructor(world: World) {
    this.#world = world;
    this.random = world.random.fork();
  }

  /** The bus as one replica has it. */
  join(process: SimulatedProcess, replicaId: string): Bus {
    const member = new BusMember(process, (receiverId, message) => this.#carry(replicaId, receiverId, message));
    this.#members.set(replicaId, member);
    process.onDeath(() => this.#members.delete(replicaId));
    return member;
  }

  /** Every replica's connection comes back. */
  heal(): void {
    this.lossRatio = 0;
    for (const member of this.#members.values()) member.resync();
  }

  #carry(senderId: string, receiverId: string | null, message: BusMessage): void {
    const receivers = [...this.#members].filter(([id]) => (receiverId === null ? id !== senderId : id === receiverId));
    for (const [, receiver] of receivers) {
      if (this.random.chance(this.lossRatio)) continue;
      this.#world.carry(this.random.between(0.5, 3), () => receiver.receive(message));
    }
  }
}

class BusMember implements Bus {
  readonly #process: SimulatedProcess;
  readonly #carry: (receiverId: string | null, message: BusMessage) => void;
  readonly #messageListeners: ((message: BusMessage) => void)[] = [];
  readonly #resyncListeners: (() => void)[] = [];

  constructor(process: SimulatedProcess, carry: (receiverId: string | null, message: BusMessage) => void) {
    this.#process = process;
    this.#carry = carry;
  }

  send(replicaId: string, message: BusMessage): void {
    this.#carry(replicaId, message);
  }

  broadcast(message: BusMessage): void {
    this.#carry(null, message);
  }

  onMessage(listener: (message: BusMessage) => void): void {
    this.#messageListeners.push(listener);
  }

  onResync(listener: () => void): void {
    this.#resyncListeners.push(listener);
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  receive(message: BusMessage): void {
    this.#process.after(0, () => {
      for (const listener of this.#messageListeners) listener(message);
    });
  }

  resync(): void {
    this.#process.after(0, () => {
      for (const listener of this.#resyncListeners) listener();
    });
  }
}
