/** Part of the duration of a measurement from which on a delay of the node counts. */
const GOOD_PART = 0.1;

interface Measured {
  /** Place of the node, for people. */
  readonly place: string;
  readonly result: Readonly<Record<string, unknown>>;
}

/** True if a node was late by a good part of what it measured: its times may be too high. */
export function isMuchDisturbed({ disturbed, loop_lag_ms, duration_ms }: Measured['result']): boolean {
  if (disturbed !== true) return false;
  return typeof duration_ms !== 'number' || Number(loop_lag_ms) >= GOOD_PART * duration_ms;
}

/** One line about the nodes that were late by a good part of what they measured; null if none was. */
export function disturbedNote(measured: readonly Measured[]): string | null {
  const late = measured.filter(({ result }) => isMuchDisturbed(result));
  if (late.length === 0) return null;
  const texts = late.map(({ place, result }) => `${place} (${Math.round(Number(result['loop_lag_ms']))} ms)`);
  return `disturbed, times may be too high; late while measuring: ${texts.join('; ')}`;
}
