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
