import fc from 'fast-check';
import t from 'tap';
import { Temporal } from 'temporal-polyfill';
import { rounds } from '../_support/rounds.js';
import { type TimeWindow, type Weekday, weekdays } from './policy.js';
import { closingOf, isOpen, nextOpening } from './time-windows.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const at = (text: string) => Date.parse(text);
const say = (instantMs: number | null) => instantMs && new Date(instantMs).toISOString().slice(0, 16);
const aWindow = (start: string, end: string, more: Partial<TimeWindow> = {}): TimeWindow => ({
  days: weekdays,
  start,
  end,
  timezone: 'UTC',
  ...more,
});
/** First opening after an instant, and its end. */
const next = (window: TimeWindow, afterMs: number) => {
  const opensAt = nextOpening(window, afterMs);
  return opensAt === null ? null : `${say(opensAt)} ${say(closingOf(window, opensAt))}`;
};

t.test('a window is open from its start, up to and without its end, on its days', async (t) => {
  const window = aWindow('09:00', '17:00', { days: ['tue', 'thu'] });
  t.notOk(isOpen(window, at('2026-01-06T08:59:59.999Z')));
  t.ok(isOpen(window, at('2026-01-06T09:00Z')), 'tuesday');
  t.ok(isOpen(window, at('2026-01-06T16:59:59.999Z')));
  t.notOk(isOpen(window, at('2026-01-06T17:00Z')));
  t.notOk(isOpen(window, at('2026-01-07T12:00Z')), 'wednesday');
  t.equal(next(window, at('2026-01-06T09:00Z')), '2026-01-08T09:00 2026-01-08T17:00');
  t.equal(closingOf(window, at('2026-01-07T12:00Z')), null);
});

t.test('an end before the start is on the next day, and belongs to the day of the start', async (t) => {
  const window = aWindow('22:00', '06:00', { days: ['fri'] });
  t.equal(next(window, at('2026-01-06T00:00Z')), '2026-01-09T22:00 2026-01-10T06:00');
  t.ok(isOpen(window, at('2026-01-10T05:59Z')), 'saturday morning');
  t.notOk(isOpen(window, at('2026-01-09T05:59Z')), 'friday morning');
});

t.test('an end equal to the start is the whole day, and days that touch are one period', async (t) => {
  const weekend = aWindow('00:00', '00:00', { days: ['sat', 'sun'] });
  t.equal(next(weekend, at('2026-01-06T00:00Z')), '2026-01-10T00:00 2026-01-12T00:00');
  t.equal(nextOpening(weekend, at('2026-01-10T12:00Z')), at('2026-01-17T00:00Z'), 'not at midnight between them');
  const always = aWindow('08:00', '08:00');
  t.ok(isOpen(always, at('2026-01-06T07:59Z')));
  t.equal(nextOpening(always, at('2026-01-06T00:00Z')), null);
  t.equal(closingOf(always, at('2026-01-06T00:00Z')), null);
  t.equal(nextOpening(aWindow('08:00', '09:00', { days: [] }), 0), null, 'a window without days');
});

