import { setImmediate } from 'node:timers/promises';
import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { Batcher } from './batcher.js';

/** A flush that the test ends by hand, one call at a time. */
function heldFlush(): { calls: string[][]; flush(items: readonly string[]): Promise<string[]>; finish(): void } {
  const calls: string[][] = [];
  let finish = (): void => {};
  let isWriting = false;
  return {
    calls,
    flush(items) {
      if (isWriting) throw new Error('two flushes at once');
      isWriting = true;
      calls.push([...items]);
      return new Promise((resolve) => {
        finish = () => {
          isWriting = false;
          resolve(items.map((item) => item.toUpperCase()));
        };
      });
    },
    finish: () => finish(),
  };
}

t.test('an idle batcher writes what one turn brings, and what comes meanwhile forms the next batch', async (t) => {
  const writer = heldFlush();
  const batcher = new Batcher({ maxItems: 10, flush: writer.flush });
  const [a, also] = [batcher.add('a'), batcher.add('also')];
  t.same(writer.calls, [], 'the turn may bring more');
  await setImmediate();
  t.same(writer.calls, [['a', 'also']]);
  const b = batcher.add('b');
  const c = batcher.add('c');
  t.equal(batcher.queued, 2);
  writer.finish();
  t.same(await Promise.all([a, also]), ['A', 'ALSO']);
  await setImmediate();
  t.same(writer.calls, [
    ['a', 'also'],
    ['b', 'c'],
  ]);
  writer.finish();
  t.same(await Promise.all([b, c]), ['B', 'C']);
  await batcher.drain();
  const d = batcher.add('d');
  await setImmediate();
  t.same(writer.calls.at(-1), ['d'], 'idle again');
  writer.finish();
  await d;
});

t.test(
  'in turns each batch has one item of each owner, in order, and no owner waits for one that adds a thousand',
  async (t) => {
    const calls: string[][] = [];
    const batcher = new Batcher<string, string>({
      maxItems: 2,
      turnOf: ([who = '']) => who,
      flush: async (items) => {
        calls.push([...items]);
        return items;
      },
    });
    const added = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2', 'a4'].map((item) => batcher.add(item));
    t.equal(batcher.queued, 7);
    t.same(await Promise.all(added), ['a1', 'a2', 'a3', 'b1', 'c1', 'c2', 'a4']);
    t.same(calls, [['a1', 'b1'], ['c1', 'a2'], ['c2', 'a3'], ['a4']]);
    t.equal(batcher.queued, 0);
  },
);

t.test('a failing batch rejects its own items and no others', async (t) => {
  const batcher = new Batcher<string, string>({
    maxItems: 2,
    flush: async (items) => {
      await setImmediate();
      if (items.includes('bad')) throw new Error('disk full');
      return items;
    },
  });
  const settled = await Promise.allSettled(['a', 'bad', 'c', 'd'].map((item) => batcher.add(item)));
  t.same(
    settled.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
    ['Error: disk full', 'Error: disk full', 'c', 'd'],
  );
});

t.test('a flush that throws or answers the wrong number of results fails its batch only', async (t) => {
  const answers = [
    (): Promise<string[]> => {
      throw new Error('thrown');
    },
    () => Promise.resolve([]),
    () => Promise.resolve(['fine']),
  ];
  const batcher = new Batcher<string, string>({ maxItems: 1, flush: () => answers.shift()?.() ?? Promise.resolve([]) });
  await t.rejects(batcher.add('a'), /thrown/);
  await t.rejects(batcher.add('b'), /0 results for 1 items/);
  t.equal(await batcher.add('c'), 'fine');
});

t.test('drain waits for what is added while it waits', async (t) => {
  const written: string[] = [];
  const batcher = new Batcher<string, null>({
    maxItems: 1,
    flush: async ([item]) => {
      if (item === 'first') void batcher.add('second');
      await Promise.resolve();
      written.push(item ?? '');
      return [null];
    },
  });
  void batcher.add('first');
  await batcher.drain();
  t.same(written, ['first', 'second']);
});

t.test('any interleaving keeps the order, the limit, one writer and each item its own result', async () => {
  const run = fc.asyncProperty(
    fc.scheduler(),
    fc.integer({ min: 1, max: 5 }),
    fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }),
    async (scheduler, maxItems, isImmediate) => {
      const written: number[] = [];
      let writers = 0;
      const batcher = new Batcher<number, string>({
        maxItems,
        flush: async (items) => {
          writers += 1;
          if (writers > 1 || items.length > maxItems || items.length === 0) throw new Error('broken');
          await scheduler.schedule(Promise.resolve());
          written.push(...items);
          writers -= 1;
          return items.map((item) => `result ${item}`);
        },
      });
      const added: Promise<string>[] = [];
      const adding = (async () => {
        for (const [item, now] of isImmediate.entries()) {
          if (!now) await scheduler.schedule(Promise.resolve());
          added.push(batcher.add(item));
        }
      })();
      await scheduler.waitFor(adding);
      const results = await scheduler.waitFor(Promise.all(added));
      const order = isImmediate.map((_, item) => item);
      return written.join() === order.join() && results.join() === order.map((item) => `result ${item}`).join();
    },
  );
  await fc.assert(run, { numRuns: rounds(200) });
});
