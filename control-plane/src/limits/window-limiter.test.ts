import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { WindowTable } from '../../test/_support/window-table.js';
import type { Allowance } from '../http/allowance.js';
import type { Limit } from '../http/rate-limit.js';
import type { Ask } from './tally.js';
import type { UnitSource } from './turnstile.js';
import { WindowLimiter } from './window-limiter.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How far the clocks of replicas differ, and how long an answer is on its way: together less than the shortest window. */
const MOST_APART_MS = MINUTE_MS / 2 - 1;
const minute = (limit: number, key = 'requests:u_1'): Limit => ({ key, limit, windowMs: MINUTE_MS });

/** A limiter on a table in memory; `asks` is what it cost. */
function alone(isOurs = true) {
  const [clock, table, asks] = [new FakeClock(), new WindowTable(), [] as Ask[]];
  const state = { isOurs };
  const source: UnitSource = {
    take: async (ask) => {
      asks.push(ask);
      return table.take(ask);
    },
    isOurs: () => state.isOurs,
  };
  const leave = () => {
    state.isOurs = false;
  };
  return { clock, table, asks, limiter: new WindowLimiter(source, clock), leave };
}

type Step =
  | { readonly kind: 'consume'; readonly replica: number; readonly cost: number }
  | { readonly kind: 'refund' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'company'; readonly isOurs: boolean };

const consume = fc.record({
  kind: fc.constant('consume' as const),
  replica: fc.nat(2),
  cost: fc.oneof({ arbitrary: fc.constant(1), weight: 3 }, { arbitrary: fc.integer({ min: 1, max: 7 }), weight: 1 }),
});
const steps = fc.array(
  fc.oneof(
    { arbitrary: consume, weight: 8 },
    { arbitrary: fc.record({ kind: fc.constant('refund' as const) }), weight: 1 },
    {
      arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 40_000 }) }),
      weight: 2,
    },
    { arbitrary: fc.record({ kind: fc.constant('company' as const), isOurs: fc.boolean() }), weight: 1 },
  ),
  { maxLength: 80 },
);
const limits = fc.record({
  key: fc.constantFrom('a', 'b'),
  limit: fc.integer({ min: 1, max: 40 }),
  windowMs: fc.constantFrom(MINUTE_MS, DAY_MS),
});

/**
 * Units of one limit that replicas let through, by window, while their requests are served in any order and their
 * clocks differ.
 */
class Trial {
  readonly net = new Map<number, number>();
  readonly #clocks: readonly FakeClock[];
  readonly #table = new WindowTable();
  readonly #allowed: { readonly replica: WindowLimiter; readonly cost: number; readonly allowance: Allowance }[] = [];
  readonly #pending: Promise<unknown>[] = [];
  readonly #replicas: readonly WindowLimiter[];
  #isOurs = true;

  constructor(
    private readonly limit: Limit,
    private readonly options: {
      /** How far ahead the clock of each replica is. */
      readonly skewsMs: readonly number[];
      readonly scheduler: fc.Scheduler;
      readonly fails: () => boolean;
    },
  ) {
    const source: UnitSource = {
      take: async (ask) => {
        await options.scheduler.schedule(Promise.resolve());
        return options.fails() ? null : this.#table.take(ask);
      },
      isOurs: () => this.#isOurs,
    };
    this.#clocks = options.skewsMs.map((ms) => new FakeClock(Date.UTC(2026, 0, 1) + ms));
    this.#replicas = this.#clocks.map((clock) => new WindowLimiter(source, clock));
  }

