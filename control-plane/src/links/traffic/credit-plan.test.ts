import fc from 'fast-check';
import t from 'tap';
import { BUDGET_ROWS, MOST_ROWS, planCredits, planShare, TASK_ROWS } from './credit-plan.js';

const fine = { waitMs: 20, waitingBytes: 0 };
const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const pressure = fc.record({ waitMs: fc.nat(10_000), waitingBytes: fc.nat(200_000_000) });

t.test('lane check stops when PostgreSQL lags two seconds, or much waits for it', async (t) => {
  t.equal(planShare(1, { waitMs: 2_000, waitingBytes: 0 }, 250), 0);
  t.equal(planShare(1, { waitMs: 0, waitingBytes: 64 * 1024 * 1024 }, 250), 0);
  t.equal(planCredits(0, 10, 10).busy.check, 0);
});

t.test('credits of a slow lane shrink, but never to zero', async (t) => {
  let now = 1;
  for (let i = 0; i < 40; i += 1) {
    const next = planShare(now, { waitMs: 500, waitingBytes: 0 }, 250);
    t.ok(next < now || next === 1 / 64, String(next));
    now = next;
  }
  t.equal(now, 1 / 64);
});

t.test('credits grow back smoothly: at most twofold in half a second, and wholly within four', async (t) => {
  let now = planShare(0, fine, 250);
  t.ok(now > 0 && now <= 1 / 64);
  for (let i = 0; i < 16; i += 1) {
    const next = planShare(now, fine, 250);
    t.ok(next <= now * 2 ** 0.5 + 1e-9);
    now = next;
  }
  t.equal(now, 1);
});

t.test('the share stays between nothing and all, and more lag never brings more', async (t) => {
  const holds = () =>
    fc.assert(
      fc.property(share, pressure, pressure, fc.nat(60_000), (before, a, b, elapsedMs) => {
        const [less, more] = [a, { waitMs: a.waitMs + b.waitMs, waitingBytes: a.waitingBytes + b.waitingBytes }];
        const [mild, hard] = [planShare(before, less, elapsedMs), planShare(before, more, elapsedMs)];
        return mild >= 0 && mild <= 1 && hard <= mild;
      }),
    );
  t.doesNotThrow(holds);
});

t.test('rows in flight are bounded over all links, a backlog gets no less, and lane task keeps a batch', async (t) => {
  const holds = () =>
    fc.assert(
      fc.property(share, fc.integer({ min: 1, max: 20_000 }), fc.nat(20_000), (granted, links, some) => {
        const withBacklog = Math.min(some, links);
        const { quiet, busy } = planCredits(granted, links, withBacklog);
        const inFlight = quiet.check * (links - withBacklog) + busy.check * withBacklog;
        const isBounded = inFlight <= (granted === 0 ? 0 : BUDGET_ROWS * granted + links);
        const hasTasks = quiet.task >= TASK_ROWS && busy.task >= TASK_ROWS;
        return isBounded && hasTasks && busy.check >= quiet.check && busy.check <= MOST_ROWS;
      }),
    );
  t.doesNotThrow(holds);
});

t.test('one more link changes nothing for most of the others', async (t) => {
  let changes = 0;
  for (let links = 1; links < 10_000; links += 1) {
    if (planCredits(1, links, 0).quiet.check !== planCredits(1, links + 1, 0).quiet.check) changes += 1;
  }
  t.ok(changes <= 12, `${changes} changes up to ten thousand links`);
});
