import { randomBytes } from 'node:crypto';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { ensureMarks, type NewSession, openSessions } from '../src/links/records/opening-store.js';
import { createTestDatabase, type TestDatabase } from './_support/database.js';
import { insertNode } from './_support/stored-node.js';

async function aNode(db: TestDatabase['db'], columns = {}) {
  const publicKey = randomBytes(32);
  return { nodeId: await insertNode(db, { public_key: publicKey, boot_id: 'before', ...columns }), publicKey };
}

function session(node: { nodeId: string; publicKey: Buffer }, generation = 1): NewSession {
  const sessionId = newId(idPrefixes.session);
  return {
    ...node,
    sessionId,
    replicaId: 'r',
    bootId: 'boot',
    generation,
    agentVersion: '1.0.0',
    capabilities: ['icmp', 'icmp_echo'],
  };
}

t.test('links that open together are judged separately', async (t) => {
  const { db } = await createTestDatabase(t);
  const [good, banned, other, old] = [
    await aNode(db),
    await aNode(db, { banned_at: new Date() }),
    await aNode(db),
    await aNode(db, { generation: 7 }),
  ];
  const unknown = { nodeId: newId(idPrefixes.node), publicKey: randomBytes(32) };
  const asked = [
    session(good),
    session(banned),
    session({ ...other, publicKey: randomBytes(32) }),
    session(old, 7),
    session(unknown),
    session(good, 2),
    session(good, 2),
  ];
  const answers = await openSessions(db, asked);
  t.match(answers[0], { boot_opening: 1 });
  t.strictSame(answers.slice(1, 5), [null, null, null, null]);
  t.match(answers[5], { boot_opening: 1 }, 'the second link of a node comes after the first, from the same process');
  t.equal(answers[6], null, 'a generation counts once');
  const row = await db('nodes').where({ id: good.nodeId }).first();
  t.match(row, { session_id: asked[5]?.sessionId, generation: 2, capabilities: ['icmp', 'icmp_echo'] });
});

t.test('marks read together are those of each spool', async (t) => {
  const { db } = await createTestDatabase(t);
  const spools = ['n_1', 'n_2', 'n_1'].map((nodeId, index) => ({ nodeId, epoch: Buffer.alloc(16, index % 2) }));
  t.strictSame(
    await ensureMarks(db, spools),
    spools.map(() => ({ task: 0, check: 0 })),
  );
  await db('ingest_marks').where({ node_id: 'n_2', lane: 2 }).update({ mark: 5 });
  await db('ingest_marks').where({ node_id: 'n_1', lane: 1 }).update({ mark: 9 });
  t.strictSame(await ensureMarks(db, spools), [
    { task: 9, check: 0 },
    { task: 0, check: 5 },
    { task: 9, check: 0 },
  ]);
});
