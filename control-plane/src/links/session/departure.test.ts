import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { type DepartureOptions, planDeparture, sendElsewhere } from './departure.js';
import type { Link } from './link.js';

/** Links that only note which addresses they were sent to. */
function links(count: number) {
  const sentTo: string[][] = [];
  const close: Link['close'] = (_reason, _message, advice) => void sentTo.push([...(advice?.controlUrls ?? [])]);
  return { sentTo, sessions: Array.from({ length: count }, () => ({ close }) as Link) };
}

function depart(count: number, options: Partial<DepartureOptions> = {}) {
  const clock = new FakeClock();
  const { sentTo, sessions } = links(count);
  const signal = new AbortController().signal;
  const done = sendElsewhere(sessions, { overMs: 10_000, urls: [], clock, signal, ...options });
  return { clock, sentTo, done };
}

t.test('ten thousand agents leave spread over the whole time, never in one breath', async (t) => {
  const { clock, sentTo, done } = depart(10_000);
  const perStep: number[] = [];
  for (let step = 1; step <= 100; step += 1) {
    const before = perStep.reduce((sum, count) => sum + count, 0);
    perStep.push(sentTo.length - before);
    if (sentTo.length < 10_000) await until('the next step to be waited for', () => clock.pendingTimers === 1);
    clock.advance(100);
    await new Promise(setImmediate);
  }
  await done;
  t.equal(sentTo.length, 10_000);
  t.ok(Math.max(...perStep) <= 100, `${Math.max(...perStep)} at once`);
});

t.test('every time is enough for any number, and of few agents one is back before the next one leaves', async (t) => {
  t.strictSame(planDeparture(10_000, 1), { perStep: 10_000, stepMs: 100 });
  t.strictSame(planDeparture(10_000, 60_000), { perStep: 17, stepMs: 100 });
  t.strictSame(planDeparture(20, 5_000), { perStep: 1, stepMs: 250 });
  t.strictSame(planDeparture(3, 60_000), { perStep: 1, stepMs: 1_000 });
  t.strictSame(planDeparture(0, 0), { perStep: 1, stepMs: 100 });
});

t.test('agents are spread over the remaining replicas, and each gets all their addresses', async (t) => {
  const { sentTo, done } = depart(4, { overMs: 0, urls: ['https://b', 'https://c', 'https://d'] });
  await done;
  t.strictSame(sentTo, [
    ['https://b', 'https://c', 'https://d'],
    ['https://c', 'https://d', 'https://b'],
    ['https://d', 'https://b', 'https://c'],
    ['https://b', 'https://c', 'https://d'],
  ]);
});

t.test('a departure that is cut short leaves the rest to its caller, and no timer', async (t) => {
  const abort = new AbortController();
  const { clock, sentTo, done } = depart(1_000, { signal: abort.signal });
  await until('the next step to be waited for', () => clock.pendingTimers === 1);
  abort.abort();
  await done;
  t.equal(sentTo.length, 10);
  t.equal(clock.pendingTimers, 0);
});
