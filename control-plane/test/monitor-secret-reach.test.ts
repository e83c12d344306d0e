import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t, { type Test } from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { lastingLeases } from './_support/lasting-lease.js';
import { giveNodes } from './_support/owners.js';
import { makeSecretMonitor, secrets, TOKEN, wasAssigned } from './_support/secret-monitor.js';
import { createUserApi, startReplica, startStack, type TestApi } from './_support/stack.js';

/** Enrolls a public node of a user and links it. */
async function join(t: Test, of: TestApi, asn: number): Promise<CheckingNode> {
  const node = await CheckingNode.join(t, of, { asn });
  await of.call('PATCH', `/v1/account/nodes/${node.nodeId}`, { body: { visibility: 'public' } });
  return node;
}

async function nodesOf(api: TestApi, id: string): Promise<string[]> {
  return (await api.call('GET', `/v1/monitors/${id}`)).body.data.assigned_node_ids.toSorted();
}

const idsOf = (...nodes: readonly CheckingNode[]) => nodes.map(({ nodeId }) => nodeId).toSorted();

const { api, controlPlane, database } = await startStack(t);
await lastingLeases(database.db);
const ada = await createUserApi(controlPlane, 'ada@test.example', 'user');
const bob = await createUserApi(controlPlane, 'bob@test.example', 'user');
const [admins, adas, bobs] = [await join(t, api, 1), await join(t, ada, 2), await join(t, bob, 3)];

t.test(
  'a monitor that no node may have because of its secrets is refused, with the setting and what to do',
  async (t) => {
    const message = /no suitable node may get its credentials, headers and body: .*"any"/;
    const details = { 'config.allow_secrets_on': [{ code: 'refused', message }] };
    const onBobs = { name: 'Wide', node_selection: { node_ids: [bobs.nodeId] } };
    const refused = await makeSecretMonitor(ada, onBobs);
    t.match([refused.status, refused.body.error], [422, { code: 'VALIDATION_FAILED', details }]);
    const { id } = (await makeSecretMonitor(ada, { ...onBobs, name: 'Plain', config: { allow_secrets_on: 'own' } }))
      .body.data;
    t.equal((await nodesOf(ada, id)).length, 1, 'without secrets it has no effect');
    const changed = await ada.call('PATCH', `/v1/monitors/${id}`, { body: { config: secrets } });
    t.match([changed.status, changed.body.error], [422, { code: 'VALIDATION_FAILED', details }]);
    t.equal((await makeSecretMonitor(ada, { ...onBobs, config: { ...secrets, allow_secrets_on: 'any' } })).status, 201);
    const none = await makeSecretMonitor(ada, { name: 'None', node_selection: { countries: ['AQ'] } });
    t.match(none.body.error.details, { node_selection: [{ code: 'not_found' }] }, 'that is another reason');
    for (const type of ['tcp', 'ping', 'dns']) {
      const unknown = await makeSecretMonitor(ada, {
        name: type,
        type,
        target: '127.0.0.1:9',
        config: { allow_secrets_on: 'own' },
      });
      t.match(unknown.body.error.details, { 'config.allow_secrets_on': [{ code: 'unknown' }] }, type);
    }
  },
);

t.test('a stranger’s node never gets the secrets of a monitor, until its owner allows it', async (t) => {
  const { id } = (await makeSecretMonitor(ada, { name: 'Allowed', config: {} })).body.data;
  t.strictSame(await nodesOf(ada, id), idsOf(admins, adas, bobs), 'without secrets any node may have it');
  const before = new Map<CheckingNode, number>();
  for (const node of [admins, adas, bobs]) before.set(node, (await node.waitForAssignment(id)).generation);
  t.notMatch(bobs.assignments.get(id)?.spec.config, { allow_secrets_on: String }, 'which means nothing to nodes');

  const set = (config: object) =>
    ada.call('PATCH', `/v1/monitors/${id}`, { body: { config: { ...secrets, ...config } } });
  const gained = (await set({})).body.data;
  t.strictSame(gained.assigned_node_ids.toSorted(), idsOf(admins, adas), 'it gained its first secret');
  t.match(gained, {
    config: { allow_secrets_on: 'trusted' },
    advisory: {
      failing_nodes: [],
      placement: { field: 'config.allow_secrets_on', message: /add or select such nodes, or send "any"/ },
    },
  });
  await until('the stranger to drop it', () => !bobs.assignments.has(id));
  for (const node of [admins, adas])
    t.match(
      (await node.waitForAssignment(id, before.get(node))).spec.config,
      secrets,
      'nodes that may have it suffice',
    );
  const kept = adas.assignments.get(id)?.generation;

  t.strictSame(
    (await set({ allow_secrets_on: 'own' })).body.data.assigned_node_ids,
    idsOf(adas),
    'narrower: it moves at once',
  );
  await until('the administrator’s node to drop it', () => !admins.assignments.has(id));
  t.equal(adas.assignments.get(id)?.generation, kept, 'nothing else is checked');
  t.notOk(wasAssigned(bobs, id));
  const wide = (await set({ allow_secrets_on: 'any' })).body.data;
  t.strictSame(
    [wide.assigned_node_ids.toSorted(), wide.advisory],
    [idsOf(admins, adas, bobs), null],
    'wider: there were too few',
  );
  t.match((await bobs.waitForAssignment(id)).spec.config, secrets);
});

