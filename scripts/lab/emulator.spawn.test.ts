import { untilRight } from '@vantage/shared/_support/attempts.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { type StampedFrame, startStamping } from './_support/one-way.js';
import type { LinkCounters, LinkSettings } from './emulator.js';
import { type Lab, startLab } from './lab.js';
import type { Direction } from './topology.js';

const skip = await missingForLab({ programs: ['ping'] });
const far = { v4: '25.80.4.2', v6: '2d00:80:4::2' };
const plain: Partial<LinkSettings> = {
  delayMs: 0,
  jitterMs: 0,
  lossRatio: 0,
  duplicateRatio: 0,
  reorderRatio: 0,
  rateBitsPerSecond: 0,
};

/** Counts of `ping` itself, in the order of arrival; it waits a few milliseconds for the last replies, however late it runs. */
interface Pinged {
  readonly received: number;
  readonly duplicates: number;
  readonly sequences: readonly number[];
  readonly rttsMs: readonly number[];
}

async function ping(lab: Lab, count: number, target = far.v4, ...options: string[]): Promise<Pinged> {
  const quick = ['-n', '-i', '0.002', '-W', '1', '-c', String(count), ...options];
  // ping fails when nothing comes back
  const text = await lab.exec('agent', 'sh', '-c', `ping ${quick.join(' ')} ${target} || true`);
  const lines = [...text.matchAll(/icmp_seq=(\d+) .*time=([\d.]+) ms/g)];
  return {
    received: Number(/(\d+) received/.exec(text)?.[1]),
    duplicates: Number(/\+(\d+) duplicates/.exec(text)?.[1] ?? 0),
    sequences: lines.map(([, sequence]) => Number(sequence)),
    rttsMs: lines.map(([, , rtt]) => Number(rtt)),
  };
}

/** Counters of one direction of link 2 during `action`, once all frames have arrived. */
async function countedBy<T>(lab: Lab, direction: Direction, action: () => Promise<T>): Promise<[T, LinkCounters]> {
  const { counters: before } = await lab.link(2, direction);
  const outcome = await action();
  await until('every frame has met its fate', async () => {
    const { received, duplicated, lost, overflowed, delivered, failed } = (await lab.link(2, direction)).counters;
    return received + duplicated === lost + overflowed + delivered + failed;
  });
  const { counters: after } = await lab.link(2, direction);
  const differences = Object.entries(after).map(([name, value]) => [name, value - before[name as keyof LinkCounters]]);
  return [outcome, Object.fromEntries(differences) as LinkCounters];
}

const forthMs = ({ sentMs, arrivedMs }: StampedFrame) => arrivedMs - sentMs;
const backMs = ({ arrivedMs, returnedMs }: StampedFrame) => returnedMs - arrivedMs;

/** Interquartile range of the times, which a few late turns of a busy machine do not change. */
function spreadOf(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return at(0.75) - at(0.25);
}

