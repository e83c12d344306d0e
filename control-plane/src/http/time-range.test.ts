import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { timeRangeOf } from './time-range.js';

const NOW_MS = Date.UTC(2026, 1, 3, 12, 30, 15, 250);
const DAY_MS = 86_400_000;
const units = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };

t.test('from and to are date-times with a zone, or ages', async (t) => {
  const cases: readonly (readonly [string, number])[] = [
    ['2026-02-01T00:00:00Z', Date.UTC(2026, 1, 1)],
    ['2026-02-01t00:00:00z', Date.UTC(2026, 1, 1)],
    ['2026-02-01T00:00:00.5Z', Date.UTC(2026, 1, 1, 0, 0, 0, 500)],
    ['2026-02-01T02:00:00+02:00', Date.UTC(2026, 1, 1)],
    ['2026-02-01T02:00:00 02:00', Date.UTC(2026, 1, 1)],
    ['2026-01-31T19:00:00-05:00', Date.UTC(2026, 1, 1)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['-7d', NOW_MS - 7 * DAY_MS],
    ['-1h', NOW_MS - 3_600_000],
    ['-30m', NOW_MS - 1_800_000],
    ['-90s', NOW_MS - 90_000],
  ];
  for (const [text, expected] of cases) {
    t.strictSame(timeRangeOf({ from: text }, NOW_MS), { fromMs: expected, toMs: null }, text);
    t.strictSame(timeRangeOf({ to: text }, NOW_MS), { fromMs: null, toMs: expected }, text);
  }
  t.strictSame(timeRangeOf({}, NOW_MS), { fromMs: null, toMs: null });
});

t.test('an invalid instant, or one out of range, is a 400 that names the field', async (t) => {
  const garbage = [
    '',
    'now',
    'yesterday',
    '2026-02-01',
    '2026-02-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-02-01T25:00:00Z',
    '2026-12-31T23:59:60Z',
    '1769904000',
    '7d',
    '+7d',
    '-7',
    '-7w',
    '-7D',
    '--7d',
    '-1.5h',
    '-7d ',
    '- 7d',
    '-1e3s',
    '-1000000000s',
  ];
  const far = ['-4000d', '-999999999d', '-999999999s', '1970-01-01T00:00:00Z', '9999-01-01T00:00:00Z'];
  for (const field of ['from', 'to'] as const) {
    for (const [code, texts] of [['format', garbage] as const, ['range', far] as const]) {
      for (const text of texts) {
        const refusal = { code: 'VALIDATION_FAILED', status: 400, details: { [field]: [{ code }] } };
        t.throws(() => timeRangeOf({ [field]: text }, NOW_MS), refusal, `${field}=${text}`);
      }
    }
  }
});

t.test('a range that ends before it begins, or when it begins, is refused at from', async (t) => {
  const refusal = { code: 'VALIDATION_FAILED', status: 400, details: { from: [{ code: 'range' }] } };
  for (const query of [
    { from: '-1h', to: '-1h' },
    { from: '-1h', to: '-2h' },
    { from: '2026-02-02T00:00:00Z', to: '2026-02-01T00:00:00Z' },
    { from: '2026-02-04T00:00:00Z' },
    { from: '-0s' },
  ]) {
    t.throws(() => timeRangeOf(query, NOW_MS), refusal, JSON.stringify(query));
  }
  t.doesNotThrow(() => timeRangeOf({ from: '2026-02-04T00:00:00Z', to: '2026-02-05T00:00:00Z' }, NOW_MS));
});

t.test('every age and every instant is understood to the millisecond', async (t) => {
  const unit = fc.constantFrom('s' as const, 'm' as const, 'h' as const, 'd' as const);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000 }), unit, (count, name) => {
      t.equal(timeRangeOf({ from: `-${count}${name}` }, NOW_MS).fromMs, NOW_MS - count * units[name]);
    }),
    { numRuns: rounds(200) },
  );
  const instants = fc.integer({ min: NOW_MS - 3_000 * DAY_MS, max: NOW_MS - 1 });
  const minutesOfZone = fc.integer({ min: -12 * 60, max: 14 * 60 });
  fc.assert(
    fc.property(instants, minutesOfZone, (instantMs, zone) => {
      const sign = zone < 0 ? '-' : '+';
      const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0');
      const local = new Date(instantMs + zone * 60_000).toISOString().slice(0, -1);
      const from = `${local}${sign}${two(zone / 60)}:${two(Math.abs(zone) % 60)}`;
      t.equal(timeRangeOf({ from }, NOW_MS).fromMs, instantMs, from);
    }),
    { numRuns: rounds(200) },
  );
});

t.test('any text is an instant or a refusal, never an invalid date', async (t) => {
  const pieces = fc.constantFrom('-', '7', 'd', '2026', '02', 'T', ':', 'Z', '+', ' ', 'x', '.5', '00');
  const texts = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.array(pieces, { maxLength: 14 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(texts, (to) => {
      try {
        t.ok(Number.isSafeInteger(timeRangeOf({ to }, NOW_MS).toMs), to);
      } catch (error) {
        t.match(error, { name: 'ApiError', code: 'VALIDATION_FAILED', details: { to: [{}] } });
      }
    }),
    { numRuns: rounds(500) },
  );
});
