/** Event with its time. */
export interface SimulatedEvent {
  readonly atMs: number;
  /** Order of planning, which decides between events at one time. */
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
  /** True if the event may resolve a promise. */
  readonly isSettling: boolean;
}

/** Events by time: a binary heap. */
export class EventQueue {
  readonly #heap: SimulatedEvent[] = [];

  get size(): number {
    return this.#heap.length;
  }

  push(event: SimulatedEvent): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || !isBefore(event, parent)) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = event;
  }

  /** Removes and returns the next event; undefined when there is none. */
  pop(): SimulatedEvent | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    this.#sink(last);
    return first;
  }

  #sink(event: SimulatedEvent): void {
    const heap = this.#heap;
    let index = 0;
    while (true) {
      let childIndex = 2 * index + 1;
      let child = heap[childIndex];
      const right = heap[childIndex + 1];
      if (child !== undefined && right !== undefined && isBefore(right, child)) {
        child = right;
        childIndex += 1;
      }
      if (child === undefined || !isBefore(child, event)) break;
      heap[index] = child;
      index = childIndex;
    }
    heap[index] = event;
  }
}

function isBefore(a: SimulatedEvent, b: SimulatedEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
