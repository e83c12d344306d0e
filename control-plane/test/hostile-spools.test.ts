import { randomBytes } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import { type Lane, laneCode } from '@vantage/shared/protocol/codec.js';
import { EPOCH_BYTES } from '@vantage/shared/protocol/limits.js';
import t from 'tap';
import { storeStates } from '../src/links/records/state-store.js';
import { createTestDatabase } from './_support/database.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';
import { insertNode } from './_support/stored-node.js';

// Attacks of a node with a valid key through numbers and epochs: it reaches only its own spool, and fills no disk.

const { api, database } = await startStack(t);
const { db } = database;

const marks = async (where: object = {}) =>
  (await db('ingest_marks').where(where).orderBy(['node_id', 'lane', 'epoch'])).map(
    ({ node_id, lane, epoch, mark }) => ({
      node_id,
      lane,
      epoch: epoch.toString('hex'),
      mark: Number(mark),
    }),
  );

t.test('after a valid epoch no other epoch is stored, whatever its origin, and no number out of order', async (t) => {
  const honest = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'honest' }));
  const identity = await enrollPeer(api, { name: 'liar' });
  honest.sendResults([successOf('x', 'tcp')]);
  await honest.waitFor('the acknowledgement', ({ ack }) => ack?.mark === 1);
  const ofHonest = () => marks({ node_id: honest.identity.nodeId });
  const before = await ofHonest();
  for (const [name, epoch, lane, first] of [
    ['an unknown epoch', randomBytes(EPOCH_BYTES), 'task', 1],
    ['the epoch of another node', honest.epoch, 'task', 2],
    ['the epoch of another node, in the other lane', honest.epoch, 'check', 1],
    ['an epoch of the wrong length', randomBytes(EPOCH_BYTES + 1), 'task', 1],
    ['an empty epoch', Buffer.alloc(0), 'task', 1],
  ] as const) {
    const liar = await PeerAgent.connect(t, api.url, identity);
    liar.sendResults([successOf('x', 'tcp')]);
    await liar.waitFor('the acknowledgement', ({ ack }) => ack?.mark === 1);
    const own = (await marks()).length;
    liar.send({ results: { epoch, lane: laneCode(lane), first, results: [successOf('x', 'tcp')] } });
    t.ok((await liar.waitForClose()).code > 0, `${name}: the link is closed`);
    liar.cut();
    t.equal((await marks()).length, own, `${name}: no mark is stored`);
    t.strictSame(await ofHonest(), before, name);
  }
  t.ok(honest.isOpen);
});

t.test('gaps of every form are refused, and so is everything after a refused one', async (t) => {
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const acks = () => peer.frames.flatMap(({ ack }) => (ack ? [ack] : []));
  const send = async (lane: Lane, first: number, count: number) => {
    const before = acks().length;
    const results = Array.from({ length: count }, () => successOf('x', 'tcp'));
    peer.send({ results: { epoch: peer.epoch, lane: laneCode(lane), first, results } });
    await until('the response', () => acks().length > before);
    return acks().at(-1);
  };
  t.match(await send('task', 2, 1), { mark: 0, rewind: true }, 'the first number is missing');
  t.match(await send('task', 1, 3), { mark: 3, rewind: false });
  t.match(await send('task', 5, 2), { mark: 3, rewind: true }, 'one is missing');
  t.match(await send('task', 6, 1), { mark: 3, rewind: true }, 'rows after the refused one');
  t.match(await send('task', 2 ** 53 - 3, 2), { mark: 3, rewind: true }, 'the highest possible numbers');
  t.match(await send('task', 2, 4), { mark: 5, rewind: false }, 'rows that overlap and continue are accepted');
  t.match(await send('check', 4, 1), { mark: 0, rewind: true }, 'lanes have marks of their own');
  t.match(await send('task', 1, 5), { mark: 5, rewind: false }, 'stored rows change nothing');
  t.match((await marks({ node_id: peer.identity.nodeId })).map(({ mark }) => mark).sort(), [0, 5]);
});

t.test('dropped ranges that a node reports are recorded up to a thousand times, and then ignored', async (t) => {
  const [peer, other] = [
    await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'liar' })),
    await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'honest' })),
  ];
  const noted = async (nodeId: string) =>
    Number((await db('spool_gaps').where({ node_id: nodeId }).count())[0]?.['count']);
  await db.raw(
    `INSERT INTO spool_gaps (node_id, epoch, lane, first, last, reason)
     SELECT ?, '\\x00', 1, n, n, 'spool_full' FROM generate_series(1, 999) n`,
    [peer.identity.nodeId],
  );
  for (const [number, expected] of [
    [1, 1_000],
    [2, 1_000],
    [3, 1_000],
  ] as const) {
    peer.send({ dropped: { epoch: peer.epoch, lane: laneCode('task'), first: number, last: number, reason: 'x' } });
    await peer.waitFor('the acknowledgement', ({ ack }) => ack?.mark === number);
    t.equal(await noted(peer.identity.nodeId), expected);
  }
  other.send({ dropped: { epoch: other.epoch, lane: laneCode('task'), first: 1, last: 9, reason: 'x' } });
  await other.waitFor('the acknowledgement', ({ ack }) => ack?.mark === 9);
  t.equal(await noted(other.identity.nodeId), 1, 'other ranges are recorded as before');
});

t.test('a node has newest states for at most a hundred thousand subjects, and those stay up to date', async (t) => {
  // no control plane ends the session
  const { db } = await createTestDatabase(t);
  const nodeId = await insertNode(db, { session_id: 'ses_1', replica_id: 'rep_1' });
  await db.raw(
    `INSERT INTO newest_states (node_id, kind, subject, generation, slot_ms, body)
     SELECT ?, 'check', 'm_' || n, 1, 1, '{}' FROM generate_series(1, 100000) n`,
    [nodeId],
  );
  const state = (subject: string, slotMs: number) => ({
    kind: 'check',
    subject,
    generation: 1,
    slotMs,
    bodyJson: '{}',
  });
  const { newer } = await storeStates(db, { nodeId, sessionId: 'ses_1' }, [state('m_5', 2), state('m_of_none', 2)]);
  t.strictSame(newer, [{ kind: 'check', subject: 'm_5' }]);
});
