// alone: it measures the memory of its process
import t from 'tap';
import { growthOf, MemoryWatch } from './memory-watch.js';

const MB = 1024 * 1024;
const rounds = Array.from({ length: 13 }, (_, round) => round);
const sampled = (resident: (round: number) => number) =>
  growthOf(
    rounds.map((round) => ({ inputs: 2_000 + round * 1_000, held: 0, resident: 300 * MB + resident(round) * MB })),
  );
const judged = (resident: (round: number) => number) => new MemoryWatch(14_000).judge(sampled(resident));

t.test('resident memory that rises all the time is a leak; a step, a peak and noise are not', async (t) => {
  t.match(
    judged((round) => round * 2),
    /resident memory grew by 24 MB, steadily by 24 MB/,
  );
  t.match(
    judged((round) => round * 3 + 10 * (round % 2)),
    /resident memory grew/,
    'a leak in noise',
  );
  t.equal(
    judged((round) => round * 1.5),
    null,
    'less than is allowed',
  );
  t.equal(
    judged((round) => (round === 0 ? 0 : 40)),
    null,
    'one step',
  );
  t.equal(
    judged((round) => (round === 12 ? 60 : 0)),
    null,
    'a peak',
  );
  t.equal(
    judged((round) => 30 * (round % 2)),
    null,
    'up and down',
  );
  t.equal(
    judged((round) => -round),
    null,
  );
});

t.test('memory that is held counts at once, and in short runs alone', async (t) => {
  const growth = { heldBytes: 21 * MB, residentBytes: 0, residentTrendBytes: 0 };
  t.match(new MemoryWatch(20).judge(growth), /memory grew by 21 MB/);
  const resident = { heldBytes: 0, residentBytes: 99 * MB, residentTrendBytes: 99 * MB };
  t.equal(new MemoryWatch(3_000).judge(resident), null);
  t.match(new MemoryWatch(4_000).judge(resident), /resident memory grew by 99 MB/);
});

t.test('samples are taken by the inputs done, from the warm-up on', async (t) => {
  const watch = new MemoryWatch(40);
  for (let done = 0; done <= 40; done += 1) await watch.after(done);
  const kept = Buffer.alloc(8 * MB, 1);
  const growth = await watch.end(41);
  t.ok(growth.heldBytes >= kept.length - MB, `${growth.heldBytes} bytes held`);
});
