import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import type { ApiError } from '../../../../http/errors.js';
import { deadlineMs, FileReader } from './file-reader.js';
import { unpacked } from './packed-file.js';

/** A configuration of Gatus with so many endpoints. */
function gatus(count: number): Buffer {
  const endpoint = (index: number) => `  - {name: E${index}, url: "https://example.com/${'x'.repeat(60)}"}\n`;
  return Buffer.from(`endpoints:\n${Array.from({ length: count }, (_, index) => endpoint(index)).join('')}`);
}

const read = (reader: FileReader, bytes: Buffer, signal: AbortSignal | null = null) =>
  reader.read({ bytes, format: null }, signal);
const outcomeNow = (file: Promise<unknown>) => Promise.race([file, turn().then(() => 'not yet')]);
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('a file is read in a thread of its own, and its entries come in packs', async (t) => {
  const file = await read(new FileReader(new FakeClock()), gatus(3_000));
  t.match(file, { format: 'gatus', total: 3_000 });
  const entries = file.packs.flatMap(unpacked);
  t.same(
    entries.map(({ name }) => name),
    Array.from({ length: 3_000 }, (_, index) => `E${index}`),
  );
  t.ok(Math.max(...file.packs.map(({ length }) => length)) < 200_000);
});

/** A clock that knows which times have been asked of it. */
class AskedClock extends FakeClock {
  readonly asked: number[] = [];

  override after(ms: number, callback: () => void): () => void {
    this.asked.push(ms);
    return super.after(ms, callback);
  }
}

t.test('a file that takes too long is given up after a time by its size, and the next one is read', async (t) => {
  t.same([deadlineMs(100), deadlineMs(5 * 1024 * 1024)], [5_001, 20_000]);
  const clock = new AskedClock();
  const reader = new FileReader(clock);
  const file = gatus(10_000);
  const [long, next] = [read(reader, file), read(reader, gatus(3_000))];
  await turn();
  clock.advance(29_999);
  t.equal(await outcomeNow(long), 'not yet', 'its time begins with its reading');
  await until('the thread', () => clock.asked.includes(deadlineMs(file.length)));
  clock.advance(deadlineMs(file.length) - 1);
  t.equal(await outcomeNow(long), 'not yet');
  clock.advance(1);
  const error = await long.catch((thrown: ApiError) => thrown);
  t.match(error, { code: 'REQUEST_BODY_INVALID', details: { body: [{ message: /reading it takes too long/ }] } });
  t.match(await next, { total: 3_000 });
});

t.test('a thread that does not begin in time is no error of the file', async (t) => {
  const clock = new FakeClock();
  const file = read(new FileReader(clock), gatus(1));
  await turn();
  clock.advance(30_000);
  await t.rejects(file, { code: 'UNAVAILABLE' });
});

t.test('a large file keeps no small one waiting', async (t) => {
  const reader = new FileReader(new FakeClock());
  const order: string[] = [];
  const large = read(reader, gatus(20_000))
    .catch(() => {})
    .then(() => order.push('large'));
  await read(reader, gatus(1)).then(() => order.push('small'));
  await large;
  t.same(order, ['small', 'large']);
});

t.test('no file is read for a caller that has disconnected', async (t) => {
  const reader = new FileReader(new FakeClock());
  const leaving = new AbortController();
  const left = read(reader, gatus(2_000), leaving.signal);
  const next = read(reader, gatus(1));
  leaving.abort();
  await t.rejects(left, { code: 'UNAVAILABLE' });
  t.match(await next, { total: 1 });
});
