import t from 'tap';
import { ReadingTurns } from './reading-turns.js';

t.test('files are read in the order they came, one at a time', async (t) => {
  const turns = new ReadingTurns(100);
  const begun: string[] = [];
  const end = new Map<string, () => void>();
  const take = async (name: string) => {
    end.set(name, await turns.take(10, null));
    begun.push(name);
  };
  const all = Promise.all([take('a'), take('b'), take('c')]);
  for (const name of ['a', 'b', 'c']) {
    await new Promise((resolve) => setImmediate(resolve));
    t.equal(begun.at(-1), name);
    end.get(name)?.();
  }
  await all;
});

t.test(
  'a file that could not be read before its caller gives up is refused at once, until there is room',
  async (t) => {
    const turns = new ReadingTurns(100);
    const end = await turns.take(60, null);
    const next = turns.take(30, null);
    await t.rejects(turns.take(20, null), { code: 'UNAVAILABLE', retryAfterSeconds: 1 });
    const small = turns.take(10, null);
    end();
    (await next)();
    (await small)();
    t.ok(await turns.take(100, null));
  },
);

t.test('a caller that disconnects while waiting returns its place', async (t) => {
  const turns = new ReadingTurns(100);
  const end = await turns.take(50, null);
  const leaving = new AbortController();
  const left = turns.take(50, leaving.signal);
  const refused = turns.take(50, null);
  await t.rejects(refused, { code: 'UNAVAILABLE' });
  leaving.abort();
  await t.rejects(left, { code: 'UNAVAILABLE' });
  const next = turns.take(50, null);
  end();
  t.ok(await next);
  await t.rejects(turns.take(1, AbortSignal.abort()), { code: 'UNAVAILABLE' });
});
