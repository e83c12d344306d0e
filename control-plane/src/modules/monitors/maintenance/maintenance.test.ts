import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { Temporal } from 'temporal-polyfill';
import { naiveOccurrences } from '../../../../test/_support/naive-occurrences.js';
import type { Interval } from '../definition/interval.js';
import {
  lastEnd,
  longestOccurrenceMs,
  nextOccurrence,
  nextTurn,
  occurrenceOf,
  occurrencesAtMost,
  occurrencesWithin,
  type Recurrence,
  type WindowTimes,
} from './maintenance.js';

const DAY_MS = 86_400_000;
const at = (text: string) => Date.parse(text);
const aWindow = (from: string, to: string, recurrence: Recurrence, more: Partial<WindowTimes> = {}): WindowTimes => ({
  startsAtMs: at(from),
  endsAtMs: at(to),
  recurrence,
  recurrenceUntilMs: null,
  timezone: 'UTC',
  ...more,
});
const say = (all: readonly Interval[]) =>
  all.map(({ fromMs, toMs }) => [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(0, 16)).join(' '));
const within = (window: WindowTimes, from: string, to: string) =>
  say([...occurrencesWithin(window, { fromMs: at(from), toMs: at(to) })]);

t.test('a window without recurrence has one occurrence', async (t) => {
  const window = aWindow('2026-01-01T22:00Z', '2026-01-02T02:00Z', 'none');
  t.same(within(window, '2025-01-01T00:00Z', '2030-01-01T00:00Z'), ['2026-01-01T22:00 2026-01-02T02:00']);
  t.equal(occurrenceOf(window, at('2026-01-01T21:59:59.999Z')), null);
  t.ok(occurrenceOf(window, at('2026-01-01T22:00Z')));
  t.equal(occurrenceOf(window, at('2026-01-02T02:00Z')), null, 'its end is outside');
  t.equal(nextOccurrence(window, at('2026-01-01T22:00:01Z')), null);
});

t.test('a recurring window ends with the last occurrence that begins by its bound', async (t) => {
  const window = aWindow('2026-01-01T22:00Z', '2026-01-01T23:00Z', 'weekly', {
    recurrenceUntilMs: at('2026-01-15T22:00Z'),
  });
  t.same(within(window, '2026-01-02T00:00Z', '2027-01-01T00:00Z'), [
    '2026-01-08T22:00 2026-01-08T23:00',
    '2026-01-15T22:00 2026-01-15T23:00',
  ]);
});

t.test('a month without the day has its occurrence on its last day', async (t) => {
  const window = aWindow('2026-01-31T22:00Z', '2026-02-01T02:00Z', 'monthly');
  t.same(within(window, '2026-02-02T00:00Z', '2026-05-01T12:00Z'), [
    '2026-02-28T22:00 2026-03-01T02:00',
    '2026-03-31T22:00 2026-04-01T02:00',
    '2026-04-30T22:00 2026-05-01T02:00',
  ]);
});

// Each window is from 02:00 to 04:00 by the wall; its occurrences at the changes of the clocks.
const changes: readonly { zone: string; first: string; day: string; expected: string }[] = [
  {
    zone: 'Europe/Berlin',
    first: '2026-03-01T01:00Z',
    day: '2026-03-29',
    expected: '2026-03-29T01:00 2026-03-29T02:00',
  },
  {
    zone: 'Europe/Berlin',
    first: '2026-03-01T01:00Z',
    day: '2026-10-25',
    expected: '2026-10-25T00:00 2026-10-25T03:00',
  },
  {
    zone: 'America/New_York',
    first: '2026-03-01T07:00Z',
    day: '2026-03-08',
    expected: '2026-03-08T07:00 2026-03-08T08:00',
  },
  {
    zone: 'America/New_York',
    first: '2026-03-01T07:00Z',
    day: '2026-11-01',
    expected: '2026-11-01T07:00 2026-11-01T09:00',
  },
  {
    zone: 'Australia/Lord_Howe',
    first: '2026-03-01T15:00Z',
    day: '2026-10-03',
    expected: '2026-10-03T15:30 2026-10-03T17:00',
  },
  {
    zone: 'Africa/Casablanca',
    first: '2026-01-01T01:00Z',
    day: '2026-02-15',
    expected: '2026-02-15T01:00 2026-02-15T04:00',
  },
  {
    zone: 'America/Ciudad_Juarez',
    first: '2026-03-01T09:00Z',
    day: '2026-03-08',
    expected: '2026-03-08T09:00 2026-03-08T10:00',
  },
  {
    zone: 'Pacific/Apia',
    first: '2011-12-01T12:00Z',
    day: '2011-12-30',
    expected: '2011-12-30T12:00 2011-12-30T14:00',
  },
];

