import type { Clock } from '@vantage/shared/clock.js';
import { DueHeap } from './due-heap.js';

/** A check in flight, by its slot; the object itself is its name. */
export interface RunningCheck {
  /** Due time of the check, server time. */
  readonly slotMs: number;
}

/** Checks in flight, and which of them was due first. */
export class RunningChecks {
  readonly #clock: Clock;
  readonly #running = new Set<RunningCheck>();
  readonly #bySlot = new DueHeap<RunningCheck>();
  #whenIdle: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Due time of the oldest one, server time; null if none runs. */
  get oldestSlotMs(): number | null {
    for (let first = this.#bySlot.first; first !== null; first = this.#bySlot.first) {
      if (this.#running.has(first.item)) return first.dueMs;
      this.#bySlot.pop();
    }
    return null;
  }

  add(check: RunningCheck): void {
    this.#running.add(check);
    this.#bySlot.add(check.slotMs, check);
  }

  remove(check: RunningCheck): void {
    this.#running.delete(check);
    if (this.#running.size > 0) return;
    this.#bySlot.clear();
    this.#whenIdle?.();
  }

  /** Resolves when none runs, or after `timeoutMs`. */
  idle(timeoutMs: number): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancelTimer = this.#clock.after(timeoutMs, resolve);
      this.#whenIdle = () => {
        cancelTimer();
        resolve();
      };
    });
  }
}
