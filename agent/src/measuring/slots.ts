/** What all probes in flight together may cost; measured: 100 plain ones keep timings within 5 % (one core of two). */
export const SLOT_UNITS = 100;
/** Probes waiting for a slot at most; one more is answered `overload` at once. */
export const MAX_WAITING = 1000;

/** Gives a slot back, or the place in the queue; calling it again does nothing. */
export type Leave = () => void;

interface Waiter {
  readonly units: number;
  readonly begin: () => void;
}

/** Room for probes, counted in units of CPU and handed out in order of arrival: a large probe is never overtaken. */
export class Slots {
  #freeUnits: number;
  readonly #capacityUnits: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiter>();

  constructor(capacityUnits = SLOT_UNITS, maxWaiting = MAX_WAITING) {
    this.#freeUnits = capacityUnits;
    this.#capacityUnits = capacityUnits;
    this.#maxWaiting = maxWaiting;
  }

  /** Probes that hold no slot yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Calls `begin` at once where there is room, later where there is a queue. Null: the queue is full, `begin` never comes. */
  enter(units: number, begin: (leave: Leave) => void): Leave | null {
    const wanted = Math.min(units, this.#capacityUnits);
    const isRoom = this.#waiting.size === 0 && wanted <= this.#freeUnits;
    if (!isRoom && this.#waiting.size >= this.#maxWaiting) return null;
    const waiter: Waiter = { units: wanted, begin: () => begin(leave) };
    const leave = this.#leaver(waiter);
    this.#waiting.add(waiter);
    if (isRoom) this.#admit();
    return leave;
  }

  #leaver(waiter: Waiter): Leave {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      if (!this.#waiting.delete(waiter)) this.#freeUnits += waiter.units;
      this.#admit();
    };
  }

  #admit(): void {
    for (const waiter of this.#waiting) {
      if (waiter.units > this.#freeUnits) return;
      this.#waiting.delete(waiter);
      this.#freeUnits -= waiter.units;
      waiter.begin();
    }
  }
}
