import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { ApiError } from './errors.js';
import { Turns } from './turns.js';

const bounds = { atOnce: 2, maxWaiting: 3, patienceMs: 5_000 };

/** Work that ends when the test says so. */
function held() {
  let end = (_value: string) => {};
  let fail = (_error: Error) => {};
  const promise = new Promise<string>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work: () => promise, end: (value: string) => end(value), fail: (error: Error) => fail(error) };
}

t.test('at most the permitted number runs at once for each key, in order of arrival', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 8 }),
      fc.array(fc.record({ key: fc.constantFrom('a', 'b'), fails: fc.boolean() }), { maxLength: 40 }),
      async (scheduler, atOnce, moreBelow, works) => {
        const all = { count: 0 };
        const turns = new Turns({
          ...bounds,
          atOnce,
          moreBelow,
          running: all,
          maxWaiting: 40,
          clock: new FakeClock(),
        });
        const running = new Map<string, number>();
        const begun = new Map<string, number[]>();
        const done = works.map(({ key, fails }, index) =>
          turns.run(key, async () => {
            running.set(key, (running.get(key) ?? 0) + 1);
            begun.set(key, [...(begun.get(key) ?? []), index]);
            if ((running.get(key) ?? 0) > atOnce && all.count > moreBelow) throw new Error('too many at once');
            await scheduler.schedule(Promise.resolve());
            running.set(key, (running.get(key) ?? 0) - 1);
            if (fails) throw new Error('as told');
          }),
        );
        const settled = Promise.allSettled(done);
        await scheduler.waitFor(settled);
        const outcomes = await settled;
        const areAsGiven = outcomes.every((outcome, index) =>
          outcome.status === 'fulfilled' ? !works[index]?.fails : outcome.reason.message === 'as told',
        );
        const areInOrder = [...begun.values()].every((order) =>
          order.every((at, i) => i === 0 || at > Number(order[i - 1])),
        );
        return areAsGiven && areInOrder && turns.size === 0 && all.count === 0;
      },
    ),
    { numRuns: rounds(200) },
  );
});

t.test('a caller alone runs more than its share, and returns to it as the work of others begins', async (t) => {
  const running = { count: 0 };
  const clock = new FakeClock();
  const reads = new Turns({ ...bounds, maxWaiting: 10, clock, running, moreBelow: 4 });
  const changes = new Turns({ ...bounds, clock, running });
  const begun = { a: 0, b: 0 };
  const begin = (key: 'a' | 'b', turns: Turns) => {
    const { work, end } = held();
    const done = turns.run(key, () => {
      begun[key] += 1;
      return work();
    });
    return async () => {
      end('done');
      await done;
      await setImmediate();
    };
  };
  const [endFirst, endSecond, ...others] = Array.from({ length: 8 }, () => begin('a', reads));
  t.equal(begun.a, 4, 'twice its share');
  const ends = [begin('b', changes), begin('b', changes), begin('b', changes)];
  t.equal(begun.b, 2, 'another caller has its share at once, and no more where nothing more is lent');
  await endFirst?.();
  await endSecond?.();
  t.equal(begun.a, 4, 'what ended is not begun anew while others run');
  await ends[0]?.();
  await ends[1]?.();
  t.equal(begun.b, 3);
  begin('a', reads);
  await setImmediate();
  t.equal(begun.a, 5, 'the oldest waiting work is begun as soon as there is room again');
  t.equal(running.count, 4);
  for (const end of [ends[2], ...others]) await end?.();
  t.equal(begun.a, 9);
  t.equal(running.count, 1);
});

t.test('a caller beyond the greatest number of waiting ones is refused at once, with the time to return', async (t) => {
  const clock = new FakeClock();
  const turns = new Turns({ ...bounds, clock });
  const first = held();
  const all = Array.from({ length: 5 }, () => turns.run('a', first.work));
  const refusal = await turns.run('a', first.work).catch((error: unknown) => error);
  t.match(refusal, { code: 'RATE_LIMIT_EXCEEDED', status: 429, allowance: { limit: 2, remaining: 0 } });
  const resetsInMs = Number((refusal as ApiError).allowance?.resetsAt) - clock.now();
  t.ok(resetsInMs > 0 && resetsInMs <= 1_000);
  t.equal(await turns.run('b', async () => 'other'), 'other', 'others are not held up');
  first.end('done');
  t.same(await Promise.all(all), Array(5).fill('done'));
});

t.test('a caller that has waited too long is refused, and takes no turn from those behind it', async (t) => {
  const clock = new FakeClock();
  const unavailable = () => new ApiError('UNAVAILABLE');
  const turns = new Turns({ ...bounds, atOnce: 1, clock, refusal: unavailable });
  const first = held();
  const running = turns.run('a', first.work);
  const impatient = turns.run('a', async () => 'late').catch((error: unknown) => error);
  await setImmediate();
  clock.advance(4_999);
  const behind = turns.run('a', async () => 'next');
  await setImmediate();
  clock.advance(1);
  t.match(await impatient, { code: 'UNAVAILABLE' });
  first.fail(new Error('broken'));
  await t.rejects(running, { message: 'broken' });
  t.equal(await behind, 'next');
  t.equal(turns.size, 0);
});

t.test('a turn that becomes free by what had arrived when the wait ended is taken', async (t) => {
  const clock = new FakeClock();
  const turns = new Turns({ ...bounds, atOnce: 1, clock });
  const first = held();
  const [one, two, three] = ['one', 'two', 'three'].map((value, index) =>
    turns.run('a', () => (index === 0 ? first.work() : Promise.resolve(value))),
  );
  clock.advance(bounds.patienceMs);
  first.end('one');
  t.same(await Promise.all([one, two, three]), ['one', 'two', 'three']);
  t.equal(turns.size, 0);
});
