/** One-line warning for a result that was measured late; null for every other result. */
export function disturbedNote({ disturbed, loop_lag_ms: lagMs }: Readonly<Record<string, unknown>>): string | null {
  if (disturbed !== true) return null;
  return `disturbed, the node was ${Math.round(Number(lagMs))} ms late while it measured; times may be too high`;
}
