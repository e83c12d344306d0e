import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { type ClockStep, ClockSync } from './clock-sync.js';

const HOUR_MS = 3_600_000;

/** One exchange over a path of `there` and `back` milliseconds with a server `aheadMs` ahead of this machine. */
function exchange(clock: FakeClock, sync: ClockSync, path: { there: number; back: number; aheadMs: number }): void {
  const sentMs = clock.monotonicMs();
  clock.advance(path.there);
  const serverAt = clock.now() + path.aheadMs;
  clock.advance(path.back);
  sync.add({ sentMs, receivedMs: clock.monotonicMs(), serverReceivedAt: serverAt, serverSentAt: serverAt });
}

t.test('before any exchange the offset is unknown', async (t) => {
  t.same(new ClockSync(new FakeClock()).estimate(), { offsetMs: 0, uncertaintyMs: -1 });
});

t.test('a symmetric path gives the offset exactly, and half its round trip as uncertainty', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 20, back: 20, aheadMs: HOUR_MS });
  t.same(sync.estimate(), { offsetMs: HOUR_MS, uncertaintyMs: 20 });
});

t.test('the error of an asymmetric path stays within the uncertainty', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 100, back: 0, aheadMs: HOUR_MS });
  const { offsetMs, uncertaintyMs } = sync.estimate();
  t.ok(Math.abs(offsetMs - HOUR_MS) <= uncertaintyMs);
});

t.test('the exchange with the shortest round trip counts, out of the last eight', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 1, back: 1, aheadMs: 0 });
  for (let i = 0; i < 7; i += 1) exchange(clock, sync, { there: 50, back: 50, aheadMs: 0 });
  t.equal(Math.round(sync.estimate().uncertaintyMs), 1);
  exchange(clock, sync, { there: 50, back: 50, aheadMs: 0 });
  t.equal(Math.round(sync.estimate().uncertaintyMs), 50);
});

t.test('what is known grows uncertain with its age, as clocks drift', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 5, back: 5, aheadMs: 0 });
  clock.advance(24 * HOUR_MS);
  t.equal(Math.round(sync.estimate().uncertaintyMs), 5 + 8640);
});

t.test('a wall clock set ten years ahead does not move the server’s time', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  exchange(clock, sync, { there: 5, back: 5, aheadMs: 0 });
  const serverNow = clock.now();
  clock.setWall(serverNow + 10 * 365 * 24 * HOUR_MS);
  t.equal(clock.now() + sync.estimate().offsetMs, serverNow);
});

t.test('time the server spent answering is no part of the round trip', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  const serverAt = clock.now();
  sync.add({ sentMs: 0, receivedMs: 110, serverReceivedAt: serverAt + 5, serverSentAt: serverAt + 105 });
  t.equal(sync.estimate().uncertaintyMs, 5);
});

t.test('an exchange whose times run backwards is ignored', async (t) => {
  const sync = new ClockSync(new FakeClock());
  sync.add({ sentMs: 0, receivedMs: 10, serverReceivedAt: 1000, serverSentAt: 900 });
  sync.add({ sentMs: 0, receivedMs: 10, serverReceivedAt: 1000, serverSentAt: 2000 });
  sync.add({ sentMs: 0, receivedMs: 10, serverReceivedAt: Number.NaN, serverSentAt: Number.NaN });
  t.equal(sync.estimate().uncertaintyMs, -1);
});

t.test(
  'an exchange that contradicts the older ones ends them: a clock was set, or this machine stood still unnoticed',
  async (t) => {
    const clock = new FakeClock();
    const sync = new ClockSync(clock);
    exchange(clock, sync, { there: 1, back: 1, aheadMs: HOUR_MS });
    exchange(clock, sync, { there: 40, back: 40, aheadMs: HOUR_MS - 5_000 });
    t.match(sync.estimate(), { offsetMs: HOUR_MS - 5_000, uncertaintyMs: 40 });
  },
);

t.test('before any exchange ever schedules have no time', async (t) => {
  const clock = new FakeClock();
  const sync = new ClockSync(clock);
  t.equal(sync.isKnown, false);
  t.equal(sync.serverNow(), null);
  exchange(clock, sync, { there: 1, back: 1, aheadMs: 7 });
  t.equal(sync.isKnown, true);
  t.equal(sync.serverNow(), clock.now() + 7);
});

