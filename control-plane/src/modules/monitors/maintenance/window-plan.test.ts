import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { occurrencesWithin, type Recurrence } from './maintenance.js';
import { type PlannedWindow, planDue, planWindow } from './window-plan.js';

const MINUTE_MS = 60_000;
const at = (text: string) => Date.parse(text);
const aWindow = (more: Partial<PlannedWindow> = {}): PlannedWindow => ({
  startsAtMs: at('2026-03-01T22:00Z'),
  endsAtMs: at('2026-03-01T23:00Z'),
  recurrence: 'daily',
  recurrenceUntilMs: null,
  timezone: 'UTC',
  advanceNoticeMinutes: 60,
  announcedAtMs: null,
  ...more,
});

t.test('a notice whose time has passed when the window is written is not sent', async (t) => {
  t.equal(planWindow(aWindow(), at('2026-03-01T20:59Z')).nextNoticeAtMs, at('2026-03-01T21:00Z'));
  t.equal(planWindow(aWindow(), at('2026-03-01T21:30Z')).nextNoticeAtMs, at('2026-03-02T21:00Z'));
  t.equal(planWindow(aWindow({ advanceNoticeMinutes: 0 }), at('2026-03-01T20:00Z')).nextNoticeAtMs, null);
});

t.test('an announced occurrence is not announced again when only the notice changes', async (t) => {
  const announced = aWindow({ advanceNoticeMinutes: 10, announcedAtMs: at('2026-03-01T22:00Z') });
  t.equal(planWindow(announced, at('2026-03-01T21:30Z')).nextNoticeAtMs, at('2026-03-02T21:50Z'));
});

t.test('a notice that was missed is sent late, unless the occurrence has begun', async (t) => {
  const window = aWindow({ advanceNoticeMinutes: 3 * 24 * 60 });
  const plan = { nextTurnAtMs: null, nextNoticeAtMs: at('2026-03-01T22:00Z') };
  const late = planDue(window, plan, at('2026-03-05T12:00Z'));
  t.equal(late.announced, null, 'of the fourth, which is over');
  t.equal(late.nextNoticeAtMs, at('2026-03-02T22:00Z'), 'of the fifth');
  t.match(planDue(window, late, at('2026-03-05T12:00Z')), { announced: { fromMs: at('2026-03-05T22:00Z') } });
});

t.test(
  'every turn is noticed, and every occurrence announced once, in time, however often windows are evaluated',
  async (t) => {
    const windows = fc
      .record({
        recurrence: fc.constantFrom<Recurrence>('none', 'daily', 'weekly', 'monthly'),
        hours: fc.integer({ min: 1, max: 24 }),
        advanceNoticeMinutes: fc.integer({ min: 1, max: 10_080 }),
        timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
      })
      .map(({ hours, ...more }) => aWindow({ endsAtMs: at('2026-03-01T22:00Z') + hours * 60 * MINUTE_MS, ...more }));
    const steps = fc.array(fc.integer({ min: 1, max: 5 * 24 * 60 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(windows, steps, (window, minutes) => {
        const firstMs = at('2026-02-20T00:00Z');
        let nowMs = firstMs;
        let plan = planWindow(window, nowMs);
        const announcedAt: number[] = [];
        for (const more of minutes) {
          const beforeMs = nowMs;
          nowMs += more * MINUTE_MS;
          const touched = [...occurrencesWithin(window, { fromMs: beforeMs, toMs: nowMs + 1 })];
          const turns = touched.flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
          const isTurn = turns.some((turnMs) => turnMs > beforeMs && turnMs <= nowMs);
          const due = planDue(window, plan, nowMs);
          t.equal(due.hasTurned, isTurn);
          for (let work = due; ; work = planDue(window, work, nowMs)) {
            if (work.announced !== null) announcedAt.push(work.announced.fromMs);
            plan = work;
            if (work.nextNoticeAtMs === null || work.nextNoticeAtMs > nowMs) break;
          }
        }
        t.same(announcedAt, [...new Set(announcedAt)].sort(), 'each once, in their order');
        t.ok(plan.nextNoticeAtMs === null || plan.nextNoticeAtMs > nowMs);
      }),
      { numRuns: rounds(100) },
    );
  },
);