  async run(all: readonly Step[]): Promise<void> {
    let unansweredMs = 0;
    for (const step of all) {
      if (step.kind === 'wait') unansweredMs += step.ms;
      if (this.options.scheduler.count() === 0 || unansweredMs > MOST_APART_MS) {
        await this.options.scheduler.waitIdle();
        unansweredMs = step.kind === 'wait' && step.ms <= MOST_APART_MS ? step.ms : 0;
      }
      this.#perform(step);
      // some are answered before the next step, some after
      if (this.options.scheduler.count() > 3) await this.options.scheduler.waitOne();
    }
    await this.options.scheduler.waitIdle();
    await Promise.all(this.#pending);
  }

  #perform(step: Step): void {
    if (step.kind === 'wait') for (const clock of this.#clocks) clock.advance(step.ms);
    else if (step.kind === 'company') this.#isOurs = step.isOurs;
    else if (step.kind === 'refund') this.#refund();
    else this.#pending.push(this.#consume(step.replica, step.cost));
  }

  async #consume(index: number, cost: number): Promise<void> {
    const replica = this.#replicas[index % this.#replicas.length] as WindowLimiter;
    const allowance = await replica.consume(this.limit, cost);
    const { limit, remaining, resetsAt, isAllowed } = allowance;
    if (limit !== this.limit.limit || remaining < 0 || remaining > limit) throw new Error(JSON.stringify(allowance));
    if (resetsAt % 1_000 !== 0) throw new Error(`ends within a second: ${resetsAt}`);
    if (!isAllowed) return;
    this.#allowed.push({ replica, cost, allowance });
    const net = (this.net.get(resetsAt) ?? 0) + cost;
    this.net.set(resetsAt, net);
    if (net > limit) throw new Error(`${net} were let through`);
  }

  #refund(): void {
    const back = this.#allowed.shift();
    if (back === undefined) return;
    const { replica, cost, allowance } = back;
    this.net.set(allowance.resetsAt, (this.net.get(allowance.resetsAt) ?? 0) - cost);
    this.#pending.push(replica.refund(this.limit, cost, allowance));
  }
}

t.test(
  'replicas together never let more through than the limit while clocks and answers are less than a window apart',
  async () => {
    const skews = fc.array(fc.nat(MOST_APART_MS), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), limits, steps, skews, async (scheduler, limit, all, skewsMs) => {
        await new Trial(limit, { skewsMs, scheduler, fails: () => false }).run(all);
      }),
      { numRuns: rounds(500) },
    );
  },
);

t.test('a replica whose store comes and goes never lets more through than the limit', async () => {
  const coins = fc.infiniteStream(fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), limits, steps, coins, async (scheduler, limit, all, coin) => {
      await new Trial(limit, { skewsMs: [0], scheduler, fails: () => coin.next().value === true }).run(all);
    }),
    { numRuns: rounds(500) },
  );
});

t.test('requests that still wait when their window ends are counted with those of the next, each once', async (t) => {
  const [clock, table] = [new FakeClock(), new WindowTable()];
  const isAway = [false, true, true, false];
  const asked: (() => void)[] = [];
  const source: UnitSource = {
    take: async (ask) => {
      await new Promise<void>((resolve) => asked.push(resolve));
      return isAway.shift() === true ? null : table.take(ask);
    },
    isOurs: () => false,
  };
  const limiter = new WindowLimiter(source, clock);
  const limit = minute(2);
  const early = [limiter.consume(limit), limiter.consume(limit)];
  clock.advance(MINUTE_MS);
  const answers = Promise.all([...early, limiter.consume(limit), limiter.consume(limit)]);
  // the newest ask is answered first
  for (let answer = asked.pop(); answer; answer = asked.pop()) {
    answer();
    await setImmediate();
  }
  const allowed = (await answers).filter(({ isAllowed }) => isAllowed);
  const ends = allowed.map(({ resetsAt }) => resetsAt);
  t.equal(ends.filter((end) => end > clock.now()).length, 2, 'of the window that runs');
  t.equal(ends.filter((end) => end <= clock.now()).length, 1, 'of the one that was over when its ask was answered');
});

