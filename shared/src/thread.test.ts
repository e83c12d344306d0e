import t from 'tap';
import type { TestMessages } from './_support/a-thread.js';
import { Thread } from './thread.js';

const start = (isBroken = false) =>
  Thread.start<TestMessages>(new URL('./_support/a-thread.js', import.meta.url), { isBroken }, {});

t.test('a thread serves requests in order, and gets the buffers that are transferred', async (t) => {
  const { thread, opened } = await start();
  t.equal(opened, 'ready');
  const order: number[] = [];
  const requests = [1, 2, 3].map(async (number) => {
    const bytes = Uint8Array.of(number);
    const reply = thread.call('double', bytes, [bytes.buffer]);
    t.equal(bytes.length, 0, 'the buffer has moved');
    order.push(...(await reply));
  });
  await Promise.all(requests);
  t.same(order, [2, 4, 6]);
  await thread.close();
  await t.rejects(thread.call('double', Uint8Array.of(1)), { name: 'ThreadError', hasEnded: true });
  await thread.close();
});

t.test('an error of a request has its message and code, and the thread serves the next', async (t) => {
  const { thread } = await start();
  await t.rejects(thread.call('fail', 'no'), { name: 'ThreadError', message: 'no', code: 'FAILED', hasEnded: false });
  t.same(await thread.call('double', Uint8Array.of(4)), Uint8Array.of(8));
  await thread.close();
  await t.rejects(start(true), { message: 'cannot open: no such file', code: 'ENOENT' });
});

t.test('a thread that ends by itself fails the requests that wait, and all later ones', async (t) => {
  const { thread } = await start();
  const waiting = thread.call('exit', null);
  const behind = thread.call('double', Uint8Array.of(1));
  for (const request of [waiting, behind]) await t.rejects(request, { code: '', message: 'the thread has ended' });
  await t.rejects(thread.call('double', Uint8Array.of(1)), { name: 'ThreadError', hasEnded: true });
  await thread.close();
});
