import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import type { EventType } from '../definition/event-type.js';
import { type ClosedEpisode, reconcile, type StoredEpisode } from './reconcile.js';

/** Events one after another, from steps: how long after the one before, and for how long. */
function chain(steps: readonly { afterMs: number; forMs: number; type: EventType }[]) {
  let atMs = 0;
  return steps.map(({ afterMs, forMs, type }) => {
    const startedAtMs = atMs + afterMs;
    atMs = startedAtMs + forMs;
    return { type, startedAtMs, endedAtMs: atMs };
  });
}
const chains = fc
  .array(
    fc.record({
      afterMs: fc.nat(50),
      forMs: fc.nat(50),
      type: fc.constantFrom<EventType>('down', 'degraded'),
    }),
    { maxLength: 12 },
  )
  .map(chain);
const shoulds = chains.map((events) =>
  events.map((event): ClosedEpisode => ({ ...event, affectedNodes: [], eligible: 3, earlier: [] })),
);
const storeds = fc.tuple(chains, fc.array(fc.boolean()), fc.array(fc.boolean())).map(([events, known, disputed]) =>
  events.map(
    (event, index): StoredEpisode => ({
      ...event,
      id: `evt_${index}`,
      earlier: [],
      isKnown: known[index] ?? true,
      isDisputed: (known[index] ?? true) && (disputed[index] ?? false),
    }),
  ),
);

/** Stored events after the corrections. */
function apply(should: readonly ClosedEpisode[], stored: readonly StoredEpisode[]): StoredEpisode[] {
  const { inserted, moved, disputed, upheld, deleted } = reconcile(should, stored);
  const kept = stored
    .filter(({ id }) => !deleted.includes(id))
    .map((event) => ({
      ...event,
      ...moved.find(({ id }) => id === event.id),
      isDisputed: disputed.includes(event.id) || (event.isDisputed && !upheld.includes(event.id)),
    }));
  const added = inserted.map(({ type, startedAtMs, endedAtMs }, index) => {
    return { id: `new_${index}`, type, startedAtMs, endedAtMs, isKnown: false, isDisputed: false, earlier: [] };
  });
  return [...kept, ...added];
}

const shown = (events: readonly Pick<StoredEpisode, 'type' | 'startedAtMs' | 'endedAtMs'>[]) =>
  events.map(({ type, startedAtMs, endedAtMs }) => `${startedAtMs} ${endedAtMs} ${type}`).sort();

t.test(
  'after correction the stored undisputed events are the right ones, and none is left to be corrected',
  async (t) => {
    fc.assert(
      fc.property(shoulds, storeds, (should, stored) => {
        const after = apply(should, stored);
        t.same(shown(after.filter(({ isDisputed }) => !isDisputed)), shown(should));
        const lost = stored.filter(({ isKnown, id }) => isKnown && !after.some((event) => event.id === id));
        t.same(lost, [], 'notified events stay');
        t.same(reconcile(should, after), { inserted: [], moved: [], disputed: [], upheld: [], deleted: [] });
      }),
      { numRuns: rounds(500) },
    );
  },
);

t.test('of events that begin at one moment, each that is right stays as it is', async (t) => {
  const event = { type: 'down', isKnown: false, isDisputed: false, startedAtMs: 24, earlier: [] } as const;
  const episode = { type: 'down', affectedNodes: [], eligible: 3, startedAtMs: 24, earlier: [] } as const;
  const should = [
    { ...episode, endedAtMs: 24 },
    { ...episode, endedAtMs: 52 },
  ];
  const long = { ...event, id: 'evt_long', endedAtMs: 52 };
  const short = { ...event, id: 'evt_short', endedAtMs: 24 };
  for (const stored of [
    [long, short],
    [short, long],
  ]) {
    t.same(reconcile(should, stored), { inserted: [], moved: [], disputed: [], upheld: [], deleted: [] });
  }
});

t.test(
  'an event keeps its id when its times are corrected, and two that were notified as one become two',
  async (t) => {
    const stored = [
      { id: 'evt_1', type: 'down', startedAtMs: 100, endedAtMs: 900, isKnown: true, isDisputed: false, earlier: [] },
    ] as const;
    const episode = { type: 'down', affectedNodes: [], eligible: 3, earlier: [] } as const;
    const [first, second] = [
      { ...episode, startedAtMs: 100, endedAtMs: 200 },
      { ...episode, startedAtMs: 700, endedAtMs: 900 },
    ];
    t.match(reconcile([first, second], stored), {
      moved: [{ id: 'evt_1', startedAtMs: 100, endedAtMs: 200 }],
      inserted: [second],
      disputed: [],
    });
  },
);

t.test('earlier types of an event that changed in place are corrected as well', async (t) => {
  const times = { type: 'degraded', startedAtMs: 100, endedAtMs: 900 } as const;
  const earlier = [{ type: 'down', until: new Date(300).toISOString() }] as const;
  const stored = { ...times, id: 'evt_1', isKnown: true, isDisputed: false, earlier: [] };
  const should = { ...times, affectedNodes: [], eligible: 3, earlier };
  t.match(reconcile([should], [stored]), { moved: [{ id: 'evt_1', startedAtMs: 100, endedAtMs: 900, earlier }] });
  t.match(reconcile([should], [{ ...stored, earlier }]), { moved: [] });
});
