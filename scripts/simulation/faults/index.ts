import type { SeededRandom } from '../../seeded-random.js';
import type { Site } from '../site.js';
import { agentFaults } from './agents.js';
import { banFaults } from './bans.js';
import { databaseFaults } from './database.js';
import type { Fault } from './fault.js';
import { longPartition, networkFaults } from './network.js';
import { replicaFaults } from './replicas.js';

/** All faults. A new one is a line here, or in one of these. */
export const faults: readonly Fault[] = [
  ...networkFaults,
  ...agentFaults,
  ...replicaFaults,
  ...databaseFaults,
  ...banFaults,
];

/**
 * Breaks things at random times until asked to mend them all. A run has some of the faults, often; not a little of each.
 * `only` names those it has; null allows any.
 */
export class Trouble {
  readonly #site: Site;
  readonly #random: SeededRandom;
  readonly #chosen: readonly Fault[];
  readonly #mends = new Set<() => void>();
  #isOver = false;

  constructor(
    site: Site,
    private readonly meanMs: number,
    only: readonly string[] | null,
  ) {
    this.#site = site;
    this.#random = site.world.random.fork();
    const wanted = only === null ? faults : [...faults, longPartition].filter(({ name }) => only.includes(name));
    const chosen = wanted.filter(() => only !== null || this.#random.chance(0.3));
    this.#chosen = chosen.length > 0 ? chosen : [this.#random.pick(wanted)];
  }

  start(): void {
    this.#site.world.after(this.#random.between(0, 2 * this.meanMs), () => {
      if (this.#isOver) return;
      this.#begin(this.#random.pick(this.#chosen));
      this.start();
    });
  }

  /** Mends everything, now. */
  end(): void {
    this.#isOver = true;
    for (const mend of this.#mends) mend();
    this.#mends.clear();
  }

  #begin({ name, lastsMs: [least, most], begin }: Fault): void {
    const { world } = this.#site;
    const mend = begin(this.#site, this.#random);
    if (mend === null) return;
    world.trace.add('fault', name);
    this.#mends.add(mend);
    world.after(this.#random.magnitude(least, most), () => {
      if (!this.#mends.delete(mend)) return;
      world.trace.add('mended', name);
      mend();
    });
  }
}
