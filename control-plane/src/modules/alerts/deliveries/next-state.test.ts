import fc from 'fast-check';
import t from 'tap';
import { messageKinds } from '../types/message.js';
import { type AttemptResult, decideNext, type Tried } from './next-state.js';
import { delayAfter, JITTER, lifeMsOf, MAX_RETRY_AFTER_MS, requestedDelay, retryDelaysMs } from './schedule.js';

const HOUR = 3_600_000;
const failed: AttemptResult = { kind: 'retry', retryAfterMs: null };

t.test(
  'attempts come after 5, 15 and 30 s, 1, 2 and 5 minutes, then every 10 minutes, each 20 % earlier or later',
  async (t) => {
    const seconds = (tries: number, random: number) => delayAfter(tries, random, null) / 1_000;
    t.same(
      Array.from({ length: 9 }, (_, index) => seconds(index + 1, 0.5)),
      [5, 15, 30, 60, 120, 300, 600, 600, 600],
    );
    t.same([seconds(1, 0), seconds(1, 1), seconds(20, 0), seconds(20, 1)], [4, 6, 480, 720]);
  },
);

t.test('a pause that a vendor documents is kept, however long', async (t) => {
  const hours = (count: number) => count * 3_600_000;
  t.equal(delayAfter(1, 0, requestedDelay({ retryAfterMs: hours(9), isOfVendor: true })), hours(9));
  const result: AttemptResult = { kind: 'retry', retryAfterMs: hours(9), isOfVendor: true };
  const tried = { kind: 'firing', createdAtMs: 0, tries: 1, isPlain: false } as const;
  t.match(decideNext(tried, result, { nowMs: 0, random: 0 }), { status: 'retrying', nextAttemptAtMs: hours(9) });
});

t.test('a server may put off the next attempt by up to an hour, and never bring it forward', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(),
      (tries, random, after) => {
        const delay = delayAfter(tries, random, requestedDelay({ retryAfterMs: after }));
        const base = retryDelaysMs[Math.min(tries, retryDelaysMs.length) - 1] ?? 0;
        return (
          delay >= Math.round(base * (1 - JITTER)) &&
          delay >= Math.min(after, MAX_RETRY_AFTER_MS) &&
          delay <= Math.max(MAX_RETRY_AFTER_MS, base * (1 + JITTER))
        );
      },
    ),
  );
});

t.test(
  'every message ends: accepted at once, refused at most after its plain form, failed when its time is over',
  async () => {
    const result: fc.Arbitrary<AttemptResult> = fc.oneof(
      {
        weight: 20,
        arbitrary: fc.record({ kind: fc.constant('retry' as const), retryAfterMs: fc.option(fc.nat({ max: 1e9 })) }),
      },
      fc.record({
        kind: fc.constant('refused' as const),
        of: fc.constantFrom('message' as const, 'recipient' as const, 'channel' as const),
      }),
      { weight: 1, arbitrary: fc.constant({ kind: 'accepted' as const }) },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...messageKinds),
        fc.infiniteStream(fc.tuple(result, fc.double({ min: 0, max: 1, noNaN: true }))),
        (kind, results) => {
          let isPlain = false;
          let nowMs = 0;
          for (let tries = 1; ; tries += 1) {
            const tried: Tried = { kind, createdAtMs: 0, tries, isPlain };
            const [given, random] = results.next().value as [AttemptResult, number];
            const next = decideNext(tried, given, { nowMs, random });
            if (next.status === 'sent') return given.kind === 'accepted';
            if (next.status === 'dead') return (next.reason === 'refused') === (given.kind === 'refused');
            if (next.isPlain && !tried.isPlain) {
              if (next.nextAttemptAtMs !== nowMs) return false;
            } else if (next.nextAttemptAtMs <= nowMs || next.nextAttemptAtMs > lifeMsOf(kind)) return false;
            if (tried.isPlain && !next.isPlain) return false;
            nowMs = next.nextAttemptAtMs;
            isPlain = next.isPlain;
          }
        },
      ),
    );
  },
);

t.test('a firing message is tried for 24 hours, a resolved one for 72, a test once', async (t) => {
  const last = (kind: Tried['kind'], nowMs: number) =>
    decideNext({ kind, createdAtMs: 0, tries: 100, isPlain: false }, failed, { nowMs, random: 0.5 }).status;
  t.same([last('firing', 23.8 * HOUR), last('firing', 23.9 * HOUR)], ['retrying', 'dead']);
  t.same([last('resolved', 71.8 * HOUR), last('resolved', 71.9 * HOUR)], ['retrying', 'dead']);
  t.equal(last('test', 0), 'dead');
});