t.test(
  'the time of schedules is adjusted by 500 ppm at most, and steps, logged once, when it is off by over a second',
  async (t) => {
    const clock = new FakeClock();
    const sync = new ClockSync(clock);
    const steps: ClockStep[] = [];
    sync.onStep((step) => steps.push(step));
    exchange(clock, sync, { there: 600, back: 0, aheadMs: 0 });
    for (let i = 0; i < 8; i += 1) exchange(clock, sync, { there: 1, back: 1, aheadMs: 0 });
    const offBefore = (sync.serverNow() ?? 0) - clock.now();
    t.ok(offBefore > 290, `${offBefore}`);
    clock.advance(100_000);
    t.ok(Math.abs((sync.serverNow() ?? 0) - clock.now() - (offBefore - 50)) < 1, 'it has moved by 50 ms in 100 s');
    t.same(steps, []);
    exchange(clock, sync, { there: 1, back: 1, aheadMs: -5_000 });
    t.equal(sync.serverNow(), clock.now() - 5_000);
    t.equal(steps.length, 1);
    t.ok((steps[0]?.byMs ?? 0) < -4_000 && steps[0]?.at === clock.now() - 5_000);
  },
);

/** A process that is held up for 90 ms once, before or after it has read a clock other than its monotonic one. */
class HeldUpClock extends FakeClock {
  #readings = 0;

  constructor(
    private readonly reading: number,
    private readonly when: 'before' | 'after',
  ) {
    super();
  }

  override now(): number {
    return this.heldUpAt(() => super.now());
  }

  heldUpAt(read: () => number): number {
    this.#readings += 1;
    const isHeldUp = this.#readings === this.reading;
    if (isHeldUp && this.when === 'before') this.advance(90);
    const value = read();
    if (isHeldUp && this.when === 'after') this.advance(90);
    return value;
  }

  get hasBeenHeldUp(): boolean {
    return this.#readings >= this.reading;
  }
}

t.test('a process that is held up while it reads clocks finds neither a sleep nor a clock that was set', async (t) => {
  for (const when of ['before', 'after'] as const) {
    let reading = 0;
    for (let hasBeenHeldUp = true; hasBeenHeldUp; ) {
      reading += 1;
      const clock = new HeldUpClock(reading, when);
      const { bootId, uptimeMs } = machine(clock);
      const sync = new ClockSync(clock, { uptime: { bootId, uptimeMs: () => clock.heldUpAt(uptimeMs) } });
      sync.add({ sentMs: clock.monotonicMs(), receivedMs: clock.monotonicMs(), ...answeredAt(clock, 30) });
      for (let round = 0; round < 3; round += 1) {
        clock.advance(1_000);
        const { offsetMs } = sync.estimate();
        const offsetOfASchedule = sync.serverTimeOf(0);
        const kept = sync.keep();
        const offsetKept = (kept?.serverAt ?? 0) - (kept?.wallAt ?? 0);
        const says = `held up ${when} reading ${reading}, looked at in round ${round}`;
        t.same(
          { offsetMs, offsetOfASchedule, offsetKept },
          { offsetMs: 30, offsetOfASchedule: 30, offsetKept: 30 },
          says,
        );
      }
      hasBeenHeldUp = clock.hasBeenHeldUp;
    }
    t.ok(reading > 10, `${reading} readings`);
  }
});

/** Times of a server that is so far ahead, and answers without delay. */
function answeredAt(clock: FakeClock, aheadMs: number) {
  const serverAt = Date.UTC(2026, 0, 1) + clock.monotonicMs() + aheadMs;
  return { serverReceivedAt: serverAt, serverSentAt: serverAt };
}

/** Uptime of a machine under the test's control: it goes on in its sleep. */
function machine(clock: FakeClock, bootId = 'boot-1') {
  let asleepMs = 0;
  return {
    bootId,
    uptimeMs: () => 500_000 + clock.monotonicMs() + asleepMs,
    sleep(ms: number): void {
      asleepMs += ms;
      clock.setWall(clock.now() + ms);
    },
  };
}

t.test('a machine that slept knows the time when it wakes, and that slots were missed', async (t) => {
  const clock = new FakeClock();
  const uptime = machine(clock);
  const sync = new ClockSync(clock, { uptime });
  const steps: ClockStep[] = [];
  sync.onStep((step) => steps.push(step));
  exchange(clock, sync, { there: 5, back: 5, aheadMs: 30 });
  uptime.sleep(HOUR_MS);
  t.equal(sync.serverNow(), clock.now() + 30);
  t.equal(sync.estimate().offsetMs, 30);
  t.same(steps, [{ at: clock.now() + 30, byMs: HOUR_MS }]);
});

