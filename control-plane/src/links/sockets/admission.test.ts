import t from 'tap';
import { type AdmissionState, planAdmission } from './admission.js';

/** Lets agents come at these moments, and again after each delay that they are sent; when each got in, milliseconds. */
function comeBackAsAsked(arrivals: readonly number[], perSecond: number, roundUpMs = 1000): number[] {
  let state: AdmissionState = { tokens: perSecond, atMs: 0, bookedMs: 0 };
  const waiting = [...arrivals];
  const admitted: number[] = [];
  while (waiting.length > 0) {
    waiting.sort((a, b) => b - a);
    const nowMs = waiting.pop() ?? 0;
    const next = planAdmission(state, nowMs, perSecond);
    state = next.state;
    if (next.waitMs === 0) admitted.push(nowMs);
    // Retry-After has whole seconds; agents add some of their own
    else waiting.push(nowMs + Math.ceil(next.waitMs / roundUpMs) * roundUpMs + (waiting.length % 1000));
  }
  return admitted;
}

t.test(
  'two thousand simultaneous agents are all admitted, at the configured rate and hardly later than possible',
  async (t) => {
    const admitted = comeBackAsAsked(new Array(2_000).fill(0), 100);
    t.equal(admitted.length, 2_000);
    t.ok((admitted.at(-1) ?? 0) < 30_000, `the last after ${admitted.at(-1)} ms`);
    for (let from = 0; from < 30_000; from += 1_000) {
      const inThatSecond = admitted.filter((ms) => ms >= from && ms < from + 1_000).length;
      t.ok(inThatSecond <= 200, `${inThatSecond} in second ${from / 1000}`);
    }
  },
);

t.test('refused agents get different times, one after another', async (t) => {
  let state: AdmissionState = { tokens: 0, atMs: 0, bookedMs: 0 };
  const waits: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const next = planAdmission(state, 0, 10);
    state = next.state;
    waits.push(next.waitMs);
  }
  t.same(waits, [100, 200, 300, 400, 500]);
});

t.test(
  'after a quiet moment no agent waits, and a long queue keeps no agent away for more than two minutes',
  async (t) => {
    const busy = { tokens: 0, atMs: 0, bookedMs: 90_000 };
    t.equal(planAdmission(busy, 1_000, 10).waitMs, 0);
    let state: AdmissionState = { tokens: 0, atMs: 0, bookedMs: 0 };
    for (let i = 0; i < 500; i += 1) {
      const next = planAdmission(state, 0, 1);
      state = next.state;
      t.ok(next.waitMs <= 120_000);
    }
  },
);