for (const { zone, first, day, expected } of changes) {
  t.test(`a window from two to four of ${zone} on ${day}`, async (t) => {
    const window: WindowTimes = {
      startsAtMs: at(first),
      endsAtMs: at(first) + 7_200_000,
      recurrence: 'daily',
      recurrenceUntilMs: null,
      timezone: zone,
    };
    const next = nextOccurrence(window, at(`${day}T00:00Z`));
    t.same(next && say([next]), [expected]);
  });
}

t.test('an occurrence in the hour that clocks skip moves forward; one without a length is dropped', async (t) => {
  const inside = aWindow('2026-03-27T01:15Z', '2026-03-27T01:45Z', 'daily', { timezone: 'Europe/Berlin' });
  t.same(within(inside, '2026-03-29T00:00Z', '2026-03-30T00:00Z'), ['2026-03-29T01:15 2026-03-29T01:45']);
  const upToItsEnd = aWindow('2026-03-27T01:15Z', '2026-03-27T02:00Z', 'daily', { timezone: 'Europe/Berlin' });
  t.same(within(upToItsEnd, '2026-03-29T00:00Z', '2026-03-30T00:00Z'), []);
  const next = nextOccurrence(upToItsEnd, at('2026-03-29T00:00Z'));
  t.same(next && say([next]), ['2026-03-30T00:15 2026-03-30T01:00']);
});

t.test('the occurrences of a range are those of each of its instants, however far away', async (t) => {
  const windows = fc
    .record({
      start: fc.integer({ min: at('2020-01-01T00:00Z'), max: at('2026-12-31T00:00Z') }),
      minutes: fc.integer({ min: 1, max: 3_000 }),
      recurrence: fc.constantFrom<Recurrence>('none', 'daily', 'weekly', 'monthly'),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia', 'America/New_York'),
    })
    .map(
      ({ start, minutes, ...more }): WindowTimes => ({
        startsAtMs: start,
        endsAtMs: start + minutes * 60_000,
        recurrenceUntilMs: null,
        ...more,
      }),
    );
  const instants = fc.integer({ min: at('2019-01-01T00:00Z'), max: at('2060-01-01T00:00Z') });
  fc.assert(
    fc.property(windows, instants, (window, instantMs) => {
      const toMs = Math.max(instantMs, window.startsAtMs) + 40 * 86_400_000;
      const around = { fromMs: instantMs - 40 * 86_400_000, toMs };
      const all = [...occurrencesWithin(window, around)];
      const isInside = all.some((one) => one.fromMs <= instantMs && instantMs < one.toMs);
      t.equal(occurrenceOf(window, instantMs) !== null, isInside);
      t.same(nextOccurrence(window, instantMs)?.fromMs, all.find(({ fromMs }) => fromMs >= instantMs)?.fromMs);
    }),
    { numRuns: rounds(200) },
  );
});