t.test('a replica that is alone lets through exactly what fits, and says exactly what is left until when', async () => {
  await fc.assert(
    fc.asyncProperty(limits, steps, async (limit, all) => {
      const { clock, limiter } = alone();
      let end = 0;
      let used = 0;
      for (const step of all) {
        if (step.kind === 'wait') clock.advance(step.ms);
        if (step.kind !== 'consume') continue;
        const { isAllowed, remaining, resetsAt } = await limiter.consume(limit, step.cost);
        if (resetsAt !== end) used = 0;
        end = resetsAt;
        const fits = used + step.cost <= limit.limit;
        if (fits) used += step.cost;
        if (isAllowed !== fits || remaining !== limit.limit - used) return false;
        if (resetsAt <= clock.now() || resetsAt > clock.now() + limit.windowMs) return false;
      }
      return true;
    }),
    { numRuns: rounds(200) },
  );
});

t.test('the busiest caller of a replica that is alone costs ten asks a window, and none once it is full', async (t) => {
  const { asks, limiter } = alone();
  for (let index = 0; index < 500; index += 1) await limiter.consume(minute(60));
  t.equal(asks.length, 10);
  t.ok(asks.every(({ size, count }) => size * count === 6));
});

t.test('with others alive exactly what is needed is taken, at once for all who wait', async (t) => {
  const { asks, limiter } = alone(false);
  const first = limiter.consume(minute(60));
  const rest = Promise.all(Array.from({ length: 20 }, () => limiter.consume(minute(60))));
  t.equal((await first).remaining, 59);
  t.same(
    (await rest).map(({ remaining }) => remaining),
    Array.from({ length: 20 }, (_, index) => 58 - index),
  );
  t.match(asks, [
    { size: 1, count: 1 },
    { size: 1, count: 20 },
  ]);
  t.equal(asks.length, 2);
});

const quota = (limit: number): Limit => ({ key: 'node-tests:u_1', limit, windowMs: DAY_MS });

t.test(
  'a replica that is alone takes a fiftieth of a quota ahead, and returns what is left of it at its end',
  async (t) => {
    const { asks, limiter, table } = alone();
    for (const cost of [3, 1, 1, 1, 1, 1]) await limiter.consume(quota(250), cost);
    t.match(asks, [
      { size: 3, count: 2 },
      { size: 1, count: 5 },
    ]);
    t.equal((await limiter.consume(quota(250))).remaining, 241, 'what is taken ahead is not used');
    await limiter.returnQuotas();
    t.match(asks.at(-1), { owed: -2 });
    const next = new WindowLimiter({ take: async (ask) => table.take(ask), isOurs: () => true }, new FakeClock());
    t.equal((await next.consume(quota(250))).remaining, 240, 'nothing of it is lost');
  },
);

t.test('a replica that is not alone any more returns what it has taken ahead of quotas', async (t) => {
  const { asks, limiter, leave } = alone();
  await limiter.consume(quota(500));
  t.match(asks, [{ size: 1, count: 10 }]);
  leave();
  await limiter.consume(minute(60));
  t.match(asks[1], { key: quota(500).key, count: 0, owed: -9 });
  t.equal((await limiter.consume(quota(500))).remaining, 498);
  t.match(asks.at(-1), { size: 1, count: 1 });
});

t.test('a quota of few units is taken one by one', async (t) => {
  const { asks, limiter } = alone();
  for (let index = 0; index < 3; index += 1) await limiter.consume(quota(50));
  t.match(asks, [{ count: 1 }, { count: 1 }, { count: 1 }]);
});

t.test(
  'replicas that end or are killed at any time lose at most what they had taken ahead, and grant nothing twice',
  async () => {
    const life = fc.record({
      costs: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 }),
      isKilled: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(life, { maxLength: 8 }), async (lives) => {
        const table = new WindowTable();
        let [granted, mostLost] = [0, 0];
        for (const { costs, isKilled } of lives) {
          const source = { take: async (ask: Ask) => table.take(ask), isOurs: () => true };
          const replica = new WindowLimiter(source, new FakeClock());
          for (const cost of costs) if ((await replica.consume(quota(200), cost)).isAllowed) granted += cost;
          // a fiftieth, rounded up to whole requests of four units
          if (isKilled) mostLost += 7;
          else await replica.returnQuotas();
        }
        const last = new WindowLimiter({ take: async (ask) => table.take(ask), isOurs: () => false }, new FakeClock());
        const { remaining, isAllowed } = await last.consume(quota(200));
        const sum = granted + remaining + (isAllowed ? 1 : 0);
        return sum <= 200 && sum >= 200 - mostLost;
      }),
      { numRuns: rounds(300) },
    );
  },
);

