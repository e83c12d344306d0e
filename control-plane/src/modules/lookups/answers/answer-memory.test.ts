import { EventEmitter, once } from 'node:events';
import t from 'tap';
import type { Kept } from './answer.js';
import { AnswerMemory } from './answer-memory.js';

const kept = (length: number): Kept => ({
  answer: { isFailure: false, askedAtMs: 0, freshUntilMs: 1, staleUntilMs: 1, body: { text: 'x'.repeat(length) } },
  failure: null,
});

t.test('memory keeps to its size and forgets what was not used for the longest time', async (t) => {
  const memory = new AnswerMemory(10_000);
  for (const key of ['a', 'b', 'c']) memory.put(key, kept(1_200));
  t.ok(memory.find('a'));
  memory.put('d', kept(1_200));
  t.equal(memory.find('b'), null);
  for (const key of ['a', 'c', 'd']) t.ok(memory.find(key), key);
  t.ok(memory.bytes <= 10_000);
  memory.put('huge', kept(10_000));
  t.equal(memory.find('huge'), null);
  t.equal(memory.bytes, 0);
});

t.test('an entry that is put again or forgotten counts once', async (t) => {
  const memory = new AnswerMemory();
  memory.put('a', kept(100));
  const { bytes } = memory;
  memory.put('a', kept(100));
  t.equal(memory.bytes, bytes);
  memory.forget('a');
  memory.forget('a');
  t.equal(memory.bytes, 0);
});

t.test('what was read while its key had news is not kept: it may be older than the news', async (t) => {
  const updates = {
    put: (memory: AnswerMemory) => memory.put('a', kept(2)),
    forget: (memory: AnswerMemory) => memory.forget('a'),
    clear: (memory: AnswerMemory) => memory.clear(),
  };
  for (const [name, update] of Object.entries(updates)) {
    const memory = new AnswerMemory();
    const reads = new EventEmitter();
    const overtaken = memory.fill('a', async () => (await once(reads, 'end'))[0]);
    update(memory);
    const before = memory.find('a');
    reads.emit('end', kept(1));
    t.same(await overtaken, kept(1), 'its reader has it');
    t.equal(memory.find('a'), before, name);
    memory.forget('a');
    await memory.fill('a', async () => kept(3));
    t.same(memory.find('a'), kept(3), 'a later read is kept');
  }
});

t.test('news of another key leaves a read alone, and one that finds nothing or fails leaves nothing', async (t) => {
  const memory = new AnswerMemory();
  const nothing: Kept = { answer: null, failure: null };
  const reading = memory.fill('a', async () => kept(1));
  memory.forget('b');
  await reading;
  t.same(memory.find('a'), kept(1));
  await memory.fill('b', async () => nothing);
  t.equal(memory.find('b'), null);
  await t.rejects(
    memory.fill('c', () => Promise.reject(new Error('no database'))),
    /no database/,
  );
  t.equal(memory.find('c'), null);
});
