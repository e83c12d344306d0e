import t from 'tap';
import { type Answer, judgeKept, nothingKept, withFinding } from './answer.js';

const answer: Answer = { isFailure: false, askedAtMs: 0, freshUntilMs: 100_000, staleUntilMs: 300_000, body: {} };
const failure: Answer = { isFailure: true, askedAtMs: 150_000, freshUntilMs: 180_000, staleUntilMs: 180_000, body: {} };
const kept = { answer, failure: null };

t.test('an answer is used until the end of its fresh time, and due for renewal in the last tenth', async (t) => {
  for (const [nowMs, isRenewalDue] of [
    [0, false],
    [89_999, false],
    [90_000, true],
    [99_999, true],
  ] as const) {
    t.strictSame(judgeKept(kept, nowMs), { use: 'answer', answer, isRenewalDue });
  }
  t.strictSame(judgeKept(kept, 100_000), { use: 'nothing', stale: answer });
  t.strictSame(judgeKept(kept, 300_000), { use: 'nothing', stale: null });
  t.strictSame(judgeKept(nothingKept, 0), { use: 'nothing', stale: null });
});

t.test('a caller may want a newer answer, but not one that is younger than a minute', async (t) => {
  t.equal(judgeKept(kept, 60_000, 0).use, 'answer');
  t.equal(judgeKept(kept, 60_001, 0).use, 'nothing');
  t.equal(judgeKept(kept, 80_000, 80_000).use, 'answer');
  t.equal(judgeKept(kept, 80_001, 80_000).use, 'nothing');
});

t.test('a failure is kept for its time together with the stale answer, and stops renewals', async (t) => {
  const both = withFinding(kept, failure);
  t.strictSame(judgeKept(both, 150_000), { use: 'failure', failure, stale: answer });
  t.strictSame(judgeKept(both, 180_000), { use: 'nothing', stale: answer });
  t.strictSame(judgeKept(withFinding(nothingKept, failure), 150_000), { use: 'failure', failure, stale: null });
  const early = { ...failure, askedAtMs: 91_000, freshUntilMs: 99_000 };
  t.strictSame(judgeKept(withFinding(kept, early), 95_000), { use: 'answer', answer, isRenewalDue: false });
  t.strictSame(withFinding(both, answer), kept, 'an answer makes the failure void');
});
