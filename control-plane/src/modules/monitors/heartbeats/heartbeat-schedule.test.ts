import t from 'tap';
import { CronExpressionError, HeartbeatSchedule } from './heartbeat-schedule.js';

const cron = (cronExpression: string, timezone = 'UTC', graceSeconds = 0) =>
  new HeartbeatSchedule({ mode: 'cron', cronExpression, timezone, graceSeconds });
const at = (text: string) => Date.parse(text);
const iso = (times: readonly number[]) => times.map((ms) => new Date(ms).toISOString().replace('.000Z', 'Z'));

t.test('an interval counts from the last ping, and the grace comes after it', async (t) => {
  const schedule = new HeartbeatSchedule({ mode: 'interval', intervalSeconds: 60, graceSeconds: 30 });
  t.equal(schedule.expectedAfter(1_000), 61_000);
  t.equal(schedule.deadlineAfter(1_000), 91_000);
  t.same(schedule.nextExpected(0, 3), [60_000, 120_000, 180_000]);
  t.equal(schedule.smallestGapSeconds(0), 60);
});

t.test('a cron expression counts in its zone, and the grace is added to the instant', async (t) => {
  const schedule = cron('30 9 * * MON-FRI', 'Europe/Berlin', 3_600);
  const friday = at('2026-03-27T09:00:00Z');
  t.same(
    iso(schedule.nextExpected(friday, 2)),
    ['2026-03-30T07:30:00Z', '2026-03-31T07:30:00Z'],
    'summer time has begun',
  );
  t.same(iso([schedule.deadlineAfter(friday)]), ['2026-03-30T08:30:00Z']);
  t.same(iso([schedule.expectedAfter(at('2026-03-30T07:30:00Z'))]), ['2026-03-31T07:30:00Z'], 'strictly after');
});

// In each case the days of crontab(5) are named: where a day field begins with `*`, a date has to fit both fields; else one suffices.
const days: readonly { expression: string; expected: readonly string[]; why: string }[] = [
  { expression: '0 0 */2 * 1', expected: ['12-07', '12-21', '01-11', '01-25'], why: 'Mondays with an odd date' },
  {
    expression: '0 0 */14 * 3',
    expected: ['09-01', '09-15', '09-29', '12-01'],
    why: 'Wednesdays on the 1st, 15th or 29th',
  },
  {
    expression: '0 0 */7 * 1',
    expected: ['02-01', '02-08', '02-15', '02-22'],
    why: 'Mondays on the 1st, 8th, 15th, 22nd or 29th',
  },
  {
    expression: '0 0 15 * */2',
    expected: ['12-15', '04-15', '05-15', '06-15'],
    why: 'the 15th, if its weekday is even',
  },
  { expression: '0 0 *,10 * 1', expected: ['12-07', '12-14', '12-21', '12-28'], why: 'a list that begins with *' },
  { expression: '0 0 1 * *,5', expected: ['01-01', '02-01', '03-01', '04-01'], why: 'and one of weekdays' },
  {
    expression: '0 0 *\t* sun',
    expected: ['12-06', '12-13', '12-20', '12-27'],
    why: 'fields are separated by tabs as well',
  },
  {
    expression: '0 0 1-31/2 * 1',
    expected: ['12-03', '12-05', '12-07', '12-09'],
    why: 'a range with a step is no *: one suffices',
  },
  {
    expression: '0 0 10,* * 1',
    expected: ['12-02', '12-03', '12-04', '12-05'],
    why: 'nor is a list that only ends with *',
  },
  { expression: '0 0 1,15 * 5', expected: ['12-04', '12-11', '12-15', '12-18'], why: 'two lists' },
];

for (const { expression, expected, why } of days) {
  t.test(`"${expression}" is expected on ${expected[0]} as by cron: ${why}`, async (t) => {
    const found = iso(cron(expression).nextExpected(at('2026-12-01T00:00:00Z'), expected.length));
    t.strictSame(
      found.map((time) => time.slice(5)),
      expected.map((day) => `${day}T00:00:00Z`),
    );
  });
}

// Gap and overlap of each zone's clock change, and what a job in it is expected at.
const changes: readonly { zone: string; expression: string; from: string; expected: readonly string[] }[] = [
  {
    zone: 'Europe/Berlin',
    expression: '30 2 * * *',
    from: '2026-03-28T02:00:00Z',
    expected: ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z'],
  },
  {
    zone: 'Europe/Berlin',
    expression: '30 2 * * *',
    from: '2026-10-24T12:00:00Z',
    expected: ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
  },
  {
    zone: 'America/New_York',
    expression: '30 2 * * *',
    from: '2026-03-07T12:00:00Z',
    expected: ['2026-03-08T07:00:00Z', '2026-03-09T06:30:00Z'],
  },
  {
    zone: 'America/New_York',
    expression: '30 1 * * *',
    from: '2026-10-31T12:00:00Z',
    expected: ['2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z'],
  },
  {
    zone: 'Australia/Lord_Howe',
    expression: '15 2 * * *',
    from: '2026-10-03T00:00:00Z',
    expected: ['2026-10-03T15:30:00Z', '2026-10-04T15:15:00Z'],
  },
  {
    zone: 'Africa/Casablanca',
    expression: '30 2 * * *',
    from: '2026-02-14T12:00:00Z',
    expected: ['2026-02-15T01:30:00Z', '2026-02-16T02:30:00Z'],
  },
  {
    zone: 'America/Ciudad_Juarez',
    expression: '30 2 * * *',
    from: '2026-03-07T12:00:00Z',
    expected: ['2026-03-08T09:00:00Z', '2026-03-09T08:30:00Z'],
  },
  {
    zone: 'Pacific/Apia',
    expression: '0 12 * * *',
    from: '2011-12-29T00:00:00Z',
    expected: ['2011-12-29T22:00:00Z', '2011-12-30T22:00:00Z'],
  },
];

