import type { SeededRandom } from '../../seeded-random.js';
import type { Site } from '../site.js';

/** Fault of limited duration. */
export interface Fault {
  /** Name in the trace. */
  readonly name: string;
  /** Least and greatest duration, in milliseconds; each order of magnitude is equally likely. */
  readonly lastsMs: readonly [number, number];
  /** Breaks it; returns how it is mended, null where there is nothing to break now. What is mended twice stays mended. */
  begin(site: Site, random: SeededRandom): (() => void) | null;
}
