import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { deadlineMs, FileReader } from './file-reader.js';
import { unpacked } from './packed-file.js';

const endpoints = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `E${at}`, url: `https://example.com/${'x'.repeat(60)}` }));
/** A configuration of Gatus with so many endpoints: in JSON, which is read in no time, and in YAML, which takes a millisecond for each. */
const json = (count: number) => Buffer.from(JSON.stringify({ endpoints: endpoints(count) }));
const yaml = (count: number) =>
  Buffer.from(
    `endpoints:\n${endpoints(count)
      .map((endpoint) => `  - ${JSON.stringify(endpoint)}\n`)
      .join('')}`,
  );

const read = (reader: FileReader, bytes: Buffer, signal: AbortSignal | null = null) =>
  reader.read({ bytes, format: null }, signal);
const outcomeNow = (file: Promise<unknown>) => Promise.race([file.then(() => 'read'), turn().then(() => 'not yet')]);
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test(
  'a large file is read for a time by its size, and keeps neither small ones nor the next one waiting',
  async (t) => {
    t.same([deadlineMs(100), deadlineMs(5 * 1024 * 1024)], [5_001, 20_000]);
    const clock = new FakeClock();
    const reader = new FileReader(clock);
    const [file, nextFile] = [yaml(10_000), json(3_000)];
    const [long, next] = [read(reader, file), read(reader, nextFile)];
    const small = read(reader, yaml(1));
    await turn();
    clock.advance(29_999);
    t.equal(await outcomeNow(long), 'not yet', 'its time begins with its reading');
    await until('the thread', () => clock.begun(deadlineMs(file.length)) === 1);
    t.match(await small, { format: 'gatus', total: 1 });
    clock.advance(deadlineMs(file.length) - 1);
    t.equal(await outcomeNow(long), 'not yet');
    t.equal(clock.begun(deadlineMs(nextFile.length)), 0);
    clock.advance(1);
    await t.rejects(long, {
      code: 'REQUEST_BODY_INVALID',
      details: { body: [{ message: /reading it takes too long/ }] },
    });
    const { total, packs } = await next;
    t.equal(total, 3_000);
    t.same(
      packs.flatMap(unpacked).map(({ name }) => name),
      endpoints(3_000).map(({ name }) => name),
    );
    t.ok(Math.max(...packs.map(({ length }) => length)) < 200_000);
  },
);

t.test(
  'no file is read for a caller that has disconnected, and a thread that does not begin in time is no error of the file',
  async (t) => {
    const clock = new FakeClock();
    const reader = new FileReader(clock);
    const leaving = new AbortController();
    const left = read(reader, yaml(1), leaving.signal);
    const next = read(reader, yaml(1));
    leaving.abort();
    await t.rejects(left, { code: 'UNAVAILABLE' });
    await until('the thread of the next file', () => clock.begun(30_000) === 2);
    clock.advance(30_000);
    await t.rejects(next, { code: 'UNAVAILABLE' });
  },
);
