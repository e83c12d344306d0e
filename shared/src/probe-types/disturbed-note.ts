/** What a reader must know of a result that was measured late, as one line; null for every other. */
export function disturbedNote({ disturbed, loop_lag_ms: lagMs }: Readonly<Record<string, unknown>>): string | null {
  if (disturbed !== true) return null;
  return `disturbed, the node was ${Math.round(Number(lagMs))} ms late while it measured; times may be too high`;
}