// The clocks of each zone change on the day; all times on the right are in UTC.
const changes: readonly (readonly [zone: string, day: string, wall: string, expected: string, why: string])[] = [
  ['Europe/Berlin', '2026-03-29', '02:00-04:00', '2026-03-29T01:00 2026-03-29T02:00', 'the start is skipped'],
  ['Europe/Berlin', '2026-03-29', '02:15-02:45', '2026-03-29T01:15 2026-03-29T01:45', 'all of it is skipped'],
  ['Europe/Berlin', '2026-03-29', '02:15-03:00', '2026-03-30T00:15 2026-03-30T01:00', 'nothing is left on the day'],
  ['Europe/Berlin', '2026-10-25', '02:15-02:45', '2026-10-25T00:15 2026-10-25T00:45', 'of two times the first counts'],
  ['Europe/Berlin', '2026-10-25', '01:30-04:00', '2026-10-24T23:30 2026-10-25T03:00', 'it is an hour longer'],
  ['America/New_York', '2026-03-08', '02:00-04:00', '2026-03-08T07:00 2026-03-08T08:00', 'the start is skipped'],
  [
    'America/New_York',
    '2026-11-01',
    '01:15-01:45',
    '2026-11-01T05:15 2026-11-01T05:45',
    'of two times the first counts',
  ],
  ['Australia/Lord_Howe', '2026-10-04', '02:00-04:00', '2026-10-03T15:30 2026-10-03T17:00', 'half an hour is skipped'],
  [
    'Australia/Lord_Howe',
    '2026-04-05',
    '01:45-02:15',
    '2026-04-04T14:45 2026-04-04T15:45',
    'half an hour occurs twice',
  ],
  ['Africa/Casablanca', '2026-02-15', '02:00-04:00', '2026-02-15T01:00 2026-02-15T04:00', 'Ramadan begins'],
  ['Africa/Casablanca', '2026-03-22', '02:00-04:00', '2026-03-22T02:00 2026-03-22T03:00', 'Ramadan ends'],
  ['America/Ciudad_Juarez', '2026-03-08', '02:00-04:00', '2026-03-08T09:00 2026-03-08T10:00', 'the start is skipped'],
  ['America/Ciudad_Juarez', '2022-11-29', '23:15-23:45', '2022-11-30T05:15 2022-11-30T05:45', 'the zone moves back'],
  ['Pacific/Apia', '2011-12-30', '09:00-17:00', '2011-12-30T19:00 2011-12-31T03:00', 'the day itself is skipped'],
];

for (const [timezone, day, wall, expected, why] of changes) {
  t.test(`a window of ${wall} in ${timezone} on ${day}: ${why}`, async (t) => {
    const [start = '', end = ''] = wall.split('-');
    const midnightMs = Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds;
    t.equal(next(aWindow(start, end, { timezone }), midnightMs - 1), expected);
  });
}

t.test('openings and ends are those of the calendar, in every zone and at every change of the clocks', async (t) => {
  const times = fc.integer({ min: 0, max: 1439 }).map((minutes) => {
    return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  });
  const windows = fc.record<TimeWindow>({
    days: fc.subarray<Weekday>([...weekdays], { minLength: 1 }),
    start: times,
    end: times,
    timezone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
  });
  const instants = fc.integer({ min: at('2006-01-01T00:00Z'), max: at('2036-01-01T00:00Z') });
  fc.assert(
    fc.property(windows, instants, fc.integer({ min: -DAY_MS, max: DAY_MS }), (window, someMs, offsetMs) => {
      const changeMs = zoned(someMs, window.timezone).getTimeZoneTransition('next')?.epochMilliseconds;
      const instantMs = (changeMs ?? someMs) + offsetMs;
      const covered = naiveOccurrences(window, instantMs);
      const covers = (ms: number) => covered.some(([fromMs, toMs]) => fromMs <= ms && ms < toMs);
      t.equal(isOpen(window, instantMs), covers(instantMs));
      const opens = covered.map(([fromMs]) => fromMs).filter((ms) => ms > instantMs && !covers(ms - 1));
      t.equal(nextOpening(window, instantMs), opens.length === 0 ? null : Math.min(...opens));
      const closes = covered.map(([, toMs]) => toMs).filter((ms) => ms > instantMs && !covers(ms));
      const limitMs = instantMs + 9 * DAY_MS;
      const closing = Math.min(...closes);
      t.equal(closingOf(window, instantMs), covers(instantMs) && closing < limitMs ? closing : null);
    }),
    { numRuns: rounds(500) },
  );
});

/** Occurrences around an instant and for three weeks after it, each by the calendar. */
function naiveOccurrences(
  { days, start, end, timezone }: TimeWindow,
  instantMs: number,
): (readonly [number, number])[] {
  const today = zoned(instantMs, timezone).toPlainDate();
  return Array.from({ length: 27 }, (_, index) => today.add({ days: index - 4 })).flatMap((day) => {
    if (!days.includes(weekdays[day.dayOfWeek - 1] ?? 'mon')) return [];
    const instantOf = (date: Temporal.PlainDate, time: string) =>
      date.toPlainDateTime(Temporal.PlainTime.from(time)).toZonedDateTime(timezone).epochMilliseconds;
    const [fromMs, toMs] = [instantOf(day, start), instantOf(end > start ? day : day.add({ days: 1 }), end)];
    return fromMs < toMs ? [[fromMs, toMs] as const] : [];
  });
}

function zoned(instantMs: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timezone);
}
