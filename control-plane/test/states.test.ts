import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { type DecodedAgentFrame, MalformedFrameError } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import type { NewestState } from '../src/links/records/state-kinds.js';
import { storeStates } from '../src/links/records/state-store.js';
import { StatesIn } from '../src/links/traffic/states-in.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';
import { insertNode } from './_support/stored-node.js';

type States = NonNullable<DecodedAgentFrame['states']>;
const epochMs = Date.UTC(2026, 0, 1);

/** A kind that a test registers: its bodies are {up: boolean}. */
function aKind(newer: NewestState[]) {
  return {
    name: 'lamp',
    parse: (_subject: string, body: unknown) =>
      typeof body === 'object' && body !== null && 'up' in body && typeof body.up === 'boolean'
        ? { up: body.up }
        : null,
    onNewer: (_nodeId: string, states: readonly NewestState[]) => void newer.push(...states),
  };
}

function frame(
  ...states: { kind?: string; subject?: string; slotMs: number; up: unknown; generation?: number }[]
): States {
  return {
    states: states.map(({ kind = 'lamp', subject = 'lamp_1', generation = 1, slotMs, up }) => {
      return { kind, subject, generation, slotMs, stateJson: Buffer.from(JSON.stringify({ up })) };
    }),
  } as unknown as States;
}

const { api, database } = await startStack(t);
const { db } = database;

async function aLink() {
  const nodeId = await insertNode(db, { session_id: 'ses_1', replica_id: 'rep_1' });
  const newer: NewestState[] = [];
  let [passedOver, replaced] = [0, 0];
  const states = new StatesIn({
    ports: {
      kinds: [aKind(newer)],
      store: (link, stored) => storeStates(db, link, stored),
      countPassedOver: (count) => void (passedOver += count),
    },
    link: { nodeId, sessionId: 'ses_1' },
    clock: new FakeClock(epochMs),
    hold: (_bytes, work) => work,
    onReplaced: () => void (replaced += 1),
  });
  const stored = async () =>
    db('newest_states').where({ node_id: nodeId }).orderBy('subject').select('subject', 'slot_ms', 'body');
  return { nodeId, states, newer, stored, passedOver: () => passedOver, replaced: () => replaced };
}

t.test(
  'of two states of one subject the newer slot is kept, in any order of arrival, and repeats change nothing',
  async (t) => {
    const { states, stored, newer } = await aLink();
    await states.take(frame({ slotMs: 2_000, up: false }, { slotMs: 1_000, up: true }));
    await states.take(frame({ slotMs: 1_500, up: true }));
    await states.take(frame({ slotMs: 2_000, up: true }));
    t.strictSame(await stored(), [{ subject: 'lamp_1', slot_ms: 2_000, body: { up: false } }]);
    t.equal(newer.length, 1, 'an older state changes nothing');
    await Promise.all([
      states.take(frame({ slotMs: 3_000, up: true })),
      states.take(frame({ slotMs: 2_500, up: false })),
    ]);
    t.strictSame(await stored(), [{ subject: 'lamp_1', slot_ms: 3_000, body: { up: true } }]);
    t.match(newer, [{ slotMs: 2_000 }, { slotMs: 3_000, bodyJson: '{"up":true}' }]);
  },
);

t.test('states of unknown kinds, of the future or malformed are counted and ignored', async (t) => {
  const { states, stored, passedOver } = await aLink();
  await states.take(
    frame(
      { slotMs: 1, up: true, subject: 'lamp_good' },
      { slotMs: 1, up: true, kind: 'of a newer agent' },
      { slotMs: epochMs + 120_001, up: true },
      { slotMs: Number.NaN, up: true },
      { slotMs: 1, up: 'perhaps' },
      { slotMs: 1, up: true, subject: '' },
      { slotMs: 1, up: true, subject: 'lamp\0' },
    ),
  );
  t.equal(passedOver(), 6);
  t.match(await stored(), [{ subject: 'lamp_good' }]);
});

t.test('nothing of a banned node or of a replaced link is stored', async (t) => {
  const { nodeId, states, stored, replaced, newer } = await aLink();
  await db('nodes').where({ id: nodeId }).update({ banned_at: db.fn.now(), ban_reason: 'x' });
  await states.take(frame({ slotMs: 1, up: true }));
  await db('nodes').where({ id: nodeId }).update({ banned_at: null, ban_reason: null, session_id: 'ses_2' });
  await states.take(frame({ slotMs: 1, up: true }));
  t.strictSame(await stored(), []);
  t.equal(replaced(), 2);
  t.strictSame(newer, []);
});

t.test('a flood of snapshots ends its link', async (t) => {
  const { states } = await aLink();
  const taken = Array.from({ length: 40 }, (_, i) => states.take(frame({ slotMs: i, up: true })));
  const outcomes = await Promise.allSettled(taken);
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  t.equal(refused.length, 8);
  t.ok(refused.every((outcome) => outcome.reason instanceof MalformedFrameError));
});

t.test('a link accepts states of unknown kinds and continues', async (t) => {
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, api.url, identity, { isBeating: false });
  peer.send({ states: { states: [{ kind: 'of a newer agent', subject: 'x', slotMs: 1 }] } });
  peer.send({ heartbeat: { sequence: 1, transmitMs: 1 } });
  await peer.waitFor('a response', ({ heartbeat }) => heartbeat !== null);
  t.strictSame(await db('newest_states').where({ node_id: identity.nodeId }), []);
});