t.test('a request does not overtake a larger one that waits, though there would be units for it', async (t) => {
  const { limiter } = alone();
  const limit = minute(100);
  await limiter.consume(limit);
  const order: number[] = [];
  const pass = async (cost: number) => {
    await limiter.consume(limit, cost);
    order.push(cost);
  };
  await Promise.all([12, 1, 2].map(pass));
  t.same(order, [12, 1, 2]);
});

t.test('a request that does not fit takes nothing, and smaller ones behind it get what is left', async (t) => {
  const { limiter } = alone(false);
  const limit = minute(5);
  const answers = await Promise.all([4, 2, 1, 1].map((cost) => limiter.consume(limit, cost)));
  t.same(
    answers.map(({ isAllowed, remaining }) => [isAllowed, remaining]),
    [
      [true, 1],
      [false, 1],
      [true, 0],
      [false, 0],
    ],
  );
});

t.test('a caller whose plan changes gets what the new one allows in the window that runs', async (t) => {
  const { limiter } = alone();
  for (let index = 0; index < 4; index += 1) await limiter.consume(minute(3));
  t.match(await limiter.consume(minute(10)), { isAllowed: true, limit: 10, remaining: 6 });
  t.match(await limiter.consume(minute(2)), { limit: 2, remaining: 0 });
});

t.test('a refund counts in the window it was taken in, and in no other', async (t) => {
  const { clock, limiter } = alone();
  const limit = minute(10);
  const taken = await limiter.consume(limit, 4);
  await limiter.refund(limit, 4, taken);
  t.equal((await limiter.consume(limit, 1)).remaining, 9);
  clock.advance(MINUTE_MS);
  t.equal((await limiter.consume(limit, 2)).remaining, 8);
  await limiter.refund(limit, 4, taken);
  t.equal((await limiter.consume(limit, 1)).remaining, 7);
});

t.test('an exhausted limit is remembered until its window ends', async (t) => {
  const { clock, asks, limiter } = alone();
  const limit = minute(2);
  t.equal(limiter.isExhausted(limit), false, 'nobody has asked');
  await limiter.consume(limit);
  t.equal(limiter.isExhausted(limit), false);
  const { resetsAt } = await limiter.consume(limit);
  t.equal(limiter.isExhausted(limit), true);
  t.equal(limiter.isExhausted(minute(2, 'requests:u_2')), false, 'another caller');
  clock.advance(resetsAt - clock.now() - 1);
  t.equal(limiter.isExhausted(limit), true);
  clock.advance(1);
  t.equal(limiter.isExhausted(limit), false);
  t.equal(asks.length, 2, 'it asks nobody');
});

t.test('an exhausted day is queried again every minute: others may have returned units', async (t) => {
  const { clock, table, asks, limiter } = alone(false);
  const limit = { key: 'node-tests:u_1', limit: 5, windowMs: DAY_MS };
  await limiter.consume(limit, 5);
  const [{ startsAt, endsAt } = { startsAt: 0, endsAt: 0 }] = asks;
  table.take({ key: limit.key, startsAt, endsAt, most: 5, size: 1, count: 0, owed: -5 });
  clock.advance(59_999);
  t.equal((await limiter.consume(limit)).isAllowed, false);
  t.equal(asks.length, 1);
  clock.advance(1);
  t.equal((await limiter.consume(limit)).isAllowed, true);
});

t.test('a flood of different addresses is counted, in memory for 50 000 keys at most', async (t) => {
  const { asks, limiter } = alone();
  const flood = Array.from({ length: 50_500 }, (_, index) => minute(2, `requests:${index}`));
  for (const limit of flood) await limiter.consume(limit);
  t.ok(limiter.size <= 50_000 && limiter.size > 48_000, `${limiter.size} are known`);
  t.equal(asks.length, 50_500);
  const answers = await Promise.all([flood[0], flood[50_499]].map((limit) => limiter.consume(limit as Limit, 2)));
  t.ok(
    answers.every(({ isAllowed }) => !isAllowed),
    'the forgotten ones are still counted by the store',
  );
});