t.test('a body is sent to no node of a stranger either', async (t) => {
  const body = { name: 'Body', config: { method: 'POST', body: TOKEN } };
  const { id, assigned_node_ids: chosen } = (await makeSecretMonitor(ada, body)).body.data;
  t.strictSame(chosen.toSorted(), idsOf(admins, adas));
  await adas.waitForAssignment(id);
  t.notOk(wasAssigned(bobs, id));
});

for (const [what, change] of [
  ['is no longer an administrator', { role: 'user' }],
  ['is shut out', { disabled_at: new Date() }],
] as const) {
  t.test(`secrets leave the nodes of a user who ${what}, at once`, async (t) => {
    const other = await createUserApi(controlPlane, `${what.length}@test.example`, 'admin');
    const others = await join(t, other, 4);
    const { id } = (await makeSecretMonitor(ada, { name: what })).body.data;
    t.strictSame(await nodesOf(ada, id), idsOf(admins, adas, others));
    await others.waitForAssignment(id);
    await database.db('users').where({ id: other.userId }).update(change);
    await until('it to drop the monitor', () => !others.assignments.has(id));
    await until('it to be moved', async () => !(await nodesOf(ada, id)).includes(others.nodeId));
    t.strictSame(await nodesOf(ada, id), idsOf(admins, adas));
    t.notOk(wasAssigned(bobs, id));
  });
}

t.test(
  'a stranger’s node is sent no secret even if placement chose it, and a new replica moves the monitor',
  async (t) => {
    const { id } = (await makeSecretMonitor(ada, { name: 'Chosen' })).body.data;
    await adas.waitForAssignment(id);
    await database.db('monitor_assignments').insert({ monitor_id: id, node_id: bobs.nodeId });
    const again = await CheckingNode.link(t, controlPlane.listenUrl, bobs.identity);
    const { id: plain } = (await makeSecretMonitor(ada, { name: 'Later', config: {} })).body.data;
    await again.waitForAssignment(plain);
    t.notOk(again.assignments.has(id));
    await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: controlPlane.listenUrl }, systemClock);
    await until('it to be moved', async () => !(await nodesOf(ada, id)).includes(bobs.nodeId));
    t.notOk(wasAssigned(again, id) || wasAssigned(bobs, id));
  },
);
t.test(
  'a node that becomes a stranger’s loses its secrets, and a node that becomes private its strangers’ monitors',
  async (t) => {
    const { id } = (await makeSecretMonitor(ada, { name: 'Given' })).body.data;
    const { id: plain } = (await makeSecretMonitor(bob, { name: 'Plain', config: {} })).body.data;
    await admins.waitForAssignment(id);
    await admins.waitForAssignment(plain);
    await giveNodes(database.db, bob.userId, admins.nodeId);
    await until('it to drop the secrets', () => !admins.assignments.has(id));
    t.ok(admins.assignments.has(plain), 'a monitor without secrets stays');
    await ada.call('PATCH', `/v1/account/nodes/${adas.nodeId}`, { body: { visibility: 'private' } });
    await until('the stranger’s monitor to leave a private node', () => !adas.assignments.has(plain));
    t.ok(adas.assignments.has(id), 'its own stays');
  },
);
