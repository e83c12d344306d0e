import t from 'tap';
import { FakeClock } from '../../../../test/_support/fake-clock.js';
import { YamlReader } from './yaml-reader.js';

const limits = { depth: 4, values: 30, texts: 200, aliases: 5 };
const reading = (text: string, reader = new YamlReader(new FakeClock())) => reader.read(text, limits);

t.test('YAML is read with anchors and merge keys, as plain values', async (t) => {
  const text = 'd: &d {a: 1, b: no}\none: {<<: *d, a: 2}\ntwo: [*d]\n';
  const d = { a: 1, b: 'no' };
  t.same(await reading(text), { value: { d, one: { a: 2, b: 'no' }, two: [d] } });
});

t.test('what YAML has too much of, or what no file of monitors needs, is a mistake with its place', async (t) => {
  const cases: readonly [string, RegExp, number | null][] = [
    ['a: [1', /flow/i, 1],
    ['a: 1\nb: {c: 2\n', /flow/i, 3],
    ['a: !custom 1', /tag/, 1],
    ['a: !!binary eA==', /tag/, 1],
    ['a: 1\n---\nb: 1', /document/, 2],
    ['a: 1\na: 2', /unique/, 2],
    ['[[[[[1]]]]]', /deeper than 4/, null],
    [`[${'1,'.repeat(30)}]`, /more than 30 values/, null],
    ['a: &a [1,1,1]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]', /more than 30 values/, null],
    [`a: &a ${'x'.repeat(60)}\nb: [*a,*a,*a]`, /more than 200 characters, aliases written out/, null],
    ['a: &a [1]\nb: [*a,*a,*a,*a,*a,*a]', /alias/, null],
    ['a: &a [*a]', /\*a stands for nothing/, 1],
    ['a: *b', /b/, 1],
    ['a: 1\nb: [*c]\nd: &c 1', /c/, 2],
  ];
  for (const [text, message, line] of cases) {
    const reply = await reading(text);
    if ('value' in reply) t.fail(`${text} is read`);
    else t.match(reply.mistake, { message, line }, text);
  }
});

t.test('a file that was made to take minutes is given up, and the next one is read', async (t) => {
  const clock = new FakeClock();
  const reader = new YamlReader(clock);
  const anchors = Array.from({ length: 60_000 }, (_, i) => `a${i}: &x${i} 1`).join('\n');
  const [long, next] = [reading(anchors, reader), reading('a: 1', reader)];
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(20_000);
  t.match(await long, { mistake: { message: 'it takes too long to read' } });
  t.same(await next, { value: { a: 1 } });
});

t.test('files beyond those that may wait are refused at once, until one is through', async (t) => {
  const reader = new YamlReader(new FakeClock());
  const taken = Array.from({ length: 5 }, (_, index) => reading(`a: ${index}`, reader));
  await t.rejects(reading('a: 5', reader), { code: 'UNAVAILABLE', retryAfterSeconds: 20 });
  t.same(
    await Promise.all(taken),
    taken.map((_, index) => ({ value: { a: index } })),
  );
  t.same(await reading('a: 6', reader), { value: { a: 6 } });
});