t.test('windows that have ended are forgotten within a minute of the next request', async (t) => {
  const { clock, limiter } = alone();
  for (let index = 0; index < 100; index += 1) await limiter.consume(minute(2, `requests:${index}`));
  await limiter.consume({ key: 'node-tests:u_1', limit: 5, windowMs: DAY_MS });
  clock.advance(2 * MINUTE_MS);
  await limiter.consume(minute(2));
  t.equal(limiter.size, 2, 'the new one and the day');
});

t.test('replicas whose clocks differ count together in the newest window', async (t) => {
  const table = new WindowTable();
  const source: UnitSource = { take: async (ask) => table.take(ask), isOurs: () => true };
  const [clock, aheadClock] = [new FakeClock(0), new FakeClock(MINUTE_MS)];
  const [limiter, ahead] = [new WindowLimiter(source, clock), new WindowLimiter(source, aheadClock)];
  const limit = minute(40);
  const first = await limiter.consume(limit);
  const { resetsAt } = await ahead.consume(limit);
  t.equal(resetsAt, first.resetsAt + MINUTE_MS);
  t.equal((await limiter.consume(limit, 5)).resetsAt, resetsAt, 'it follows, and leaves behind what it had taken');
  let letThrough = 6;
  for (const each of [limiter, ahead]) {
    while ((await each.consume(limit)).isAllowed) letThrough += 1;
  }
  t.equal(letThrough, 40);
});

t.test('a clock that was far ahead and is put right does not lock callers out', async (t) => {
  const { clock, limiter } = alone();
  const limit = minute(1);
  clock.setWall(clock.now() + DAY_MS);
  await limiter.consume(limit);
  t.equal((await limiter.consume(limit)).isAllowed, false);
  clock.setWall(clock.now() - DAY_MS);
  t.equal((await limiter.consume(limit)).isAllowed, true);
});

t.test(
  'callers within a shared limit never take more than it, take nothing of their own limits, and create no more keys',
  async (t) => {
    const within = minute(10, 'site');
    const each = (index: number): Limit => ({ ...minute(3, `subscriber ${index}`), within });
    const { clock, limiter } = alone(false);
    for (let index = 0; index < 3; index += 1) {
      const { isAllowed, remaining } = await limiter.consume(each(0));
      t.same([isAllowed, remaining], [true, 2 - index]);
    }
    t.match(await limiter.consume(each(0)), { isAllowed: false, limit: 3, remaining: 0 }, 'its own limit');
    let allowed = 3;
    for (let index = 1; index < 5_000; index += 1) if ((await limiter.consume(each(index))).isAllowed) allowed += 1;
    t.equal(allowed, 10);
    t.equal(limiter.size, 9, 'the site, one with three and seven with one each');
    t.ok(limiter.isExhausted(each(5_001)));
    const { isAllowed, limit, resetsAt } = await limiter.consume(each(5_002));
    t.same([isAllowed, limit], [false, 3]);
    clock.advance(resetsAt - clock.now());
    t.match(
      await limiter.consume(each(9)),
      { isAllowed: true, remaining: 2 },
      'a refusal costs nothing of the own limit',
    );
  },
);

t.test('a quota of a day that is given back is given back to all who share it', async (t) => {
  const within = { key: 'site', limit: 10, windowMs: DAY_MS };
  const each = (index: number): Limit => ({ key: `subscriber ${index}`, limit: 8, windowMs: DAY_MS, within });
  const { limiter } = alone();
  const taken = await limiter.consume(each(1), 8);
  t.match(await limiter.consume(each(2), 3), { isAllowed: false, remaining: 2 });
  await limiter.refund(each(1), 8, taken);
  t.match(await limiter.consume(each(2), 3), { isAllowed: true, remaining: 5 });
});
