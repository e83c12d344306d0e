import { FairQueue } from './fair-queue.js';

/** Greatest total cost of all probes in flight; measured: 100 plain ones keep timings within 5 % (one core of two). */
export const SLOT_UNITS = 100;
/** Probes waiting for a slot at most; with one more, the caller that has the most waiting loses its last. */
export const MAX_WAITING = 1000;

/** Releases a slot, or the place in the queue; calling it again does nothing. */
export type Leave = () => void;

/** A probe that wants to begin. */
export interface SlotRequest {
  /** Caller that takes turns with others. */
  readonly caller: string;
  readonly type: string;
  /** CPU, in units of one plain probe; more than there is counts as all there is. */
  readonly units: number;
  /** Probes of its type in flight at most. */
  readonly maxConcurrent: number;
  /** Called when the probe may start: at most once, and never after its Leave. */
  readonly begin: (leave: Leave) => void;
  /** Called instead when the queue has no space left. */
  readonly refuse: () => void;
}

export interface SlotsOptions {
  readonly capacityUnits?: number;
  readonly maxWaiting?: number;
  /** True if the process keeps up with what runs; while it does not, nothing starts alongside something else. */
  readonly isKeepingUp?: () => boolean;
}

interface Place {
  readonly caller: string;
  readonly units: number;
  readonly request: SlotRequest;
  readonly leave: Leave;
  state: 'waiting' | 'running' | 'gone';
}

/**
 * Room for probes: units of CPU for all of them, a number for each type. Callers take turns; within one, the first of a
 * type to come is the first to begin. The caller whose turn it is gets the next room that is large enough, so that a large probe
 * is never overtaken by small ones; only a type at its bound lets the others pass.
 */
export class Slots {
  readonly #capacityUnits: number;
  readonly #maxWaiting: number;
  readonly #isKeepingUp: () => boolean;
  readonly #queue = new FairQueue<Place>();
  readonly #running = new Map<string, number>();
  #usedUnits = 0;

  constructor({ capacityUnits = SLOT_UNITS, maxWaiting = MAX_WAITING, isKeepingUp = () => true }: SlotsOptions = {}) {
    this.#capacityUnits = capacityUnits;
    this.#maxWaiting = maxWaiting;
    this.#isKeepingUp = isKeepingUp;
  }

  /** Probes that hold no slot yet. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Starts a probe at once where a slot is free, or queues it; refuses it where the queue is full. */
  enter(request: SlotRequest): Leave {
    const { caller } = request;
    const units = Math.min(request.units, this.#capacityUnits);
    const place: Place = { caller, units, request, state: 'waiting', leave: () => this.#leave(place) };
    this.#queue.add(place);
    this.admit();
    if (this.#queue.size > this.#maxWaiting) this.#refuse(this.#queue.surplus(place));
    return place.leave;
  }

  /** Starts the probes that may start; to be called when the process keeps up again. */
  admit(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#queue.take(next);
      next.state = 'running';
      this.#count(next, 1);
      next.request.begin(next.leave);
    }
  }

  #next(): Place | null {
    if (this.#running.size > 0 && !this.#isKeepingUp()) return null;
    const next = this.#queue.next(({ request }) => this.#runningOf(request.type) < request.maxConcurrent);
    return next !== null && this.#usedUnits + next.units <= this.#capacityUnits ? next : null;
  }

  #leave(place: Place): void {
    const { state } = place;
    place.state = 'gone';
    if (state === 'waiting') this.#queue.remove(place);
    if (state === 'running') this.#count(place, -1);
    if (state !== 'gone') this.admit();
  }

  #refuse(place: Place): void {
    place.state = 'gone';
    this.#queue.remove(place);
    place.request.refuse();
    // it may have been the large job that blocked all others
    this.admit();
  }

  #count({ request: { type }, units }: Place, change: 1 | -1): void {
    const running = this.#runningOf(type) + change;
    if (running === 0) this.#running.delete(type);
    else this.#running.set(type, running);
    // sums of fractions may not be exactly zero
    this.#usedUnits = this.#running.size === 0 ? 0 : this.#usedUnits + change * units;
  }

  #runningOf(type: string): number {
    return this.#running.get(type) ?? 0;
  }
}
