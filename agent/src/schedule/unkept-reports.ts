import type { Clock } from '@vantage/shared/clock.js';
import type { SlotProgress } from './slot-plan.js';

/** Reports that the spool has and its disk has not: the next process would not know of them. */
export class UnkeptReports<M> {
  /** First slots of them, by monitor, in the order of the reports. */
  readonly #slots = new Map<M, number[]>();
  #whenNone: (() => void) | null = null;

  /**
   * Records that something was reported of a monitor from `firstSlot` on. @returns a function to call when it is
   * durable, or was declared as dropped
   */
  add(monitor: M, firstSlot: number): () => void {
    const slots = this.#slots.get(monitor) ?? [];
    slots.push(firstSlot);
    this.#slots.set(monitor, slots);
    return () => {
      slots.splice(slots.indexOf(firstSlot), 1);
      if (slots.length === 0) this.#slots.delete(monitor);
      if (this.#slots.size === 0) this.#whenNone?.();
    };
  }

  /** Resolves when no report is left, or after `timeoutMs`. */
  none(clock: Pick<Clock, 'after'>, timeoutMs: number): Promise<void> {
    if (this.#slots.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancelTimer = clock.after(timeoutMs, resolve);
      this.#whenNone = () => {
        cancelTimer();
        resolve();
      };
    });
  }

  /** The first slot of them; null if all reports of the monitor are on the disk. */
  oldest(monitor: M): number | null {
    const slots = this.#slots.get(monitor);
    return slots === undefined ? null : slots.reduce((least, slot) => Math.min(least, slot));
  }
}

/** Progress as the next process has to take it up, when reports from slot `unkept` on may be lost with this one. */
export function keptProgress({ done, running }: SlotProgress, unkept: number | null): SlotProgress {
  if (done === null || unkept === null) return { done, running };
  return { done: Math.min(done, unkept - 1, (running ?? unkept) - 1), running: null };
}
