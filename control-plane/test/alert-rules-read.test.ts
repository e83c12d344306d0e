import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { readApplied, readDependents, readPolicies } from '../src/modules/alerts/policies/applying-store.js';
import { aHeartbeat } from './_support/heartbeats.js';
import { asUser } from './_support/owners.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

const { controlPlane, database } = await startStack(t);
let owners = 0;
const anOwner = () => createUserApi(controlPlane, `owner${owners++}@test.example`, 'user');

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
    const api = await anOwner();
    const policy = makerOf(api);
    const named = await policy('Named');
    const usual = `ap_${api.userId.slice(2)}`;
    const other = await anOwner();
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

t.test('a policy of a test key applies only to monitors of test keys', async (t) => {
  const api = await anOwner();
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
  const api = await anOwner();
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
