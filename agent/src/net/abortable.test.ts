import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { abortable, type Settle } from './abortable.js';
import { within } from './deadline.js';

function aPromise(signal: AbortSignal) {
  const releases: boolean[] = [];
  let settle: Settle<string> | undefined;
  const promise = abortable<string>(signal, (given) => {
    settle = given;
    return (isResolved) => releases.push(isResolved);
  });
  promise.catch(() => {});
  return { promise, releases, settle: () => settle };
}

t.test('abortable releases exactly once, whatever happens first', async (t) => {
  const resolved = aPromise(new AbortController().signal);
  resolved.settle()?.resolve('value');
  resolved.settle()?.reject(new Error('late'));
  t.equal(await resolved.promise, 'value');
  t.strictSame(resolved.releases, [true]);

  const abort = new AbortController();
  const aborted = aPromise(abort.signal);
  abort.abort(new Error('stop'));
  aborted.settle()?.resolve('late');
  await t.rejects(aborted.promise, { message: 'stop' });
  t.strictSame(aborted.releases, [false]);

  const never = aPromise(abort.signal);
  await t.rejects(never.promise, { message: 'stop' });
  t.equal(never.settle(), undefined, 'an aborted signal begins nothing');
});

t.test('within ends by the clock or by the parent, and leaves no timer', async (t) => {
  const clock = new FakeClock();
  const limit = { clock, ms: 100, reason: () => new Error('late') };
  const untilAborted = (signal: AbortSignal) => abortable<never>(signal, () => () => {});

  const byClock = within(limit, new AbortController().signal, untilAborted);
  byClock.catch(() => {});
  clock.advance(100);
  await t.rejects(byClock, { message: 'late' });

  const parent = new AbortController();
  const byParent = within(limit, parent.signal, untilAborted);
  byParent.catch(() => {});
  parent.abort(new Error('stop'));
  await t.rejects(byParent, { message: 'stop' });
  await t.rejects(within(limit, parent.signal, untilAborted), { message: 'stop' }, 'already aborted');

  t.equal(await within(limit, new AbortController().signal, async () => 'done'), 'done');
  t.equal(clock.pendingTimers, 0);
});
