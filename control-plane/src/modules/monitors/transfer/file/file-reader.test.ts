import t from 'tap';
import { FakeClock } from '../../../../../test/_support/fake-clock.js';
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

t.test('a file that takes too long is given up after a time by its size, and the next one is read', async (t) => {
  t.same([deadlineMs(100), deadlineMs(5 * 1024 * 1024)], [5_001, 20_000]);
  const clock = new FakeClock();
  const reader = new FileReader(clock);
  const small = gatus(1);
  const [long, next] = [read(reader, gatus(2_000)), read(reader, small)];
  await turn();
  clock.advance(deadlineMs(gatus(2_000).length) - 1);
  t.equal(await Promise.race([long, turn().then(() => 'not yet')]), 'not yet');
  clock.advance(1);
  const error = await long.catch((thrown: ApiError) => thrown);
  t.match(error, { code: 'REQUEST_BODY_INVALID', details: { body: [{ message: /reading it takes too long/ }] } });
  t.match(await next, { total: 1 });
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
