import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { MessageBatch } from './child-messages.js';

function setUp() {
  const clock = new FakeClock();
  const batches: number[][] = [];
  return { clock, batches, outgoing: new MessageBatch<number>((batch) => batches.push(batch), clock) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('what cannot wait takes along what can, in their order', async (t) => {
  const { clock, batches, outgoing } = setUp();
  outgoing.pushPatiently(1);
  outgoing.push(2);
  outgoing.pushPatiently(3);
  await turn();
  outgoing.push(4);
  await turn();
  clock.advance(1000);
  t.strictSame(batches, [[1, 2, 3], [4]]);
});

t.test('what can wait is handed over ten milliseconds after its first, with what came meanwhile', async (t) => {
  const { clock, batches, outgoing } = setUp();
  outgoing.pushPatiently(1);
  await turn();
  clock.advance(9);
  outgoing.pushPatiently(2);
  t.strictSame(batches, []);
  clock.advance(1);
  outgoing.pushPatiently(3);
  t.strictSame(batches, [[1, 2]]);
  clock.advance(10);
  t.strictSame(batches, [[1, 2], [3]]);
});
