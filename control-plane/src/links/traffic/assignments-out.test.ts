import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { assignmentsDigest } from '@vantage/shared/monitor-types/assignments-digest.js';
import { decodeServerFrame, encodeServerFrame, type ServerFrame } from '@vantage/shared/protocol/codec.js';
import { MAX_FRAME_BYTES } from '@vantage/shared/protocol/limits.js';
import { pino } from 'pino';
import t from 'tap';
import type { AssignedWork } from './assigned-reads.js';
import { AssignmentsOut } from './assignments-out.js';
import { keyHash } from './held-assignments.js';

const work = (index: number, generation = 1, bytes = 20): AssignedWork => ({
  monitorId: `m_${index}`,
  generation,
  specJson: Buffer.alloc(bytes, 'x'),
});
const works = (count: number) => Array.from({ length: count }, (_, index) => work(index));

/** Enough for everything that a test reads and sends in parts. */
const TURNS = 200;

/** A node that holds `held` as it connects, and is to watch what `assigned` says at every look. */
function link(held: readonly AssignedWork[], assigned: readonly AssignedWork[]) {
  const clock = new FakeClock();
  const frames: ServerFrame[] = [];
  const state = {
    assigned,
    isFailing: false,
    failsAfterFrame: false,
    /** Monitors whose secrets the node may not have. */
    withheld: new Set<string>(),
    reads: { keys: 0, sum: 0, find: [] as string[] },
  };
  const ask = <T>(read: () => T) => {
    if (state.isFailing) throw new Error('the database is away');
    return read();
  };
  const sumOf = () => state.assigned.reduce((sum, key) => sum + keyHash(key), 0);
  const out = new AssignmentsOut({
    nodeId: 'n_1',
    heldDigest: assignmentsDigest(held),
    reads: {
      keys: async () => {
        state.reads.keys += 1;
        const keyOf = ({ monitorId, generation }: AssignedWork) => ({
          monitorId,
          generation,
          hasSecrets: state.withheld.has(monitorId),
        });
        return ask(() => ({ keys: state.assigned.map(keyOf), sum: sumOf() }));
      },
      sum: async () => {
        state.reads.sum += 1;
        return ask(sumOf);
      },
      find: async (_, monitorId) => {
        state.reads.find.push(monitorId);
        const found = ask(() => state.assigned.find((one) => one.monitorId === monitorId));
        if (found === undefined) return null;
        return { generation: found.generation, specJson: state.withheld.has(monitorId) ? null : found.specJson };
      },
    },
    send: (frame) => {
      frames.push(frame);
      state.isFailing ||= state.failsAfterFrame;
    },
    clock,
    log: pino({ level: 'silent' }),
  });
  const settle = async () => {
    for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
  };
  /** Frames sent since the last call, in short: ids with generations, dropped ids, and the ends of complete lists. */
  const sent = async () => {
    await settle();
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
  const lookAt = (now: readonly AssignedWork[], ...indexes: readonly number[]) => {
    state.assigned = now;
    out.lookAt(indexes.map((index) => `m_${index}`));
    return sent();
  };
  /** Reads since the last call. */
  const reads = () => {
    const done = state.reads;
    state.reads = { keys: 0, sum: 0, find: [] };
    return done;
  };
  return { out, clock, state, frames, look, lookAt, sent, settle, reads };
}

t.test('a node that has its assignments, in any order, is sent nothing', async (t) => {
  const { look, reads } = link([work(2), work(1)], [work(1), work(2)]);
  t.same(await look(), []);
  t.same(reads(), { keys: 1, sum: 0, find: [] }, 'its keys were read, and no specification');
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

t.test(
  'of later changes, however many were not announced, the difference is sent, and nothing if there is none',
  async (t) => {
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
  },
);

t.test('of a change to monitors only their assignments are read, however many the node has', async (t) => {
  const all = works(2_000);
  const { look, lookAt, reads } = link(all, all);
  t.same(await look(), []);
  reads();
  const changed = [...all.slice(1), work(0, 2), work(5_000)];
  t.same(await lookAt(changed, 0, 5_000), [{ set: ['m_0 2', 'm_5000 1'], dropped: [], isWhole: [false, false] }]);
  t.same(await lookAt(changed.slice(1), 1, 7_777), [{ set: [], dropped: ['m_1'], isWhole: [false, false] }]);
  t.same(reads(), { keys: 0, sum: 0, find: ['m_0', 'm_5000', 'm_1', 'm_7777'] });
  t.same(await look(), [], 'the sums agree');
  t.same(reads(), { keys: 0, sum: 1, find: [] }, 'no assignment was read');
});

t.test('of a change that was not announced, keys and what differs in them are read', async (t) => {
  const all = works(2_000);
  const { look, lookAt, reads } = link(all, all);
  t.same(await look(), []);
  t.same((await lookAt([...all, work(2_000)], 2_000)).length, 1);
  reads();
  const later = [...all.slice(2), work(1, 2), work(2_000)];
  t.same(await look(later), [
    { set: ['m_1 2'], dropped: [], isWhole: [false, false] },
    { set: [], dropped: ['m_0'], isWhole: [false, false] },
  ]);
  t.same(reads(), { keys: 1, sum: 1, find: ['m_1', 'm_0'] });
});

t.test('a change that is announced while everything is read or sent is not lost', async (t) => {
  for (let turns = 0; turns < 12; turns += 1) {
    const all = works(500);
    const { out, look, sent, lookAt, state } = link([], all);
    out.look();
    for (let turn = 0; turn < turns; turn += 1) await (turn % 2 === 0 ? setImmediate() : Promise.resolve());
    state.assigned = [...all.slice(2), work(1, 2)];
    out.lookAt(['m_0', 'm_1']);
    const held = new Map<string, string>();
    for (const { set, dropped } of await sent()) {
      for (const [id = '', generation = ''] of set.map((key) => key.split(' '))) held.set(id, generation);
      for (const id of dropped) held.delete(id);
    }
    t.same([held.size, held.has('m_0'), held.get('m_1')], [499, false, '2'], `${turns} turns later`);
    t.same(await look(), [], 'the sums agree');
    t.same(await lookAt(state.assigned, 0, 1), []);
  }
});

t.test('an assignment whose secrets the node may not have is not sent, and dropped if it was', async (t) => {
  const all = [work(1), work(2)];
  const { look, lookAt, state } = link([], all);
  state.withheld.add('m_1');
  t.same(await look(), [{ set: ['m_2 1'], dropped: [], isWhole: [true, true] }]);
  t.same(await look(), [], 'the sums agree');
  state.withheld.clear();
  t.same(await lookAt(all, 1), [{ set: ['m_1 1'], dropped: [], isWhole: [false, false] }]);
  state.withheld.add('m_2');
  t.same(await lookAt(all, 2), [{ set: [], dropped: ['m_2'], isWhole: [false, false] }]);
  const same = link([work(2)], all);
  same.state.withheld.add('m_1');
  t.same(await same.look(), [], 'the node that reconnects has what it may have');
});

t.test('however much it is, each frame is one that a link takes, and all of them are the whole once', async (t) => {
  const all = Array.from({ length: 3_000 }, (_, index) => work(index, 1, index % 7 === 0 ? 8_000 : 300));
  const { out, frames, sent, settle } = link([], all);
  out.look();
  await settle();
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
  const all = works(20_000);
  const { out, state, frames, look, settle } = link(all, all);
  t.same(await look(), []);
  state.assigned = [];
  out.look();
  await settle();
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

t.test(
  'a list that a failed read broke off is sent again from its beginning, whatever the node had before',
  async (t) => {
    const held = works(150);
    const { out, state, settle, sent, clock } = link(held, works(500));
    state.failsAfterFrame = true;
    out.look();
    await settle();
    state.failsAfterFrame = state.isFailing = false;
    state.assigned = held;
    clock.advance(1_000);
    const lists = await sent();
    t.same(
      lists.map(({ isWhole }) => isWhole),
      [
        [true, false],
        [true, true],
      ],
    );
    t.equal(lists[1]?.set.length, 150);
  },
);

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
