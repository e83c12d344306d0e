import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import t from 'tap';
import { dropPartitions } from '../src/db/partitions.js';
import { CheckingNode } from './_support/checking-node.js';
import { createTestDatabase } from './_support/database.js';
import { RealAgent } from './_support/real-agent.js';
import { startStack, type TestApi } from './_support/stack.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

const DAY_MS = 86_400_000;
const state = { verdict: 'ok' as const, since_ms: Date.now(), streak: 1 };

interface Check {
  readonly success: boolean;
  readonly started_at: string;
  readonly details: Record<string, unknown> | null;
}

async function checksOf(api: TestApi, id: string): Promise<Check[]> {
  return (await api.call('GET', `/v1/monitors/${id}/checks?limit=100`)).body.data;
}

/** A server that answers 200, or 503 and the request it received. */
async function startTarget(test: typeof t) {
  const control = { isBroken: false };
  const server = createServer((request, response) => {
    const sent = String(request.headers['x-api-key']);
    response.writeHead(control.isBroken ? 503 : 200, { 'x-echo': sent }).end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.teardown(() => server.close());
  return { control, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

t.test('a real agent reports details of a failed check, and of a good one on request', async (t) => {
  const { api } = await startStack(t);
  await RealAgent.start(t, api);
  const { control, url } = await startTarget(t as never);
  const secret = 'key-5e8d2c1b9a7f';
  const config = { headers: { 'X-Api-Key': secret } };
  const made = { name: 'Shop', type: 'http', target: url, interval_s: 10, config };
  const { id } = (await api.call('POST', '/v1/monitors', { body: made })).body.data;
  await until('a check', async () => (await checksOf(api, id)).length > 0);
  const measured = { timing: { tcp_ms: Number, ttfb_ms: Number }, resolved_ip: '127.0.0.1', redirects: 0 };
  const asked = (await api.call('POST', `/v1/monitors/${id}/test`)).body.data;
  t.match(asked.checks, [{ success: true, details: measured }]);
  t.equal(
    (await checksOf(api, id)).find(({ details }) => details === null)?.success,
    true,
    'the check of its slot has none',
  );
  control.isBroken = true;
  const failed = async () => (await checksOf(api, id)).find(({ success }) => !success);
  await until('a failed check', async () => (await failed()) !== undefined);
  t.match((await failed())?.details, measured);
  control.isBroken = false;
  await until('a good check', async () => (await checksOf(api, id))[0]?.success === true);
  const all = await checksOf(api, id);
  t.match(all[0]?.details, measured, 'the first good check afterwards has them');
  t.notMatch(JSON.stringify(all), secret);
});

t.test('a check counts even if its details are invalid, too large or cannot be stored', async (t) => {
  const { api, database } = await startStack(t);
  const node = await CheckingNode.join(t, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await database.db('monitors').update({ created_at: new Date(0) });
  await node.waitForAssignment(id);
  const reported = [
    '{"a":[1,null,"ü"]}',
    '{"a":',
    '[]',
    'null',
    '1',
    '{"a":"\\u0000"}',
    '{"a":"\\ud800"}',
    `{"a":"${'x'.repeat(4089)}"}`,
    `{"a":"${'x'.repeat(4088)}"}`,
    `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`,
  ];
  const beganMs = Date.now() - 60_000;
  const rows = reported.map((details, index) => {
    const report = node.reportOf(id, {
      outcome: 'failed',
      error: { code: 'x', message: 'y' },
      slot_ms: beganMs + index,
      late_ms: 0,
    });
    return {
      kind: 'check',
      resultJson: Buffer.from(JSON.stringify(report)),
      detailsJson: Buffer.from(details),
      finishedAtMs: Date.now(),
    };
  });
  node.peer.sendResults(rows, 1, 'check');
  await until('all checks', async () => (await checksOf(api, id)).length === reported.length);
  const kept = (await checksOf(api, id)).reverse().map(({ details }) => details);
  t.same(kept[0], { a: [1, null, 'ü'] });
  t.same(kept.slice(1, 8), Array(7).fill(null));
  t.same(kept[8], { a: 'x'.repeat(4088) });
  t.ok(kept[9]);
});

/** Stored details, in the order of their checks. */
async function stored(db: Knex) {
  return (await db('check_details').orderBy('at')).map(({ at, details }) => [at.getTime(), details]);
}

t.test('details of a repeated check, or of a monitor that is not assigned to the node, are not stored', async (t) => {
  const { db } = await createTestDatabase(t);
  const [own, other] = [await insertNode(db), await insertNode(db)];
  const { id } = await insertMonitor(db, [own]);
  const slot_ms = Date.now() - 10_000;
  const failed = (node: string, details: string, slotMs = slot_ms) => {
    const { nodeId, body } = aCheck(id, node, { slot_ms: slotMs, outcome: 'failed', state });
    return { nodeId, body: { ...body, details } };
  };
  // it was reported before, by a process that no replica knows any more
  await db('nodes').update({ boot_seen_at: new Date() });
  await store(db, [aCheck(id, own, { slot_ms: slot_ms - 1, state })]);
  await store(db, [failed(own, '{"a":1}'), failed(other, '{"b":1}')]);
  await store(db, [failed(own, '{"a":2}'), failed(own, '{"c":1}', slot_ms - 1), failed(own, '{"a":3}', slot_ms + 1)]);
  t.same(await stored(db), [
    [slot_ms, { a: 1 }],
    [slot_ms + 1, { a: 3 }],
  ]);
});

t.test('details of checks that arrive days late are stored, and details are deleted after 30 days', async (t) => {
  const { db } = await createTestDatabase(t);
  const node = await insertNode(db);
  const { id } = await insertMonitor(db, [node]);
  const nowMs = Date.now();
  const slots = [Math.floor(nowMs - 3.9 * DAY_MS), nowMs];
  const rows = slots.map((slot_ms) => {
    const { nodeId, body } = aCheck(id, node, { slot_ms, outcome: 'failed', state });
    return { nodeId, body: { ...body, details: '{"a":1}' } };
  });
  await store(db, rows);
  const left = async (ms: number) => {
    await dropPartitions(db, ms);
    return (await stored(db)).map(([at]) => at);
  };
  const dayEndsMs = (slot: number) => (Math.floor(slot / DAY_MS) + 1) * DAY_MS;
  t.same(await left(dayEndsMs(slots[0] ?? 0) + 30 * DAY_MS - 1), slots);
  t.same(await left(dayEndsMs(slots[0] ?? 0) + 30 * DAY_MS), [slots[1]]);
  t.same(await left(dayEndsMs(nowMs) + 30 * DAY_MS), []);
});
