import { Temporal } from 'temporal-polyfill';

// Local (wall) times of one zone, as milliseconds since 1970-01-01T00:00 in its own time. The offset between two changes of its
// clocks is looked up once and kept: a conversion then costs two comparisons and no calendar.
//
//   instants   ├───── +01:00 ─────┤├───── +02:00 ─────┤├───── +01:00 ─────┤
//   wall       ├──────────────────┤ skipped ├──────────────────┤
//                                                       ├──────────────────┤   twice

/** Period from one change of the clocks to the next. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  /** Offset from an instant to its local time, in milliseconds. */
  readonly offsetMs: number;
}

/** Upper bound of the offset of a zone from UTC. */
const FARTHEST_OFFSET_MS = 26 * 3_600_000;
/** Greatest number of cached clocks: the IANA database has about six hundred names. */
const MOST_CLOCKS = 1_000;

const clocks = new Map<string, ZoneClock>();

/** Clock of a zone by its IANA name, case-insensitive. @throws RangeError for an unknown zone */
export function zoneClock(timezone: string): ZoneClock {
  const key = timezone.toLowerCase();
  const known = clocks.get(key);
  if (known !== undefined) return known;
  if (clocks.size >= MOST_CLOCKS) clocks.clear();
  const made = new ZoneClock(timezone);
  clocks.set(key, made);
  return made;
}

/** Converts instants to local times and back. */
export class ZoneClock {
  /** Periods, ascending and without gaps. */
  readonly #spans: Span[] = [];
  /** Index of the last period found: the next one is usually near. */
  #index = 0;
  #searches = 0;

  constructor(private readonly timezone: string) {}

  /** Number of searches in the time zone database so far: each takes as long as hundreds of look-ups. */
  get searches(): number {
    return this.#searches;
  }

  wallOf(instantMs: number): number {
    return instantMs + this.#spanAt(instantMs).offsetMs;
  }

  /** Instant of a local time; one that the clocks skip moves forward by the gap, of one that occurs twice the first counts. */
  instantOf(wallMs: number): number {
    // no earlier instant can have this local time
    let span = this.#spanAt(wallMs - FARTHEST_OFFSET_MS);
    for (;;) {
      const instantMs = wallMs - span.offsetMs;
      if (instantMs < span.toMs) return instantMs;
      const next = this.#spanAt(span.toMs);
      // skipped: the offset before the change applies
      if (wallMs - next.offsetMs < next.fromMs) return instantMs;
      span = next;
    }
  }

  #spanAt(instantMs: number): Span {
    if (this.#spans.length === 0) this.#spans.push(this.#search(instantMs));
    for (;;) {
      const span = this.#spans[this.#index] as Span;
      if (instantMs < span.fromMs) this.#stepBack(span);
      else if (instantMs >= span.toMs) this.#stepOn(span);
      else return span;
    }
  }

  #stepBack({ fromMs }: Span): void {
    if (this.#index > 0) this.#index -= 1;
    else this.#spans.unshift(this.#search(fromMs - 1));
  }

  #stepOn({ toMs }: Span): void {
    this.#index += 1;
    if (this.#index === this.#spans.length) this.#spans.push(this.#search(toMs));
  }

  #search(instantMs: number): Span {
    this.#searches += 1;
    const at = zoned(instantMs, this.timezone);
    // a change at the instant itself is its beginning
    const previous = zoned(instantMs + 1, this.timezone).getTimeZoneTransition('previous');
    return {
      fromMs: previous?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
      toMs: at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
      offsetMs: at.offsetNanoseconds / 1e6,
    };
  }
}

function zoned(instantMs: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timezone);
}
