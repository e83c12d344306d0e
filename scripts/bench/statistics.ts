/** Several measurements of one figure: the median of the rounds, and its range. */
export interface Figure {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The `ratio` quantile (0..1) of unsorted values, nearest rank. */
export function quantile(values: readonly number[], ratio: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(ratio * sorted.length) - 1)] ?? Number.NaN;
}

/** Median of unsorted values, nearest rank. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** A figure over rounds. */
export function figureOf(rounds: readonly number[]): Figure {
  return { median: median(rounds), least: Math.min(...rounds), most: Math.max(...rounds) };
}

/** `1.32 (1.28 to 1.40)` */
export function figureText({ median, least, most }: Figure, digits = 2): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}

/** Milliseconds that work takes. */
export async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