if (skip !== false) t.test('links have the configured properties', { skip }, async () => {});
else {
  const lab = await startLab({ seed: 7 });
  t.teardown(() => lab.stop());
  t.afterEach(() => lab.setLink(2, 'both', plain));

  for (const target of [far.v4, far.v6]) {
    t.test(`a link without settings delivers every frame once: ${target}`, async (t) => {
      const [pinged, forth] = await untilRight(
        () => countedBy(lab, 'forth', () => ping(lab, 200, target)),
        ([{ received }]) => received === 200,
      );
      t.match(pinged, { received: 200, duplicates: 0 });
      t.match(forth, { received: 200, delivered: 200, lost: 0, duplicated: 0, reordered: 0, overflowed: 0, failed: 0 });
    });
  }

  t.test('loss 1 loses every frame of that direction, and only of that one', async (t) => {
    await lab.setLink(2, 'back', { lossRatio: 1 });
    const [[pinged, forth], back] = await countedBy(lab, 'back', () => countedBy(lab, 'forth', () => ping(lab, 20)));
    t.equal(pinged.received, 0);
    t.match(forth, { received: 20, delivered: 20, lost: 0 });
    t.match(back, { received: 20, delivered: 0, lost: 20 });
  });

  t.test('what is lost is what ping misses, and the same seed loses the same', async (t) => {
    await lab.setLink(2, 'forth', { lossRatio: 0.3 });
    const pingSeeded = async () => {
      await lab.seed(42);
      return await countedBy(lab, 'forth', () => ping(lab, 100));
    };
    const isComplete = ([{ received }, { lost }]: Awaited<ReturnType<typeof pingSeeded>>) => received === 100 - lost;
    const [first, counters] = await untilRight(pingSeeded, isComplete);
    t.equal(first.received, 100 - counters.lost);
    t.ok(counters.lost > 5 && counters.lost < 80, `${counters.lost} of 100`);
    const [second] = await untilRight(pingSeeded, isComplete);
    t.strictSame(second.sequences, first.sequences);
  });

  t.test('what is doubled is what ping calls a duplicate', async (t) => {
    await lab.setLink(2, 'back', { duplicateRatio: 0.3 });
    const [pinged, back] = await untilRight(
      () => countedBy(lab, 'back', () => ping(lab, 100)),
      ([{ duplicates }, { duplicated }]) => duplicated - duplicates <= 1,
    );
    // the last reply ends ping, which then does not wait for its copy
    t.ok(back.duplicated - pinged.duplicates <= 1, `${back.duplicated} copies, ${pinged.duplicates} seen`);
    t.ok(back.duplicated > 5);
    t.equal(back.delivered, 100 + back.duplicated);
  });

  t.test('what is reordered is overtaken by one frame, and nothing else is', async (t) => {
    await lab.setLink(2, 'forth', { reorderRatio: 0.3 });
    const stepsOf = ({ sequences }: Pinged) =>
      sequences.slice(1).map((sequence, index) => sequence - (sequences[index] ?? 0));
    const backwards = (pinged: Pinged) => stepsOf(pinged).filter((step) => step < 0).length;
    const [pinged, forth] = await untilRight(
      () => countedBy(lab, 'forth', () => ping(lab, 100)),
      ([pinged, { reordered }]) => pinged.received === 100 && backwards(pinged) === reordered,
    );
    const steps = stepsOf(pinged);
    t.equal(backwards(pinged), forth.reordered);
    t.ok(forth.reordered > 5 && steps.every((step) => step >= -1));
  });

  t.test('jitter spreads the delay of its direction, and keeps the order', async (t) => {
    const stamp = await startStamping(t, lab);
    await lab.setLink(2, 'back', { delayMs: 50, jitterMs: 50 });
    const frames = await untilRight(
      () => stamp({ target: far.v4, count: 24, spacingMs: 50, bytes: 24 }),
      (frames) => spreadOf(frames.map(forthMs)) < 15,
    );
    t.equal(frames.length, 24);
    t.ok(spreadOf(frames.map(backMs)) > 15, `${spreadOf(frames.map(backMs))} ms with jitter`);
    t.ok(spreadOf(frames.map(forthMs)) < 15, `${spreadOf(frames.map(forthMs))} ms without`);
    t.ok(
      Math.max(...frames.map(backMs)) > 50 && Math.min(...frames.map(backMs)) < 50,
      'uniformly distributed around the delay',
    );
    const { sequences } = await ping(lab, 100);
    t.strictSame(
      sequences,
      [...sequences].sort((a, b) => a - b),
    );
  });

  t.test('each direction delays as configured: no frame comes sooner, and some hardly later', async (t) => {
    const stamp = await startStamping(t, lab);
    await lab.setLink(2, 'forth', { delayMs: 60 });
    await lab.setLink(2, 'back', { delayMs: 20 });
    for (const target of [far.v4, far.v6]) {
      const soonest = (frames: readonly StampedFrame[]) =>
        [Math.min(...frames.map(forthMs)), Math.min(...frames.map(backMs))] as const;
      const frames = await untilRight(
        () => stamp({ target, count: 20, spacingMs: 5, bytes: 24 }),
        (frames) => soonest(frames)[0] < 120 && soonest(frames)[1] < 60,
      );
      t.equal(frames.length, 20);
      const [forth, back] = soonest(frames);
      t.ok(forth >= 60 && forth < 120, `${forth} ms to ${target}`);
      t.ok(back >= 20 && back < 60, `${back} ms from ${target}`);
    }
  });

  t.test('a limited rate lets pass that many bits in a second', async (t) => {
    const stamp = await startStamping(t, lab);
    await lab.setLink(2, 'forth', { rateBitsPerSecond: 1e6, queueBytes: 100_000 });
    // on the wire 1014 bytes each, with the headers of UDP, IPv4 and Ethernet
    const expectedMs = (39 * 1014 * 8) / 1000;
    const tookOf = (frames: readonly StampedFrame[]) => {
      const arrivals = frames.map(({ arrivedMs }) => arrivedMs);
      return Math.max(...arrivals) - Math.min(...arrivals);
    };
    const isNear = (tookMs: number) => tookMs > expectedMs * 0.8 && tookMs < expectedMs * 2;
    const frames = await untilRight(
      () => stamp({ target: far.v4, count: 40, spacingMs: 0, bytes: 972 }),
      (frames) => isNear(tookOf(frames)),
    );
    t.equal(frames.length, 40);
    const tookMs = tookOf(frames);
    t.ok(isNear(tookMs), `${tookMs} ms instead of ${expectedMs}`);
  });

  t.test('a limited rate drops what its queue has no room for', async (t) => {
    await lab.setLink(2, 'forth', { rateBitsPerSecond: 1e6, queueBytes: 10_000 });
    // 100 frames of 1014 bytes at once: 9 fit the queue, the wire takes one every 8 ms
    const [pinged, forth] = await untilRight(
      () => countedBy(lab, 'forth', () => ping(lab, 100, far.v4, '-l', '100', '-s', '972')),
      ([{ received }, { delivered, overflowed }]) => received === delivered && overflowed > 0,
    );
    t.equal(forth.received, 100);
    t.equal(forth.delivered + forth.overflowed, 100);
    t.ok(forth.delivered >= 9 && forth.overflowed > 0, `${forth.delivered} delivered`);
    t.equal(pinged.received, forth.delivered);
  });

  t.test('an interface that is down loses frames, counted, and the link goes on', async (t) => {
    await lab.exec('r2', 'ip', 'link', 'set', 'link2', 'down');
    const [, counters] = await countedBy(lab, 'forth', () => ping(lab, 3));
    t.match(counters, { received: 3, delivered: 0, failed: 3 });
    await lab.exec('r2', 'ip', 'link', 'set', 'link2', 'up');
  });

  t.test('a setting out of range is refused by name', async (t) => {
    await t.rejects(lab.setLink(2, 'forth', { lossRatio: 2 }), /"set 2 forth loss=2": .*out of range/);
    await t.rejects(lab.setLink(9, 'forth', { delayMs: 1 }), /no such link/);
  });

  t.test('a command that fails says what it wrote', async (t) => {
    await t.rejects(lab.exec('far', 'sh', '-c', 'echo because >&2; exit 3'), /" failed: exit code 3: because$/);
  });
}
