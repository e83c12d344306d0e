import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import type { BusMessage } from '../src/bus/bus.js';
import { NoiseRules } from '../src/modules/alerts/groups/noise-rules.js';
import { readApplied, readDependents, readPolicies } from '../src/modules/alerts/policies/applying-store.js';
import { createTestDatabase } from './_support/database.js';
import { FakeClock } from './_support/fake-clock.js';
import { aHeartbeat } from './_support/heartbeats.js';
import { asUser, insertUsers } from './_support/owners.js';
import { startReplicaPair } from './_support/replica-pair.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';
import { until } from './_support/until.js';

async function data(api: TestApi, method: string, url: string, body?: object, as = api.token) {
  const answer = await api.call(method, url, body === undefined ? { as } : { body, as });
  if (answer.status > 201) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** An account with a policy maker; rules go to its default channel. */
function makerOf(api: TestApi, as = api.token) {
  const rules = [{ channels: [{ channel_id: `ch_${api.userId.slice(2)}` }] }];
  return async (name: string, fields: object = { rules }): Promise<string> => {
    const body = 'monitor_id' in fields ? { name, ...fields } : { name, rules, ...fields };
    return (await data(api, 'POST', '/v1/alert-policies', body, as)).id;
  };
}

t.test(
  'a monitor has the policy that it names and the simple ones, else the default one unless its owner is not to be notified',
  async (t) => {
    const { api, database, controlPlane } = await startStack(t);
    const policy = makerOf(api);
    const named = await policy('Named');
    const usual = `ap_${api.userId.slice(2)}`;
    const other = await createUserApi(controlPlane, 'other@test.example', 'user');
    const make = async (name: string, fields: object = {}) => (await aHeartbeat(api, { name, ...fields })).id as string;
    const plain = await make('Plain');
    const quiet = await make('Quiet', { notify_owner: false });
    const naming = await make('Naming', { alert_policy_id: named });
    const simple = await make('Simple', { notify_owner: false });
    const both = await make('Both', { alert_policy_id: named });
    const disabled = await make('Disabled');
    const foreign = (await aHeartbeat(other)).id as string;
    const first = await policy('First', { monitor_id: simple });
    const second = await policy('Second', { monitor_id: simple });
    const third = await policy('Third', { monitor_id: both });
    const off = await policy('Off', { monitor_id: disabled });
    await data(api, 'PATCH', `/v1/alert-policies/${off}`, { enabled: false });
    const ids = [plain, quiet, naming, simple, both, disabled, foreign];
    const applied = await readApplied(database.db, ids);
    const found = (monitorId: string) => (applied.get(monitorId) ?? []).map(({ policy: { id } }) => id);
    t.strictSame(ids.map(found), [
      [usual],
      [],
      [named],
      [first, second],
      [named, third],
      [],
      [`ap_${other.userId.slice(2)}`],
    ]);
    t.match(applied.get(plain), [{ name: 'Default', isDefault: true, policy: { suppression: { depends_on: [] } } }]);
    t.match(applied.get(naming), [{ name: 'Named', isDefault: false }]);
    await data(api, 'PATCH', `/v1/alert-policies/${usual}`, { enabled: false });
    t.equal((await readApplied(database.db, ids)).has(plain), false, 'the default policy is disabled');
    const known = await readPolicies(database.db, [usual, named, 'ap_gone']);
    t.strictSame(
      [...known].map(([id, { isEnabled }]) => [id, isEnabled]).sort(),
      [
        [usual, false],
        [named, true],
      ].sort(),
    );
  },
);

t.test('a policy of a test key applies to monitors of test keys alone', async (t) => {
  const { api, database, controlPlane } = await startStack(t);
  const scopes = ['alert:read', 'alert:write', 'monitor:read', 'monitor:write'] as const;
  const request = { name: 'test', type: 'test' as const, scopes: [...scopes] };
  const { key } = await controlPlane.services.tokens.apiKeys.create(asUser(api.userId), request, commandLine);
  const ofTest = await makerOf(api, key)('Tried');
  const monitor = await aHeartbeat(api);
  const naming = { alert_policy_id: ofTest };
  const refused = { status: 400, body: { error: { details: { alert_policy_id: [{ code: 'not_found' }] } } } };
  t.match(await api.call('PATCH', `/v1/monitors/${monitor.id}`, { body: naming }), refused);
  const body = { name: 'Tried', type: 'heartbeat', ...naming };
  const tried = (await api.call('POST', '/v1/monitors', { body, as: key })).body.data;
  const applied = await readApplied(database.db, [tried.id, monitor.id]);
  t.match(
    [...applied].sort(([a]) => (a === tried.id ? -1 : 1)),
    [
      [tried.id, [{ name: 'Tried' }]],
      [monitor.id, [{ name: 'Default' }]],
    ],
  );
  const live = await makerOf(api)('Live');
  const unseen = await api.call('PATCH', `/v1/monitors/${tried.id}`, { body: { alert_policy_id: live }, as: key });
  t.match(unseen, refused, 'a test key does not see policies of others');
});

t.test('monitors that depend on a monitor are those of its policies, except itself', async (t) => {
  const { api, database } = await startStack(t);
  const policy = makerOf(api);
  const make = async (name: string, fields: object = {}) => (await aHeartbeat(api, { name, ...fields })).id as string;
  const router = await make('Router', { notify_owner: false });
  const below = await policy('Below', { suppression: { depends_on: [router] } });
  const shop = await make('Shop', { alert_policy_id: below });
  await data(api, 'PATCH', `/v1/monitors/${router}`, { alert_policy_id: below });
  const plain = await make('Plain');
  const dependents = async () =>
    [...((await readDependents(database.db, [router, shop, plain])).get(router) ?? [])].sort();
  t.strictSame(await dependents(), [shop]);
  await data(api, 'PATCH', `/v1/alert-policies/ap_${api.userId.slice(2)}`, { suppression: { depends_on: [router] } });
  t.strictSame(await dependents(), [shop, plain].sort());
  await data(api, 'PATCH', `/v1/alert-policies/${below}`, { enabled: false });
  t.strictSame(await dependents(), [plain]);
});

t.test(
  'silences and groups are read once, and again after a change, a message of another replica or two seconds',
  async (t) => {
    const { db } = await createTestDatabase(t);
    await insertUsers(db, [{ id: 'u_1', plan: 'free', email: 'one@test.example', role: 'user' }]);
    const clock = new FakeClock(Date.now());
    const sent: BusMessage[] = [];
    let receive: (message: BusMessage) => void = () => {};
    let resync = () => {};
    const rules = new NoiseRules({
      clock,
      bus: {
        broadcast: (message) => void sent.push(message),
        onMessage: (listener) => {
          receive = listener;
        },
        onResync: (listener) => {
          resync = listener;
        },
      },
    });
    const own = { owner_id: 'u_1', created_by: 'u_1', is_test: false };
    const times = { starts_at: new Date(clock.now()), ends_at: new Date(clock.now() + 60_000) };
    let made = 0;
    const addSilence = async () => {
      made += 1;
      const scope = { scope_type: 'all', scope_ids: [], severities: [], reason: 'Work' };
      await db('alert_silences').insert({ id: `asl_${made}`, ...own, ...scope, ...times });
    };
    const count = async () => (await rules.of(db, ['u_1', 'u_1'])).get('u_1')?.silences.length;
    await addSilence();
    t.equal(await count(), 1);
    await addSilence();
    clock.advance(1_999);
    t.equal(await count(), 1, 'it is not read again');
    clock.advance(1);
    t.equal(await count(), 2, 'after two seconds');
    await addSilence();
    rules.changed('u_1');
    t.strictSame([await count(), sent], [3, [{ type: 'alert-noise', ids: ['u_1'] }]], 'after a change');
    await addSilence();
    receive({ type: 'alert-noise', ids: ['u_2'] });
    t.equal(await count(), 3);
    receive({ type: 'alert-noise', ids: ['u_1'] });
    t.equal(await count(), 4, 'after a message');
    await addSilence();
    resync();
    t.equal(await count(), 5, 'after messages were lost');
    t.strictSame((await rules.of(db, ['u_none'])).get('u_none'), { silences: [], groups: [] });
    const reading = rules.of(db, ['u_2']);
    rules.changed('u_2');
    await reading;
    await insertUsers(db, [{ id: 'u_2', plan: 'free', email: 'two@test.example', role: 'user' }]);
    const group = { name: 'Shops', group_by: 'tag', group_value: 'eu', wait_seconds: 30, interval_seconds: 300 };
    await db('alert_groups').insert({ id: 'agr_1', ...own, owner_id: 'u_2', ...group });
    const { groups } = (await rules.of(db, ['u_2'])).get('u_2') ?? {};
    t.match(
      groups,
      [{ id: 'agr_1', by: 'tag', value: 'eu', waitMs: 30_000, intervalMs: 300_000 }],
      'not what was read during a change',
    );
    clock.advance(60_000);
    t.equal(await count(), 0, 'without those that ended');
  },
);

t.test('a silence of one replica applies in the other one', async (t) => {
  const { one, other, otherControlPlane, database } = await startReplicaPair(t);
  const { noise } = otherControlPlane.services.alerts;
  const count = async () => (await noise.of(database.db, [one.userId])).get(one.userId)?.silences.length;
  t.equal(await count(), 0);
  const { id } = await data(one, 'POST', '/v1/alert-silences', { reason: 'Work', duration_sec: 60 });
  await until('the other replica to know', async () => (await count()) === 1);
  await data(other, 'DELETE', `/v1/alert-silences/${id}`);
  t.equal(await count(), 0, 'at once where it ends');
});
