import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { SendWindow, windowBytes } from './send-window.js';

interface Line {
  readonly bytesPerMs: number;
  readonly roundTripMs: number;
  readonly rowBytes: number;
}

/** A line with a backlog before it, as one lane uses it, from the second `fromMs` on: how long the last byte of a batch waited, and what got through. */
function use({ bytesPerMs, roundTripMs, rowBytes }: Line, window = new SendWindow(roundTripMs), forMs = 300_000) {
  const arriving: { last: number; atMs: number }[] = [];
  let [nowMs, freeMs, last, waitMs, bytes] = [0, 0, 0, 0, 0];
  const fromMs = forMs / 2;
  while (nowMs < forMs) {
    for (let { batchBytes } = window; batchBytes > 0; { batchBytes } = window) {
      const size = Math.max(1, Math.floor(batchBytes / rowBytes)) * rowBytes;
      last += 1;
      freeMs = Math.max(freeMs, nowMs) + size / bytesPerMs;
      window.sent(last, size, nowMs);
      arriving.push({ last, atMs: freeMs + roundTripMs });
      if (nowMs < fromMs) continue;
      waitMs = Math.max(waitMs, freeMs - nowMs);
      bytes += size;
    }
    const next = arriving.shift();
    if (next === undefined) throw new Error('a lane with a backlog and nothing in flight sends nothing');
    nowMs = next.atMs;
    window.acknowledged(next.last, nowMs);
  }
  return { waitMs, bytesPerMs: bytes / (nowMs - fromMs) };
}

t.test(
  'a link of 64 kbit/s is filled, and no frame waits behind a backlog for much longer than two seconds',
  async (t) => {
    const { waitMs, bytesPerMs } = use({ bytesPerMs: 8, roundTripMs: 100, rowBytes: 500 });
    t.ok(waitMs < 2_500, `${waitMs} ms`);
    t.ok(bytesPerMs > 7.5, `${bytesPerMs} bytes per ms`);
  },
);

t.test('a link with two seconds of latency is filled nevertheless', async (t) => {
  const { bytesPerMs } = use({ bytesPerMs: 10_000, roundTripMs: 4_000, rowBytes: 500 });
  t.ok(bytesPerMs > 200, `${bytesPerMs} bytes per ms: about a megabyte per round trip`);
});

t.test('on every line the backlog flows, and waits for two seconds and one batch at most', async () => {
  const line = fc.record({
    bytesPerMs: fc.integer({ min: 8, max: 20_000 }),
    roundTripMs: fc.integer({ min: 1, max: 4_000 }),
    rowBytes: fc.integer({ min: 50, max: 4_000 }),
  });
  fc.assert(
    fc.property(line, (line) => {
      const { waitMs, bytesPerMs } = use(line, undefined, 60_000 + 40 * line.roundTripMs);
      const possible = Math.min(line.bytesPerMs, (1024 * 1024) / line.roundTripMs);
      return waitMs < 2_800 && bytesPerMs > 0.7 * possible;
    }),
    { numRuns: rounds(100) },
  );
});

t.test('a line that becomes slow is noticed within a few batches, and one that becomes fast again, too', async (t) => {
  const window = new SendWindow(50);
  const fast = { bytesPerMs: 1_000, roundTripMs: 50, rowBytes: 500 };
  use(fast, window, 10_000);
  window.rewind();
  t.ok(use({ ...fast, bytesPerMs: 8 }, window, 1_200_000).waitMs < 2_500);
  window.rewind();
  t.ok(use(fast, window, 10_000).bytesPerMs > 900);
});

t.test('the window is two seconds beyond the round trip, not below a small batch, not above a megabyte', async (t) => {
  t.equal(windowBytes(100, 500), 250_000);
  t.equal(windowBytes(0.1, 100), 16 * 1024);
  t.equal(windowBytes(1e9, 4_000), 1024 * 1024);
});

t.test('the rows of a quiet lane do not narrow its window', async (t) => {
  const window = new SendWindow(100);
  const before = window.batchBytes;
  for (let row = 1; row <= 20; row += 1) {
    window.sent(row, 300, row * 1_000);
    window.acknowledged(row, row * 1_000 + 120);
  }
  t.equal(window.batchBytes, before);
});

t.test('a line that stood idle begins with a small window, for it may have changed', async (t) => {
  const window = new SendWindow(50);
  const first = window.batchBytes;
  use({ bytesPerMs: 10_000, roundTripMs: 50, rowBytes: 500 }, window, 10_000);
  window.acknowledged(Number.MAX_SAFE_INTEGER, 10_000);
  window.sent(1_000_000, 500, 19_000);
  window.acknowledged(1_000_000, 19_050);
  t.ok(window.batchBytes > first, 'not for a pause');
  window.sent(1_000_001, 500, 30_000);
  t.equal(window.batchBytes, first);
});

t.test('a row larger than the window is sent alone, and the next waits for its acknowledgement', async (t) => {
  const window = new SendWindow(100);
  window.sent(1, 900_000, 0);
  t.equal(window.batchBytes, 0);
  window.acknowledged(1, 60_000);
  t.ok(window.batchBytes > 0);
});

t.test('what is sent again counts once', async (t) => {
  const window = new SendWindow(100);
  window.sent(10, 50_000, 0);
  t.equal(window.inFlightBytes, 50_000);
  window.rewind();
  t.ok(window.batchBytes > 0);
  window.sent(10, 50_000, 5);
  window.acknowledged(9, 6);
  t.equal(window.inFlightBytes, 50_000, 'a part of it is not all of it');
  window.acknowledged(12, 7);
  t.equal(window.inFlightBytes, 0);
});
