import { setImmediate } from 'node:timers/promises';
import { assignmentsDigest } from '@vantage/shared/monitor-types/assignments-digest.js';
import { decodeServerFrame, encodeServerFrame, type ServerFrame } from '@vantage/shared/protocol/codec.js';
import { MAX_FRAME_BYTES } from '@vantage/shared/protocol/limits.js';
import { pino } from 'pino';
import t from 'tap';
import { FakeClock } from '../../../test/_support/fake-clock.js';
import { type AssignedWork, AssignmentsOut } from './assignments-out.js';

const work = (index: number, generation = 1, bytes = 20): AssignedWork => ({
  monitorId: `m_${index}`,
  generation,
  specJson: Buffer.alloc(bytes, 'x'),
});

/** A node that holds `held` as it connects, and is to watch what `assigned` says whenever somebody looks. */
function link(held: readonly AssignedWork[], assigned: readonly AssignedWork[]) {
  const clock = new FakeClock();
  const frames: ServerFrame[] = [];
  const state = { assigned, isFailing: false, reads: 0 };
  const out = new AssignmentsOut({
    nodeId: 'n_1',
    heldDigest: assignmentsDigest(held),
    read: async () => {
      state.reads += 1;
      if (state.isFailing) throw new Error('the database is away');
      return state.assigned;
    },
    send: (frame) => frames.push(frame),
    clock,
    log: pino({ level: 'silent' }),
  });
  /** Frames sent since the last call, in short: ids with generations, dropped ids, and the ends of complete lists. */
  const sent = async () => {
    await setImmediate();
    return frames.splice(0).map(({ assignments }) => ({
      set: (assignments?.set ?? []).map(({ monitorId, generation }) => `${monitorId} ${generation}`),
      dropped: assignments?.dropped ?? [],
      isWhole: [assignments?.begins ?? false, assignments?.ends ?? false],
    }));
  };
  const look = (now: readonly AssignedWork[] = state.assigned) => {
    state.assigned = now;
    out.look();
    return sent();
  };
  return { out, clock, state, frames, look, sent };
}

t.test('a node that has its assignments, in any order, is sent nothing', async (t) => {
  const { look, state } = link([work(2), work(1)], [work(1), work(2)]);
  t.same(await look(), []);
  t.equal(state.reads, 1, 'it was looked for');
  t.same(await link([], []).look(), [], 'nothing is what it has, too');
});

t.test('a node that has anything else is sent everything, from a beginning to an end', async (t) => {
  const set = ['m_1 1', 'm_2 1'];
  const whole = [{ set, dropped: [], isWhole: [true, true] }];
  const all = [work(1), work(2)];
  t.same(await link([work(1)], all).look(), whole, 'one is missing');
  t.same(await link([work(1), work(2, 0)], all).look(), whole, 'one is of another generation');
  t.same(await link([], all).look(), whole, 'it has nothing');
  t.same(await link(all, []).look(), [{ set: [], dropped: [], isWhole: [true, true] }], 'it is to have nothing');
});

t.test('of later changes the difference is sent, and nothing if there is none', async (t) => {
  const { look } = link([work(1), work(2), work(3)], [work(1), work(2), work(3)]);
  t.same(await look(), []);
  t.same(await look([work(1), work(2, 5), work(4)]), [
    { set: ['m_2 5', 'm_4 1'], dropped: [], isWhole: [false, false] },
    { set: [], dropped: ['m_3'], isWhole: [false, false] },
  ]);
  t.same(await look(), [], 'the same again');
  t.same(await look([work(1), work(2, 5), work(3, 2), work(4)]), [
    { set: ['m_3 2'], dropped: [], isWhole: [false, false] },
  ]);
});

t.test('however much it is, each frame is one that a link takes, and all of them are the whole once', async (t) => {
  const all = Array.from({ length: 3_000 }, (_, index) => work(index, 1, index % 7 === 0 ? 8_000 : 300));
  const { out, frames, sent } = link([], all);
  out.look();
  await setImmediate();
  t.ok(frames.length > 2);
  for (const frame of frames) {
    const bytes = encodeServerFrame(frame);
    t.ok(bytes.length <= MAX_FRAME_BYTES);
    t.doesNotThrow(() => decodeServerFrame(bytes));
  }
  const pieces = await sent();
  t.same(
    pieces.flatMap(({ set }) => set),
    all.map(({ monitorId }) => `${monitorId} 1`),
  );
  t.same(
    pieces.map(({ isWhole: [begins] }) => begins),
    pieces.map((_, index) => index === 0),
  );
  t.same(
    pieces.map(({ isWhole: [, ends] }) => ends),
    pieces.map((_, index) => index === pieces.length - 1),
  );
});

t.test('assignments to drop are sent in frames that a link accepts, however many there are', async (t) => {
  const all = Array.from({ length: 20_000 }, (_, index) => work(index));
  const { out, state, frames, look } = link(all, all);
  t.same(await look(), []);
  state.assigned = [];
  out.look();
  await setImmediate();
  const dropped = frames.flatMap((frame) => decodeServerFrame(encodeServerFrame(frame)).assignments?.dropped ?? []);
  t.same(
    dropped,
    all.map(({ monitorId }) => monitorId),
  );
});

t.test('a failed read is repeated a second later; a closed link gets nothing', async (t) => {
  const { out, look, sent, state, clock } = link([], [work(1)]);
  state.isFailing = true;
  t.same(await look(), []);
  state.isFailing = false;
  clock.advance(999);
  t.same(await sent(), []);
  clock.advance(1);
  t.same(await sent(), [{ set: ['m_1 1'], dropped: [], isWhole: [true, true] }]);
  out.look();
  out.end();
  state.assigned = [];
  t.same(await sent(), []);
  t.same(await look([work(2)]), []);
});

t.test('a look is never lost, however closely it follows the end of another one', async (t) => {
  for (let turns = 0; turns < 12; turns += 1) {
    const { out, look, sent, state } = link([], []);
    t.same(await look(), []);
    out.look();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    state.assigned = [work(1)];
    out.look();
    t.same(await sent(), [{ set: ['m_1 1'], dropped: [], isWhole: [false, false] }], `${turns} turns later`);
  }
});
