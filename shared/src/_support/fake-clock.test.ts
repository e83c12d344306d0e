import fc from 'fast-check';
import t from 'tap';
import { FakeClock } from './fake-clock.js';

t.test(
  'timers ring at their time, in the order in which they are due, and those that were called off never',
  async (t) => {
    const acts = fc.array(fc.record({ ms: fc.nat(50), isOff: fc.boolean(), waitMs: fc.nat(20) }), { maxLength: 60 });
    const property = fc.property(acts, (timers) => {
      const clock = new FakeClock(0);
      const expected: { dueMs: number; index: number }[] = [];
      const rung: { dueMs: number; index: number }[] = [];
      for (const [index, { ms, isOff, waitMs }] of timers.entries()) {
        const dueMs = clock.now() + ms;
        const cancel = clock.after(ms, () => rung.push({ dueMs: clock.now(), index }));
        if (isOff) cancel();
        else expected.push({ dueMs, index });
        clock.advance(waitMs);
      }
      clock.advance(100);
      expected.sort((a, b) => a.dueMs - b.dueMs || a.index - b.index);
      return clock.pendingTimers === 0 && JSON.stringify(rung) === JSON.stringify(expected);
    });
    t.doesNotThrow(() => fc.assert(property));
  },
);

t.test('rounds that are not asked for stand still, and a sweep takes a turn of the others in no time', async (t) => {
  const clock = new FakeClock(0, { rounds: ['mails'] });
  const turns: string[] = [];
  const round = (name: string) => ({ name, idle: async () => {} });
  for (const name of ['mails', 'reports']) clock.after(1_000, () => turns.push(name), { round: round(name) });
  await clock.sweep();
  t.same([turns, clock.now(), clock.pendingTimers], [['mails'], 0, 0]);
  clock.after(1_000, () => turns.push('reports'), { round: round('reports') });
  clock.advance(10_000);
  t.same(turns, ['mails']);
});