t.test('the system is asked for its uptime ten times a second, and a sleep is noticed all the same', async (t) => {
  const clock = new FakeClock();
  const uptime = machine(clock);
  let asked = 0;
  const uptimeMs = () => {
    asked += 1;
    return uptime.uptimeMs();
  };
  const sync = new ClockSync(clock, { uptime: { bootId: uptime.bootId, uptimeMs } });
  exchange(clock, sync, { there: 5, back: 5, aheadMs: 30 });
  asked = 0;
  for (let ms = 0; ms < 1_000; ms += 1) {
    clock.advance(1);
    sync.serverNow();
  }
  t.equal(asked, 10);
  uptime.sleep(HOUR_MS);
  t.equal(sync.serverNow(), clock.now() + 30, 'by the wall clock');
  const wallAt = clock.now();
  uptime.sleep(HOUR_MS);
  clock.setWall(wallAt);
  clock.advance(100);
  t.equal(sync.serverNow(), clock.now() + HOUR_MS + 30, 'whatever somebody did to that');
});

t.test(
  'the next process continues with the offset of the previous one, whatever happened to the wall clock in between',
  async (t) => {
    const clock = new FakeClock();
    const sync = new ClockSync(clock, { uptime: machine(clock) });
    exchange(clock, sync, { there: 5, back: 5, aheadMs: 30 });
    const kept = sync.keep();
    const serverAt = clock.now() + 30;
    clock.advance(60_000);
    clock.setWall(clock.now() - HOUR_MS);
    const next = new ClockSync(clock, { uptime: machine(clock), kept });
    t.equal(next.isKnown, true);
    t.equal(next.serverNow(), serverAt + 60_000);
    t.ok(next.estimate().uncertaintyMs < 50);
    const rebooted = new ClockSync(clock, { uptime: machine(clock, 'boot-2'), kept });
    t.equal(rebooted.serverNow(), clock.now() + 30, 'after a reboot only the wall clock can tell');
    t.ok(rebooted.estimate().uncertaintyMs >= 1_000);
  },
);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('exchange' as const), there: fc.nat(2_000), back: fc.nat(2_000) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(60_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sleep' as const), ms: fc.nat(2 * HOUR_MS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wall' as const),
      byMs: fc.constantFrom(HOUR_MS, -HOUR_MS, 87_660 * HOUR_MS),
    }),
  },
);

t.test(
  'corrected times are off by at most half a round trip and 50 ms, and the time of schedules never runs back',
  async (t) => {
    const holds = (script: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[], driftPpm: number) => {
      const clock = new FakeClock();
      const uptime = machine(clock);
      const sync = new ClockSync(clock, { uptime });
      let serverAt = Date.UTC(2030, 0, 1);
      let halfTripMs = Number.POSITIVE_INFINITY;
      let steppedBackMs = 0;
      sync.onStep(({ byMs }) => {
        steppedBackMs = Math.min(0, byMs);
      });
      const pass = (ms: number) => {
        clock.advance(ms);
        serverAt += ms * (1 + driftPpm / 1e6);
      };
      let shownBefore = Number.NEGATIVE_INFINITY;
      for (const event of script) {
        steppedBackMs = 0;
        if (event.kind === 'pass') pass(event.ms);
        if (event.kind === 'wall') clock.setWall(clock.now() + event.byMs);
        if (event.kind === 'sleep') {
          // the shortest naps go unnoticed until the next exchange
          const sleptMs = Math.max(51, event.ms);
          uptime.sleep(sleptMs);
          serverAt += sleptMs;
        }
        if (event.kind === 'exchange') {
          const sentMs = clock.monotonicMs();
          pass(event.there);
          const at = serverAt;
          pass(event.back);
          sync.add({ sentMs, receivedMs: clock.monotonicMs(), serverReceivedAt: at, serverSentAt: at });
          halfTripMs = (event.there + event.back) / 2;
        }
        const { offsetMs, uncertaintyMs } = sync.estimate();
        const shown = sync.serverNow();
        if (shown === null) continue;
        const errorMs = Math.abs(clock.now() + offsetMs - serverAt);
        if (errorMs > uncertaintyMs + 50) return false;
        if (event.kind === 'exchange' && errorMs > halfTripMs + 50) return false;
        if (shown < shownBefore + steppedBackMs - 1e-3) return false;
        shownBefore = shown;
      }
      return true;
    };
    const scripts = fc.array(step, { minLength: 2, maxLength: 60 });
    t.doesNotThrow(() =>
      fc.assert(fc.property(scripts, fc.integer({ min: -50, max: 50 }), holds), { numRuns: rounds(500) }),
    );
  },
);
