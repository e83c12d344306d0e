import type { EventType } from '../definition/event-type.js';
import type { EarlierType } from '../events/event-phases.js';
import type { Episode } from './replay.js';

// Compares stored events of a range with those that should exist. An event that matches keeps its id; where they differ:
//
//                      should be                        should not be
//   stored             times corrected, backfilled      notified: disputed and kept     not notified: deleted
//   not stored         inserted, backfilled             -

/** Stored closed event; instants in milliseconds since the epoch. */
export interface StoredEpisode {
  readonly id: string;
  readonly type: EventType;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** True if the event was notified, or a user has acted on it. */
  readonly isKnown: boolean;
  readonly isDisputed: boolean;
  readonly earlier: readonly EarlierType[];
}

/** Event that should exist and has ended. */
export type ClosedEpisode = Episode & { readonly endedAtMs: number };

/** Changes that turn the stored events into those that should exist. */
export interface Corrections {
  readonly inserted: readonly ClosedEpisode[];
  readonly moved: readonly Pick<StoredEpisode, 'id' | 'startedAtMs' | 'endedAtMs' | 'earlier'>[];
  readonly disputed: readonly string[];
  /** Ids of events that are no longer disputed. */
  readonly upheld: readonly string[];
  readonly deleted: readonly string[];
}

/** Corrections of the closed events of a range. Pure and idempotent: corrected events need no corrections. */
export function reconcile(should: readonly ClosedEpisode[], stored: readonly StoredEpisode[]): Corrections {
  const left = new Set(stored);
  const claim = (episode: ClosedEpisode, candidates: readonly StoredEpisode[]) => {
    const best = candidates
      .filter((event) => left.has(event) && event.type === episode.type)
      .sort(
        (a, b) =>
          overlapMs(b, episode) - overlapMs(a, episode) ||
          a.startedAtMs - b.startedAtMs ||
          Number(a.isDisputed) - Number(b.isDisputed),
      )[0];
    if (best !== undefined) left.delete(best);
    return best ?? null;
  };
  // Events that are already right are matched first: of events that touch, each would otherwise take the place of its neighbour.
  const sameTime = byTime(stored);
  const right = should.map((episode) => claim(episode, sameTime.get(timeKey(episode)) ?? []));
  const around = new EventsByStart([...left]);
  const found = should.map((episode, index) => ({
    episode,
    event: right[index] ?? claim(episode, around.overlapping(episode)),
  }));
  const denied = [...left];
  return {
    inserted: found.filter(({ event }) => event === null).map(({ episode }) => episode),
    moved: found.flatMap(({ episode: { startedAtMs, endedAtMs, earlier }, event }) => {
      return event === null || (isSameTime(event, { startedAtMs, endedAtMs }) && isSameBefore(event.earlier, earlier))
        ? []
        : [{ id: event.id, startedAtMs, endedAtMs, earlier }];
    }),
    disputed: idsOf(denied.filter(({ isKnown, isDisputed }) => isKnown && !isDisputed)),
    upheld: found.flatMap(({ event }) => (event?.isDisputed ? [event.id] : [])),
    deleted: idsOf(denied.filter(({ isKnown }) => !isKnown)),
  };
}

function isSameBefore(a: readonly EarlierType[], b: readonly EarlierType[]): boolean {
  return (
    a.length === b.length && a.every(({ type, until }, index) => type === b[index]?.type && until === b[index]?.until)
  );
}

type Times = Pick<StoredEpisode, 'startedAtMs' | 'endedAtMs'>;

function isSameTime(a: Times, b: Times): boolean {
  return a.startedAtMs === b.startedAtMs && a.endedAtMs === b.endedAtMs;
}

/** Length of the overlap of two events, in milliseconds; negative if they do not overlap, at least 0 if they begin together. */
function overlapMs(a: Times, b: Times): number {
  const lengthMs = Math.min(a.endedAtMs, b.endedAtMs) - Math.max(a.startedAtMs, b.startedAtMs);
  return lengthMs > 0 || a.startedAtMs === b.startedAtMs ? lengthMs : -1;
}

function timeKey({ startedAtMs, endedAtMs }: Times): string {
  return `${startedAtMs} ${endedAtMs}`;
}

function byTime(events: readonly StoredEpisode[]): ReadonlyMap<string, readonly StoredEpisode[]> {
  const found = new Map<string, StoredEpisode[]>();
  for (const event of events) {
    const key = timeKey(event);
    const same = found.get(key);
    if (same === undefined) found.set(key, [event]);
    else same.push(event);
  }
  return found;
}

/** Events in the order of their begin, to compare each with its neighbours only: a flapping target has thousands. */
class EventsByStart {
  readonly #events: readonly StoredEpisode[];
  /** Latest end of the events up to and including each. */
  readonly #endsBy: readonly number[];

  constructor(events: readonly StoredEpisode[]) {
    this.#events = events.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
    let latestMs = Number.NEGATIVE_INFINITY;
    this.#endsBy = this.#events.map(({ endedAtMs }) => {
      latestMs = Math.max(latestMs, endedAtMs);
      return latestMs;
    });
  }

  /** Events that overlap an episode or begin at the same instant. */
  overlapping(episode: Times): StoredEpisode[] {
    const found: StoredEpisode[] = [];
    for (let index = this.#countUntil(Math.max(episode.endedAtMs, episode.startedAtMs)) - 1; index >= 0; index -= 1) {
      const event = this.#events[index] as StoredEpisode;
      if (overlapMs(event, episode) >= 0) found.push(event);
      if ((this.#endsBy[index] as number) < episode.startedAtMs) break;
    }
    return found.reverse();
  }

  /** Number of events that begin by an instant. */
  #countUntil(instantMs: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as StoredEpisode).startedAtMs <= instantMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function idsOf(events: readonly StoredEpisode[]): string[] {
  return events.map(({ id }) => id);
}
