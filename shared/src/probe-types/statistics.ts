/** Arithmetic mean; null of nothing. */
export function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The `ratio` quantile (0..1) by the nearest-rank method; null of nothing. */
export function percentileOf(values: readonly number[], ratio: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(ratio * sorted.length));
  return sorted[rank - 1] ?? null;
}

/** Mean deviation as ping prints it: sqrt(mean of squares - square of mean); null of nothing. */
export function deviationOf(values: readonly number[]): number | null {
  const mean = meanOf(values);
  if (mean === null) return null;
  const meanOfSquares = values.reduce((sum, value) => sum + value * value, 0) / values.length;
  return Math.sqrt(Math.max(0, meanOfSquares - mean * mean));
}

/** Rounds milliseconds to the microsecond: what a monotonic clock here can claim. */
export function roundMs(value: number): number;
export function roundMs(value: number | null): number | null;
export function roundMs(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000;
}
