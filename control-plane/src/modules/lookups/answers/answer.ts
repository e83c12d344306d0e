/** Finding of a question: an answer, or a failure of a third party that is not to be asked again at once. */
export interface Answer {
  readonly isFailure: boolean;
  readonly askedAtMs: number;
  readonly freshUntilMs: number;
  /** Until then it stands in for an answer that cannot be had; never before `freshUntilMs`. */
  readonly staleUntilMs: number;
  readonly body: object;
}

/** Newest answer and newest failure of a key; null if none is kept. */
export interface Kept {
  readonly answer: Answer | null;
  readonly failure: Answer | null;
}

/** A key of which nothing is kept. */
export const nothingKept: Kept = { answer: null, failure: null };

/** Use of the kept findings for a caller: one of them, or a new question. `stale` stands in if the question fails. */
export type Judgment =
  | { readonly use: 'answer'; readonly answer: Answer; readonly isRenewalDue: boolean }
  | { readonly use: 'failure'; readonly failure: Answer; readonly stale: Answer | null }
  | { readonly use: 'nothing'; readonly stale: Answer | null };

/** One key is asked again at most once in this time, whatever age a caller wants. */
const LEAST_AGE_MS = 60_000;
/** Share of its fresh time at whose beginning an answer that is asked for is renewed. */
const RENEWED_FROM = 0.9;

/** Judges what is kept of a key. `maxAgeMs`: the oldest answer that the caller wants; null for any fresh one. Pure. */
export function judgeKept({ answer, failure }: Kept, nowMs: number, maxAgeMs: number | null = null): Judgment {
  const hasFailed = failure !== null && nowMs < failure.freshUntilMs;
  const wanted = answer !== null && isFresh(answer, nowMs, maxAgeMs) ? answer : null;
  if (wanted !== null) return { use: 'answer', answer: wanted, isRenewalDue: !hasFailed && isAtItsEnd(wanted, nowMs) };
  const stale = answer !== null && nowMs < answer.staleUntilMs ? answer : null;
  return hasFailed ? { use: 'failure', failure, stale } : { use: 'nothing', stale };
}

/** Kept findings after a further one: an answer makes earlier failures void, a failure leaves the answer. */
export function withFinding(kept: Kept, found: Answer): Kept {
  return found.isFailure ? { answer: kept.answer, failure: found } : { answer: found, failure: null };
}

function isFresh({ askedAtMs, freshUntilMs }: Answer, nowMs: number, maxAgeMs: number | null): boolean {
  if (nowMs >= freshUntilMs) return false;
  return maxAgeMs === null || nowMs - askedAtMs <= Math.max(maxAgeMs, LEAST_AGE_MS);
}

function isAtItsEnd({ askedAtMs, freshUntilMs }: Answer, nowMs: number): boolean {
  return nowMs >= askedAtMs + (freshUntilMs - askedAtMs) * RENEWED_FROM;
}