t.test(
  'turns are the beginnings and ends there are, one after the other; the last end is the one before',
  async (t) => {
    const windows = fc
      .record({
        startsAtMs: fc.integer({ min: at('2025-01-01T00:00Z'), max: at('2026-12-31T00:00Z') }),
        share: fc.double({ min: 0.001, max: 1, noNaN: true }),
        recurrence: fc.constantFrom<Recurrence>('none', 'daily', 'weekly', 'monthly'),
        days: fc.option(fc.integer({ min: 0, max: 60 })),
        timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York'),
      })
      .map(({ startsAtMs, share, recurrence, days, timezone }): WindowTimes => {
        const lengthMs = Math.ceil(share * Math.min(longestOccurrenceMs(recurrence), 86_400_000 * 60));
        const recurrenceUntilMs = days === null ? null : startsAtMs + days * 86_400_000;
        return { startsAtMs, endsAtMs: startsAtMs + lengthMs, recurrence, recurrenceUntilMs, timezone };
      });
    const offsets = fc.integer({ min: -40, max: 400 }).map((days) => days * 86_400_000);
    fc.assert(
      fc.property(windows, offsets, fc.nat(86_400_000), (window, offset, more) => {
        const instantMs = window.startsAtMs + offset + more;
        const toMs = instantMs + 100 * 86_400_000;
        const all = [...occurrencesWithin(window, { fromMs: window.startsAtMs - 1, toMs })];
        const turns = all.flatMap(({ fromMs, toMs }) => [fromMs, toMs]).filter((turnMs) => turnMs > instantMs);
        t.equal(nextTurn(window, instantMs), turns.length === 0 ? null : Math.min(...turns));
        const ends = all.map(({ toMs }) => toMs).filter((endMs) => endMs <= instantMs);
        t.equal(lastEnd(window, instantMs), ends.length === 0 ? null : Math.max(...ends));
      }),
      { numRuns: rounds(200) },
    );
  },
);

/** Windows of every kind, in every zone, many of which begin or end within hours of a change of the clocks. */
const anyWindow = fc
  .record({
    timezone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
    recurrence: fc.constantFrom<Recurrence>('none', 'daily', 'weekly', 'monthly'),
    someMs: fc.integer({ min: at('2006-01-01T00:00Z'), max: at('2036-01-01T00:00Z') }),
    fromChangeMs: fc.option(fc.integer({ min: -5 * 3_600_000, max: 5 * 3_600_000 })),
    share: fc.double({ min: 0.000_01, max: 1, noNaN: true }),
    untilDays: fc.option(fc.integer({ min: 0, max: 800 })),
  })
  .map(({ timezone, recurrence, someMs, fromChangeMs, share, untilDays }): WindowTimes => {
    const changeMs = Temporal.Instant.fromEpochMilliseconds(someMs)
      .toZonedDateTimeISO(timezone)
      .getTimeZoneTransition('next')?.epochMilliseconds;
    const startsAtMs = fromChangeMs === null ? someMs : (changeMs ?? someMs) + fromChangeMs - 7 * DAY_MS;
    const lengthMs = Math.ceil(share * Math.min(longestOccurrenceMs(recurrence), 60 * DAY_MS));
    const recurrenceUntilMs = untilDays === null ? null : startsAtMs + untilDays * DAY_MS;
    return { startsAtMs, endsAtMs: startsAtMs + lengthMs, recurrence, recurrenceUntilMs, timezone };
  });

t.test('occurrences are those of the calendar, in every zone and at every change of the clocks', async (t) => {
  const ranges = fc.record({ offset: fc.integer({ min: -60, max: 4_000 }), days: fc.integer({ min: 1, max: 120 }) });
  fc.assert(
    fc.property(anyWindow, ranges, fc.nat(DAY_MS), (window, { offset, days }, more) => {
      const fromMs = window.startsAtMs + offset * DAY_MS + more;
      const range = { fromMs, toMs: fromMs + days * DAY_MS };
      const found = [...occurrencesWithin(window, range)];
      t.strictSame(found, naiveOccurrences(window, range), JSON.stringify({ window, range }));
      t.ok(found.length <= occurrencesAtMost(window, range), 'no more than were counted on');
    }),
    { numRuns: rounds(300) },
  );
});
