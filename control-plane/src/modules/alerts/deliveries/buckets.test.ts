import fc from 'fast-check';
import t from 'tap';
import { bucketsOf, type KeyedBucket, mostPerMinute, roomWithin, takenAfter, waitFor } from './buckets.js';

const bucket = (count: number, perMs: number, key = 'a'): KeyedBucket => ({ count, perMs, of: 'channel', key });

t.test('no window of any bucket ever holds more than its count, and a message that waited fits', async () => {
  const buckets = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 100 })), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(buckets, fc.array(fc.nat({ max: 30 }), { maxLength: 60 }), (sizes, gaps) => {
      const all = sizes.map(([count, perMs]) => bucket(count, perMs));
      let taken: readonly number[] = [];
      const sent: number[] = [];
      let nowMs = 1_000;
      for (const gap of gaps) {
        nowMs += gap;
        const { waitMs } = waitFor(all, new Map([['a', taken]]), nowMs);
        nowMs += waitMs;
        if (waitFor(all, new Map([['a', taken]]), nowMs).waitMs !== 0) return false;
        taken = takenAfter(all, 'a', taken, nowMs);
        sent.push(nowMs);
      }
      return all.every(({ count, perMs }) =>
        sent.every((from) => sent.filter((at) => at >= from && at < from + perMs).length <= count),
      );
    }),
  );
});

t.test('the list stays sorted if the clock of another replica is behind', async (t) => {
  t.same(takenAfter([bucket(3, 1_000)], 'a', [5_000], 4_990), [5_000, 5_000]);
});

t.test('only a recipient has to wait if its bucket alone is empty', async (t) => {
  const both: KeyedBucket[] = [bucket(1, 100, 'c'), { count: 1, perMs: 100, of: 'recipient', key: 'r' }];
  t.same(waitFor(both, new Map([['r', [10]]]), 50), { waitMs: 60, isOfRecipient: true });
  t.same(
    waitFor(
      both,
      new Map([
        ['r', [10]],
        ['c', [20]],
      ]),
      50,
    ),
    { waitMs: 70, isOfRecipient: false },
  );
});

t.test('the limit of a channel is a bucket of its own, and may not exceed that of the type', async (t) => {
  t.same(
    bucketsOf([], 3, (of) => of),
    [{ count: 3, perMs: 60_000, of: 'channel', key: 'channel' }],
  );
  t.equal(
    mostPerMinute([
      { count: 18, perMs: 60_000, of: 'credential' },
      { count: 1, perMs: 1_000, of: 'credential' },
    ]),
    18,
  );
  t.equal(mostPerMinute([{ count: 60, perMs: 3_600_000, of: 'recipient' }]), 60);
});

const rooms: readonly [name: string, buckets: readonly KeyedBucket[], taken: readonly number[], room: number][] = [
  ['nothing is taken', [bucket(3, 60_000)], [], 3],
  ['what is taken counts', [bucket(3, 60_000)], [99_000, 100_000], 1],
  ['what no longer counts at the end of the time does not', [bucket(3, 60_000)], [60_000, 100_000], 2],
  ['a short window comes again and again', [bucket(1, 1_000)], [99_500], 29],
  ['the smallest counts', [bucket(18, 60_000), bucket(1, 1_000)], [], 18],
  ['it is never less than none', [bucket(1, 60_000)], [99_000, 99_000], 0],
  ['without limits there is always room', [], [], Number.POSITIVE_INFINITY],
];
for (const [name, buckets, taken, room] of rooms)
  t.test(`room of a channel within 30 s: ${name}`, async (t) => {
    const span = { nowMs: 100_000, withinMs: 30_000 };
    t.equal(roomWithin(buckets, new Map([['a', taken]]), span), room);
  });
