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

t.test('a job of every hour is expected in both of the hours that are called the same', async (t) => {
  t.same(iso(cron('0 * * * *', 'Europe/Berlin').nextExpected(at('2026-10-24T23:30:00Z'), 3)), [
    '2026-10-25T00:00:00Z',
    '2026-10-25T01:00:00Z',
    '2026-10-25T02:00:00Z',
  ]);
});

t.test('the smallest gap of an expression is found, also where it is rare', async (t) => {
  const now = at('2026-01-01T00:00:00Z');
  t.equal(cron('* * * * *').smallestGapSeconds(now), 60);
  t.equal(cron('0,7 3 * * *').smallestGapSeconds(now), 420);
  t.equal(cron('0 0 1 * *').smallestGapSeconds(now), 28 * 86_400);
  t.equal(cron('0 0 29 2 *').smallestGapSeconds(now), 1_461 * 86_400);
});

const refused = [
  ['* * * * * *', /five fields/],
  ['*/1 * * *', /five fields/],
  ['@every 1s', /five fields/],
  ['', /five fields/],
  ['0 0 30 2 *', /never fires/],
  ['61 * * * *', /minute/i],
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
