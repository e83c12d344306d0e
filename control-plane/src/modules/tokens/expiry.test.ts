import t from 'tap';
import { checkExpiry, type ExpiryRequest } from './expiry.js';

const nowMs = Date.UTC(2026, 0, 1, 12);
const DAY_MS = 86_400_000;
const at = (ms: number) => new Date(nowMs + ms).toISOString();

t.test('a token ends after a number of days, at an instant, or by the default of its kind', async (t) => {
  const cases: readonly (readonly [ExpiryRequest, string | null])[] = [
    [{}, null],
    [{ expires_at: null }, null],
    [{ expires_days: 1 }, '2026-01-02T12:00:00.000Z'],
    [{ expires_days: 90 }, '2026-04-01T12:00:00.000Z'],
    [{ expires_days: 90, expires_at: null }, '2026-04-01T12:00:00.000Z'],
    [{ expires_at: at(1) }, at(1)],
    [{ expires_at: at(90 * DAY_MS) }, at(90 * DAY_MS)],
    [{ expires_at: '2026-02-01T01:00:00+05:30' }, '2026-01-31T19:30:00.000Z'],
  ];
  for (const [request, expected] of cases) {
    const checked = checkExpiry(request, { nowMs, maxDays: 90 });
    t.equal(checked.ok && (checked.value?.toISOString() ?? null), expected, JSON.stringify(request));
  }
});

t.test('an end that is past, too far, unreadable or said twice is refused by name', async (t) => {
  const cases: readonly (readonly [ExpiryRequest, string, RegExp])[] = [
    [{ expires_at: at(0) }, 'range', /future/],
    [{ expires_at: at(-1) }, 'range', /future/],
    [{ expires_at: at(90 * DAY_MS + 1) }, 'range', /at most 90 days/],
    [{ expires_at: '2026-01-31T23:59:60Z' }, 'format', /2026-01-31T12:00:00Z/],
    [{ expires_at: '2026-01-31T12:00:00+05' }, 'format', /2026-01-31T12:00:00Z/],
    [{ expires_days: 1, expires_at: at(DAY_MS) }, 'conflict', /together with expires_days/],
  ];
  for (const [request, code, message] of cases) {
    t.match(
      checkExpiry(request, { nowMs, maxDays: 90 }),
      { ok: false, details: { expires_at: [{ code, message }] } },
      JSON.stringify(request),
    );
  }
});
