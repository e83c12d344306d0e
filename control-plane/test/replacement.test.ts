import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { Placing } from '../src/modules/monitors/placement/placing.js';
import { Replacement } from '../src/modules/monitors/placement/replacement.js';
import type { Node } from '../src/modules/nodes/index.js';
import { nodeReads } from '../src/modules/nodes/store.js';
import { createTestDatabase } from './_support/database.js';
import { insertMonitor } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

const SWEEP_MS = 5_000;

/** A replica that moves monitors away from the nodes it knows; `look` has it look at them once. */
async function aReplacement(t: Test) {
  const { db } = await createTestDatabase(t);
  const known = new Map<string, Node>();
  const placed: string[] = [];
  const placing = {
    prepare: async () => {},
    place: async (_trx: unknown, { id }: { readonly id: string }) => {
      placed.push(id);
      return { changed: [] };
    },
  };
  let looks = 0;
  const clock = new FakeClock();
  const replacement = new Replacement({
    db,
    directory: {
      all: () => {
        looks += 1;
        return known.values();
      },
      onChange: () => {},
    },
    placing: placing as unknown as Placing,
    onAssigned: () => {},
    onDue: () => {},
    clock,
    log: pino({ level: 'silent' }),
  });
  t.teardown(() => replacement.stop());
  replacement.start();
  return {
    db,
    placed,
    /** Has the replica see the present state of a node. */
    see: async (nodeId: string) => {
      for (const node of await nodeReads(db).find([nodeId])) known.set(nodeId, node);
    },
    look: async () => {
      const before = looks;
      clock.advance(SWEEP_MS);
      await until('a look at the nodes', () => looks > before);
    },
    waitForPlacement: (id: string) =>
      until('the monitor to be placed', () => {
        clock.advance(SWEEP_MS);
        return placed.includes(id);
      }),
  };
}

t.test('a monitor is placed again when its node is first seen after it lost its standing', async (t) => {
  const { db, see, look, waitForPlacement } = await aReplacement(t);
  await look();
  // without a link it brings nothing: only its lost standing is a reason for another placement
  const nodeId = await insertNode(db, { visibility: 'private' });
  const { id } = await insertMonitor(db, [nodeId]);
  await see(nodeId);
  await waitForPlacement(id);
});

t.test('a monitor is placed again when its node had and lost its link between two looks', async (t) => {
  const { db, placed, see, look, waitForPlacement } = await aReplacement(t);
  const nodeId = await insertNode(db);
  await see(nodeId);
  await look();
  await look();
  const { id } = await insertMonitor(db, [nodeId]);
  await look();
  t.same(placed, [], 'a node that had no link is no reason');
  await db('nodes').where({ id: nodeId }).update({ session_id: 'ses_1' });
  await db('nodes').where({ id: nodeId }).update({ session_id: null });
  await db('nodes')
    .where({ id: nodeId })
    .update({ left_at: new Date(0) });
  await see(nodeId);
  await waitForPlacement(id);
});
