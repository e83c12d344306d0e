import { encodeAgentFrame } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { StateSources, snapshotFrames, type WatchedState } from './state-sources.js';

function aState(slotMs: number, bytes = 10): WatchedState {
  return { kind: 'monitor', subject: `mon_${slotMs}`, generation: 1, slotMs, stateJson: `"${'x'.repeat(bytes)}"` };
}

t.test('a snapshot is cut into frames of half a megabyte, in order', async (t) => {
  const states = Array.from({ length: 1_000 }, (_, i) => aState(i, 2_000));
  const frames = snapshotFrames(states);
  t.ok(frames.length >= 4);
  for (const frame of frames) t.ok(encodeAgentFrame(frame).length <= 512 * 1024);
  t.same(
    frames.flatMap(({ states: body }) => body?.states ?? []).map(({ slotMs }) => slotMs),
    states.map(({ slotMs }) => slotMs),
  );
});

t.test('a snapshot has a bound: ten thousand states, the newest, and none that is huge', async (t) => {
  const states = [...Array.from({ length: 12_000 }, (_, i) => aState(i)), aState(99_999, 70_000)];
  const slots = snapshotFrames(states)
    .flatMap(({ states: body }) => body?.states ?? [])
    .map(({ slotMs }) => slotMs ?? 0);
  t.equal(slots.length, 10_000);
  t.equal(Math.min(...slots), 2_000);
  t.equal(Math.max(...slots), 11_999);
  t.same(snapshotFrames([]), []);
});

t.test('a source that fails loses only its own states', async (t) => {
  const failed: unknown[] = [];
  const sources = new StateSources((error) => failed.push(error));
  sources.add({ newest: async () => [aState(1)] });
  const forget = sources.add({
    newest: () => {
      throw new Error('no disk');
    },
  });
  t.same((await sources.newest()).length, 1);
  t.equal(failed.length, 1);
  forget();
  await sources.newest();
  t.equal(failed.length, 1);
});
