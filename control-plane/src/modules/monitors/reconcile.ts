import type { Episode } from './replay.js';
import type { EventType } from './transition.js';

// What is stored of a range of time, held against what should be. An event that is both keeps its id; where history says otherwise:
//
//                      should be                        should not be
//   stored             times corrected, backfilled      told: disputed, and it stays     not told: deleted
//   not stored         inserted, backfilled             -

/** A closed event as it is stored; instants in milliseconds since the epoch. */
export interface StoredEpisode {
  readonly id: string;
  readonly type: EventType;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Whether people were told of it, or have said something of it. */
  readonly isKnown: boolean;
  readonly isDisputed: boolean;
}

/** An event that should be, and has ended. */
export type ClosedEpisode = Episode & { readonly endedAtMs: number };

/** What makes what is stored what it should be. */
export interface Corrections {
  readonly inserted: readonly ClosedEpisode[];
  readonly moved: readonly Pick<StoredEpisode, 'id' | 'startedAtMs' | 'endedAtMs'>[];
  readonly disputed: readonly string[];
  /** Were disputed, and are not any more. */
  readonly upheld: readonly string[];
  readonly deleted: readonly string[];
}

/** Of closed events of one range. Pure; of what it has corrected there is nothing to correct. */
export function reconcile(should: readonly ClosedEpisode[], stored: readonly StoredEpisode[]): Corrections {
  const left = new Set(stored);
  const claim = (episode: ClosedEpisode, isIt: (event: StoredEpisode) => boolean) => {
    const best = [...left]
      .filter((event) => event.type === episode.type && isIt(event))
      .sort(
        (a, b) =>
          overlapMs(b, episode) - overlapMs(a, episode) ||
          a.startedAtMs - b.startedAtMs ||
          Number(a.isDisputed) - Number(b.isDisputed),
      )[0];
    if (best !== undefined) left.delete(best);
    return best ?? null;
  };
  // What is right already is nobody else's: of events that touch, the first would take its neighbour's place, and the neighbour the first's.
  const right = should.map((episode) => claim(episode, (event) => isSameTime(event, episode)));
  const found = should.map((episode, index) => ({
    episode,
    event: right[index] ?? claim(episode, (event) => overlapMs(event, episode) >= 0),
  }));
  const denied = [...left];
  return {
    inserted: found.filter(({ event }) => event === null).map(({ episode }) => episode),
    moved: found.flatMap(({ episode: { startedAtMs, endedAtMs }, event }) => {
      return event === null || isSameTime(event, { startedAtMs, endedAtMs })
        ? []
        : [{ id: event.id, startedAtMs, endedAtMs }];
    }),
    disputed: idsOf(denied.filter(({ isKnown, isDisputed }) => isKnown && !isDisputed)),
    upheld: found.flatMap(({ event }) => (event?.isDisputed ? [event.id] : [])),
    deleted: idsOf(denied.filter(({ isKnown }) => !isKnown)),
  };
}

type Times = Pick<StoredEpisode, 'startedAtMs' | 'endedAtMs'>;

function isSameTime(a: Times, b: Times): boolean {
  return a.startedAtMs === b.startedAtMs && a.endedAtMs === b.endedAtMs;
}

/** How long both were; of two without a common moment it is negative, of two that begin together it is 0 at least. */
function overlapMs(a: Times, b: Times): number {
  const lengthMs = Math.min(a.endedAtMs, b.endedAtMs) - Math.max(a.startedAtMs, b.startedAtMs);
  return lengthMs > 0 || a.startedAtMs === b.startedAtMs ? lengthMs : -1;
}

function idsOf(events: readonly StoredEpisode[]): string[] {
  return events.map(({ id }) => id);
}
