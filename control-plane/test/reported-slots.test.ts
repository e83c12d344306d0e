import { until } from '@vantage/shared/_support/until.js';
import type { MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import t, { type Test } from 'tap';
import { storeMissed } from '../src/modules/monitors/checks/missed-store.js';
import { CheckingNode } from './_support/checking-node.js';
import { createTestDatabase } from './_support/database.js';
import { startStack } from './_support/stack.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

const INTERVAL_MS = 10_000;
const NOW_MS = Math.floor(Date.now() / INTERVAL_MS) * INTERVAL_MS;
const state = { verdict: 'ok' as const, since_ms: NOW_MS, streak: 1 };

/**
 * A monitor on one node, whose process was first seen `seenMsAgo`, and a function that delivers reports of slots by
 * number.
 */
async function aWatch(t: Test, seenMsAgo = 0) {
  const { db } = await createTestDatabase(t);
  const nodeId = await insertNode(db);
  const { id } = await insertMonitor(db, [nodeId]);
  await db('nodes').update({ boot_seen_at: new Date(NOW_MS - seenMsAgo) });
  const slotMs = (slot: number) => NOW_MS + slot * INTERVAL_MS;
  return {
    check: (...slots: number[]) =>
      store(
        db,
        slots.map((slot) => aCheck(id, nodeId, { slot_ms: slotMs(slot), state })),
      ),
    missed: (...runs: (readonly [number, number])[]) => {
      const bodies = runs.map(([first, last]): MissedReport => {
        const range = { first_slot_ms: slotMs(first), last_slot_ms: slotMs(last), count: last - first + 1 };
        return { monitor_id: id, generation: 1, ...range, reason: 'stopped', through_ms: slotMs(last) };
      });
      return storeMissed(
        db,
        bodies.map((body) => ({ nodeId, body })),
      );
    },
    checks: async () => {
      const rows = await db('monitor_checks').orderBy('at').select('at');
      return rows.map(({ at }) => (at.getTime() - NOW_MS) / INTERVAL_MS);
    },
    gaps: async () => {
      const rows = await db('missed_slots').orderBy('first_at');
      return rows.map((row) => [row.first_at, row.last_at].map((at) => (at.getTime() - NOW_MS) / INTERVAL_MS));
    },
  };
}

t.test('a slot that a process reported is not stored again when the next one reports it', async (t) => {
  const { check, missed, checks, gaps } = await aWatch(t);
  await check(-5, -4);
  t.same(await check(-4, -3, -3), [], 'its state is known');
  t.same(await checks(), [-5, -4, -3]);
  await missed([-7, -1]);
  const missedRuns = [
    [-7, -6],
    [-2, -1],
  ];
  t.same(await gaps(), missedRuns, 'only unreported slots are missed');
  await missed([-7, -1], [-2, 0], [0, 0]);
  t.same(await gaps(), [...missedRuns, [0, 0]]);
  await check(-7, -6, -1, 1);
  t.same(await checks(), [-5, -4, -3, 1], 'missed slots are not checked afterwards');
});

t.test('a slot outside of the grid of the missed ones is stored', async (t) => {
  const { check, missed, checks } = await aWatch(t);
  await missed([-9, -1]);
  await check(-4.5);
  t.same(await checks(), [-4.5]);
});

t.test('reports of slots since a process started are stored without reading the stored ones', async (t) => {
  const { check, checks } = await aWatch(t, 3_600_000);
  await check(0);
  await check(0);
  t.same(await checks(), [0, 0], 'a real process never reports a slot twice');
});

t.test('a node whose agent starts again without its state makes no second result of a slot', async (t) => {
  const { api, database } = await startStack(t);
  const first = await CheckingNode.join(t, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9' };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await first.waitForAssignment(id);
  await database.db('monitors').update({ created_at: new Date(0) });
  // of a process that has run for long
  await database.db('nodes').update({ boot_seen_at: new Date(NOW_MS - 3_600_000) });
  const slots = () => database.db('monitor_checks').orderBy('at').pluck('at');
  first.check(id, { outcome: 'ok', slot_ms: NOW_MS });
  await until('the check', async () => (await slots()).length === 1);
  const next = await CheckingNode.link(t, api.url, first.identity, { bootId: 'boot-2' });
  await next.waitForAssignment(id);
  next.check(id, { outcome: 'failed', slot_ms: NOW_MS });
  next.check(id, { outcome: 'ok', slot_ms: NOW_MS + 1 });
  await until('the last reported', async () => (await slots()).length > 1);
  t.same(await slots(), [new Date(NOW_MS), new Date(NOW_MS + 1)]);
});
