import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { startStack } from './_support/stack.js';

// Attacks of a node with a valid key through slots, generations and monitors of others: it spoils its own vote on its
// own monitors, and nothing of other monitors.

const DAY_MS = 86_400_000;

t.test(
  'a node that forges slots, generations and states changes no monitor that other nodes see differently',
  async (t) => {
    const { api, database } = await startStack(t);
    const nodes = [1, 2, 3].map((asn) => CheckingNode.join(t, api, { asn }));
    const [one, two, liar] = (await Promise.all(nodes)) as [CheckingNode, CheckingNode, CheckingNode];
    const monitorOn = async (name: string, on: readonly CheckingNode[]) => {
      const node_selection = { node_ids: on.map(({ nodeId }) => nodeId) };
      const body = { name, type: 'tcp', target: '127.0.0.1:9', node_selection, trigger_rule: { consecutive_fail: 1 } };
      const made = await api.call('POST', '/v1/monitors', { body });
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
      const { id } = made.body.data;
      for (const node of on) await node.waitForAssignment(id);
      return id as string;
    };
    const shared = await monitorOn('Shared', [one, two, liar]);
    const others = await monitorOn('Others', [one, two]);
    const nowMs = Date.now();
    const failing = (sinceMs: number, streak = 9) => ({ verdict: 'failing' as const, since_ms: sinceMs, streak });
    const forged: readonly Parameters<CheckingNode['check']>[] = [
      [others, { outcome: 'failed' }],
      [newId(idPrefixes.monitor), { outcome: 'failed' }],
      [shared, { outcome: 'failed', slot_ms: nowMs + DAY_MS, state: failing(nowMs) }],
      [shared, { outcome: 'failed', slot_ms: nowMs - 30 * DAY_MS, state: failing(0) }],
      [shared, { outcome: 'failed', state: failing(0, 1e9) }],
      [shared, { outcome: 'failed', state: failing(nowMs + DAY_MS) }],
      [shared, { outcome: 'failed', generation: 999_999, state: failing(nowMs) }],
      [shared, { outcome: 'failed', generation: 0, slot_ms: nowMs - DAY_MS, state: failing(nowMs - DAY_MS) }],
      [shared, { outcome: 'failed', through_ms: nowMs + DAY_MS }],
      [shared, { outcome: 'failed', state: null, request: 'never requested' }],
      ...Array.from({ length: 50 }, () => [shared, { outcome: 'failed', slot_ms: nowMs }] as [string, object]),
    ];
    for (const [id, says] of forged) liar.check(id, says);
    await liar.peer.waitFor('the acknowledgement', ({ ack }) => ack?.mark === forged.length);
    for (const node of [one, two]) for (const id of [shared, others]) node.check(id);
    const healthOf = async (id: string) => (await api.call('GET', `/v1/monitors/${id}`)).body.data.current_status;
    await until(
      'both to be judged',
      async () => (await healthOf(shared)) === 'up' && (await healthOf(others)) === 'up',
    );
    t.strictSame(await database.db('monitor_events'), [], 'no event, open or closed');
    t.strictSame(await database.db('outbox').whereLike('kind', 'monitor.%').whereNot({ kind: 'monitor.created' }), []);
    const stored = await database.db.raw(
      `SELECT m.id, c.at FROM monitor_checks c JOIN monitors m ON m.key = c.monitor_key JOIN nodes n ON n.key = c.node_key
     WHERE n.id = ?`,
      [liar.nodeId],
    );
    t.ok(
      stored.rows.every(({ id }: { id: string }) => id === shared),
      'nothing is stored about monitors that are not assigned to it',
    );
    t.ok(
      stored.rows.every(({ at }: { at: Date }) => Math.abs(at.getTime() - nowMs) <= 8 * DAY_MS),
      'nor for times outside of all partitions',
    );
    const { uptime_percent } = (await api.call('GET', `/v1/monitors/${shared}`)).body.data;
    t.equal(uptime_percent, 100);
  },
);

t.test('an event begins no earlier than its monitor, whatever its nodes report', async (t) => {
  const { api } = await startStack(t);
  const liar = await CheckingNode.join(t, api);
  const body = {
    name: 'Shop',
    type: 'tcp',
    target: '127.0.0.1:9',
    node_count: 1,
    trigger_rule: { consecutive_fail: 1 },
  };
  const { id, created_at } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await liar.waitForAssignment(id);
  liar.check(id, { outcome: 'failed', state: { verdict: 'failing', since_ms: 0, streak: 9 } });
  const events = async () => (await api.call('GET', `/v1/monitors/${id}/events`)).body.data.items;
  await until('the event', async () => (await events()).length === 1);
  const [event] = await events();
  t.ok(Date.parse(event.started_at) >= Date.parse(created_at), `${event.started_at} is not before ${created_at}`);
});
