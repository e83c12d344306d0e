import t from 'tap';
import { type Clock, delay, systemClock } from './clock.js';

interface Timer {
  readonly ms: number;
  readonly callback: () => void;
}

/** A clock whose timers fire when the test says so. */
function handClock(): { clock: Clock; timers: Set<Timer>; fire(): void } {
  const timers = new Set<Timer>();
  const clock: Clock = {
    now: () => 0,
    monotonicMs: () => 0,
    after(ms, callback) {
      const timer = { ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    afterInput: setImmediate,
  };
  return {
    clock,
    timers,
    fire() {
      const due = Array.from(timers);
      timers.clear();
      for (const timer of due) timer.callback();
    },
  };
}

t.test('a delay ends when its timer fires, and leaves no listener behind', async (t) => {
  const { clock, timers, fire } = handClock();
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  t.intercept(signal, 'addEventListener', {
    value: (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    },
  });
  t.intercept(signal, 'removeEventListener', {
    value: (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    },
  });
  const done = delay(clock, 250, signal);
  t.same(
    [...timers].map(({ ms }) => ms),
    [250],
  );
  fire();
  await done;
  t.equal(listeners, 0);
  controller.abort();
});

t.test('an abort ends a delay with its reason and calls the timer off', async (t) => {
  const { clock, timers } = handClock();
  const controller = new AbortController();
  const done = delay(clock, 250, controller.signal);
  controller.abort(new Error('enough'));
  await t.rejects(done, { message: 'enough' });
  t.equal(timers.size, 0);
});

t.test('a delay under an aborted signal never starts', async (t) => {
  const { clock, timers } = handClock();
  await t.rejects(delay(clock, 250, AbortSignal.abort(new Error('enough'))), { message: 'enough' });
  t.equal(timers.size, 0);
});

t.test('the system clock fires once, not at all when called off, and never runs backwards', async (t) => {
  let fired = 0;
  systemClock.after(0, () => t.fail('called off'))();
  await new Promise<void>((resolve) => {
    systemClock.after(1, () => {
      fired += 1;
      resolve();
    });
  });
  t.equal(fired, 1);
  const first = systemClock.monotonicMs();
  t.ok(systemClock.monotonicMs() >= first);
  t.ok(Math.abs(systemClock.now() - Date.now()) < 60_000);
});
