import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { PlainAbortSignal } from './plain-abort-signal.js';

t.test('a plain abort signal notifies its listeners once, with the first reason', async (t) => {
  const signal = new PlainAbortSignal();
  const reason = new Error('over');
  let reported = 0;
  signal.addEventListener('abort', () => {
    reported += 1;
  });
  // Node's own APIs set the handler where a listener would do as well
  Object.assign(signal, {
    onabort: () => {
      reported += 1;
    },
  });
  signal.throwIfAborted();
  t.equal(signal.aborted, false);
  signal.abort(reason);
  signal.abort(new Error('later'));
  t.equal(reported, 2);
  t.equal(signal.aborted, true);
  t.equal(signal.reason, reason);
  t.throws(() => signal.throwIfAborted(), reason);
});

t.test('Node takes a plain abort signal for one of its own', async (t) => {
  const signal = new PlainAbortSignal();
  const cause = new Error('over');
  const waits = [pause(60_000, null, { signal }), once(new EventTarget(), 'never', { signal })];
  signal.abort(cause);
  for (const wait of waits) await t.rejects(wait, { name: 'AbortError', cause });
});
