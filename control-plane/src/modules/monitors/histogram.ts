// Response times are counted in slots between fixed bounds, so that counts of any nodes and times add up: each bound is 15 % above
// the one before it, and what is read back from a slot is at most 7.3 % wrong.
//
//   slot 0: below 0.1 ms    slot 1: 0.1 to 0.115 ms    …    slot 96: 58.4 to 67.2 s    slot 97: longer
//
// NOTE: what is stored was counted by these bounds. They never change.

const FIRST_MS = 0.1;
const RATIO = 1.15;
const BOUNDS = 97;

/** Milliseconds, ascending: with `n` bounds at or below a time, its slot is `n`. */
export const histogramBounds: readonly number[] = Array.from({ length: BOUNDS }, (_, index) =>
  Number((FIRST_MS * RATIO ** index).toPrecision(6)),
);

/** An entry of a stored histogram is the slot times this, plus how many are in it. */
export const SLOT_UNIT = 2 ** 24;

/** How many are in each slot, by its number. */
export type Histogram = Map<number, number>;

/** The slot of a time in milliseconds. */
export function slotOf(ms: number): number {
  const above = histogramBounds.findIndex((bound) => bound > ms);
  return above < 0 ? BOUNDS : above;
}

/** What is read back of a slot: the middle of its bounds, as they grow. */
function timeOf(slot: number): number {
  const upper = histogramBounds[Math.min(slot, BOUNDS - 1)] ?? FIRST_MS;
  return slot >= BOUNDS ? upper : upper / Math.sqrt(RATIO);
}

/** Adds the entries of a stored histogram to another one. */
export function addEntries(histogram: Histogram, entries: readonly number[]): void {
  for (const entry of entries) {
    const slot = Math.floor(entry / SLOT_UNIT);
    histogram.set(slot, (histogram.get(slot) ?? 0) + (entry % SLOT_UNIT));
  }
}

/** The time that a share of the answers, 0 to 1, took at most; milliseconds. `range`: the least and the most of them. */
export function percentileOf(histogram: Histogram, share: number, range: { minMs: number; maxMs: number }): number {
  const slots = [...histogram].sort(([a], [b]) => a - b);
  const total = slots.reduce((sum, [, count]) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  const [slot] = slots.find(([, count]) => (seen += count) >= rank) ?? [BOUNDS];
  return Math.min(range.maxMs, Math.max(range.minMs, timeOf(slot)));
}
