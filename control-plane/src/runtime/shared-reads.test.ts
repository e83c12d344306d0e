import t from 'tap';
import { SharedReads } from './shared-reads.js';

/** Shared reads of a store that answers when a test lets it; every answer says which read it is of. */
function aStore() {
  const begun: { readonly key: string; answer(): void; fail(error: Error): void }[] = [];
  const reads = new SharedReads<string>(
    (key) =>
      new Promise((resolve, reject) => {
        const text = `${key}, read ${begun.length + 1}`;
        begun.push({ key, answer: () => resolve(text), fail: reject });
      }),
  );
  const read = (number: number) => {
    const found = begun[number - 1];
    if (found === undefined) throw new Error(`read ${number} has not begun`);
    return found;
  };
  return { reads, begun, read };
}

/** Resolves when everything that only waits for promises has happened. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

t.test('who asks while a read runs gets one that began after they asked, together with all who did', async (t) => {
  const { reads, begun, read } = aStore();
  const first = reads.get('a');
  const meanwhile = Array.from({ length: 1000 }, () => reads.get('a'));
  await settle();
  t.equal(begun.length, 1, 'no read begins beside the one that runs');
  read(1).answer();
  t.equal(await first, 'a, read 1');
  await settle();
  const later = reads.get('a');
  read(2).answer();
  t.same(new Set(await Promise.all(meanwhile)), new Set(['a, read 2']));
  await settle();
  read(3).answer();
  t.equal(await later, 'a, read 3', 'who asks while the second runs gets a third');
  t.equal(begun.length, 3);
});

t.test('who asks when a read has just ended is not answered with it, and joins those who asked before', async (t) => {
  const { reads, begun, read } = aStore();
  const first = reads.get('a');
  const afterIt = first.then(() => reads.get('a'));
  read(1).answer();
  const beforeItIsKnown = reads.get('a');
  await settle();
  t.equal(begun.length, 2);
  read(2).answer();
  t.same(await Promise.all([first, afterIt, beforeItIsKnown]), ['a, read 1', 'a, read 2', 'a, read 2']);
});

t.test('keys are read side by side', async (t) => {
  const { reads, begun, read } = aStore();
  const answers = [reads.get('a'), reads.get('b')];
  t.same(
    begun.map(({ key }) => key),
    ['a', 'b'],
  );
  read(2).answer();
  t.equal(await answers[1], 'b, read 2');
  read(1).answer();
  t.equal(await answers[0], 'a, read 1');
});

t.test('a failed read fails only those who asked for it', async (t) => {
  const { reads, read } = aStore();
  const first = reads.get('a');
  const second = [reads.get('a'), reads.get('a')];
  read(1).fail(new Error('first lost'));
  await t.rejects(first, /first lost/);
  await settle();
  const third = reads.get('a');
  read(2).fail(new Error('second lost'));
  for (const answer of second) await t.rejects(answer, /second lost/);
  await settle();
  read(3).answer();
  t.equal(await third, 'a, read 3');
});

t.test('a read that throws at once fails like any other, and its key can be read again', async (t) => {
  let isBroken = false;
  const gates: (() => void)[] = [];
  const reads = new SharedReads<string>((key) => {
    if (isBroken) throw new Error('broken');
    return new Promise((resolve) => gates.push(() => resolve(key)));
  });
  const first = reads.get('a');
  const second = reads.get('a');
  isBroken = true;
  for (const open of gates) open();
  t.equal(await first, 'a');
  await t.rejects(second, /broken/);
  await t.rejects(async () => reads.get('b'), /broken/);
  t.equal(reads.size, 0);
  isBroken = false;
  const third = reads.get('a');
  for (const open of gates) open();
  t.equal(await third, 'a');
});

t.test('nothing is kept for a key without readers', async (t) => {
  const { reads, begun, read } = aStore();
  const answers = [reads.get('a'), reads.get('a'), reads.get('b'), reads.get('c')];
  t.equal(reads.size, 3);
  read(1).answer();
  read(2).answer();
  read(3).fail(new Error('lost'));
  await settle();
  t.equal(begun.length, 4);
  t.equal(reads.size, 1, 'the second read of the one that two asked for');
  read(4).answer();
  t.match(await Promise.allSettled(answers), [{ value: /a/ }, { value: /a/ }, { value: /b/ }, { reason: /lost/ }]);
  t.equal(reads.size, 0);
});
