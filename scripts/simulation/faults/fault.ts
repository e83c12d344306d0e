import type { SeededRandom } from '../random.js';
import type { Site } from '../site.js';

/** Something that breaks, for a while. */
export interface Fault {
  /** As the trace tells it. */
  readonly name: string;
  /** For how long, milliseconds: least and most, each order of magnitude as likely. */
  readonly lastsMs: readonly [number, number];
  /** Breaks it; returns how it is mended, null where there is nothing to break now. What is mended twice stays mended. */
  begin(site: Site, random: SeededRandom): (() => void) | null;
}
