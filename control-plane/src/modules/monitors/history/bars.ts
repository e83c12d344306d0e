import type { Interval } from '../definition/interval.js';
import { coveredMs, unionOf } from './interval-union.js';
import type { AllEpisodes } from './uptime-store.js';

/** States of a monitor in a cell of a bar, in milliseconds; together they are the part of the cell that has passed. */
export interface Cell {
  readonly up: number;
  readonly degraded: number;
  readonly down: number;
  /** Paused, or before the first check. */
  readonly unknown: number;
  readonly maintenance: number;
}

interface BarInput {
  /** Start of the first cell, and the length and number of cells; milliseconds. */
  readonly fromMs: number;
  readonly cellMs: number;
  readonly cells: number;
  readonly nowMs: number;
  readonly firstCheckMs: number | null;
  readonly episodes: AllEpisodes;
  readonly maintained: readonly Interval[];
}

/** States of a monitor over time, from the exact beginnings and ends of its events. Maintenance comes before all others, an outage before a degradation. */
export function barOf({ fromMs, cellMs, cells, nowMs, firstCheckMs, episodes, maintained }: BarInput): Cell[] {
  const end = fromMs + cells * cellMs;
  const before = { fromMs, toMs: Math.min(firstCheckMs ?? end, end) };
  const maintenance = unionOf(maintained);
  const unknown = unionOf([...episodes.pauses, ...(before.fromMs < before.toMs ? [before] : [])]);
  const down = unionOf(episodes.downs);
  const layers = [maintenance, unknown, down, unionOf(episodes.degradations)];
  // what each layer covers beyond those above it: the union with them, less the union of these
  const unions = layers.map((_, index) => unionOf(layers.slice(0, index + 1).flat()));
  return Array.from({ length: cells }, (_, index) => {
    const range = { fromMs: fromMs + index * cellMs, toMs: Math.min(fromMs + (index + 1) * cellMs, nowMs) };
    const passed = Math.max(0, range.toMs - range.fromMs);
    if (passed === 0) return { up: 0, degraded: 0, down: 0, unknown: 0, maintenance: 0 };
    const [first = 0, second = 0, third = 0, all = 0] = unions.map((union) => coveredMs(union, range));
    return {
      up: passed - all,
      degraded: all - third,
      down: third - second,
      unknown: second - first,
      maintenance: first,
    };
  });
}
