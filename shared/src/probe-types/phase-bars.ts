/** A phase of a request and its duration; null if it did not happen, or did not end. */
export interface Phase {
  readonly name: string;
  readonly title: string;
  readonly ms: number | null;
}

/** A phase as a bar, by its place on a scale from 0 to 1. */
export interface PhaseBar {
  readonly name: string;
  readonly title: string;
  readonly ms: number;
  readonly start: number;
  readonly end: number;
  /** True for the phase that the deadline cut: it never ended, and `ms` is how long it was waited for. */
  readonly isUnfinished: boolean;
}

/**
 * Phases as bars, one after another, in their order. A request that ran out of time gets a bar for the phase that never
 * ended, up to the end of the wait, which is the end of the scale; without one the scale ends with the last phase.
 */
export function phaseBars(
  phases: readonly Phase[],
  wait: { readonly name: string; readonly endMs: number } | null,
): PhaseBar[] {
  let atMs = 0;
  const spans = phases.flatMap(({ name, title, ms }) => {
    if (ms === null && name !== wait?.name) return [];
    const startMs = atMs;
    atMs = ms === null ? Math.max(atMs, wait?.endMs ?? 0) : atMs + ms;
    return [{ name, title, startMs, endMs: atMs, isUnfinished: ms === null }];
  });
  const place = (ms: number) => (atMs === 0 ? 0 : ms / atMs);
  return spans.map(({ name, title, startMs, endMs, isUnfinished }) => ({
    name,
    title,
    ms: endMs - startMs,
    start: place(startMs),
    end: place(endMs),
    isUnfinished,
  }));
}