for (const { zone, expression, from, expected } of changes) {
  t.test(`when clocks change, "${expression}" of ${zone} is expected at ${expected[0]}`, async (t) => {
    const schedule = cron(expression, zone, 600);
    t.same(iso(schedule.nextExpected(at(from), 2)), expected);
    t.equal(schedule.deadlineAfter(at(from)), at(expected[0] as string) + 600_000);
  });
}

// cron runs a job in each hour that is called the same, and in none that is skipped, only if its minute or hour begins with `*`.
const lists: readonly { expression: string; spring: readonly string[]; autumn: readonly string[] }[] = [
  { expression: '0,30 2 * * *', spring: ['28T01:00', '29T00:00'], autumn: ['31T00:00', '31T00:30', '01T01:00'] },
  { expression: '0-45/15 2 * * *', spring: ['28T01:00', '29T00:00'], autumn: ['31T00:30', '31T00:45', '01T01:00'] },
  { expression: '30 2-23/7 * * *', spring: ['28T01:00', '28T07:30'], autumn: ['31T00:30', '31T08:30', '31T15:30'] },
  { expression: '30 0,*/2 * * *', spring: ['28T01:00', '28T02:30'], autumn: ['31T00:30', '31T03:30', '31T05:30'] },
  { expression: '0,30 */2 * * *', spring: ['28T02:00', '28T02:30'], autumn: ['31T00:30', '31T01:00', '31T01:30'] },
  { expression: '*/30 2 * * *', spring: ['29T00:00', '29T00:30'], autumn: ['31T00:30', '31T01:00', '31T01:30'] },
];

for (const { expression, spring, autumn } of lists) {
  t.test(`when clocks change, "${expression}" of Europe/Berlin is expected as cron runs it`, async (t) => {
    const schedule = cron(expression, 'Europe/Berlin');
    const shown = (times: readonly number[]) => iso(times).map((time) => time.slice(8, 16));
    t.strictSame(shown(schedule.nextExpected(at('2027-03-28T00:45:00Z'), 2)), spring);
    const from = autumn[0] === '31T00:00' ? '2027-10-30T23:59:00Z' : '2027-10-31T00:15:00Z';
    t.strictSame(shown(schedule.nextExpected(at(from), 3)), autumn);
  });
}

t.test('a job of every hour is expected in both of the hours that are called the same', async (t) => {
  t.same(iso(cron('0 * * * *', 'Europe/Berlin').nextExpected(at('2026-10-24T23:30:00Z'), 3)), [
    '2026-10-25T00:00:00Z',
    '2026-10-25T01:00:00Z',
    '2026-10-25T02:00:00Z',
  ]);
});

t.test(
  'the smallest gap of an expression is found, also where it is rare, unless it does not fire for nine years',
  async (t) => {
    const now = at('2026-01-01T00:00:00Z');
    t.equal(cron('* * * * *').smallestGapSeconds(now), 60);
    t.equal(cron('0,7 3 * * *').smallestGapSeconds(now), 420);
    t.equal(cron('0 0 1 * *').smallestGapSeconds(now), 28 * 86_400);
    t.equal(cron('0 0 29 2 *').smallestGapSeconds(now), 1_461 * 86_400);
    t.throws(() => cron('0 0 29 2 */7').smallestGapSeconds(now), { message: /for more than nine years/ });
    t.throws(() => cron('0 0 29 2 */7').smallestGapSeconds(at('2035-01-01T00:00:00Z')), CronExpressionError);
  },
);

const refused = [
  ['* * * * * *', /five fields/],
  ['*/1 * * *', /five fields/],
  ['@every 1s', /five fields/],
  ['', /five fields/],
  ['0 0 30 2 *', /never fires/],
  ['61 * * * *', /minute/i],
  ['0-999999999/1 * * * *', /minute/i],
  ['50-10/5 * * * *', /50-10/],
  ['0 0 * * 9', /dayOfWeek/],
  ['*/0 * * * *', /step/i],
  ['? ? ? ? ?', /not a cron expression/],
  [`${'1,'.repeat(60)}1 * * * *`, /longer than 100/],
] as const;

for (const [expression, message] of refused) {
  t.test(`"${expression.slice(0, 20)}" is refused, with the reason`, async (t) => {
    t.throws(() => cron(expression), { name: 'CronExpressionError', message });
  });
}

t.test('an unknown zone is refused', async (t) => {
  t.throws(() => cron('0 0 * * *', 'Mars/Olympus'), new CronExpressionError('unknown time zone "Mars/Olympus"'));
});
