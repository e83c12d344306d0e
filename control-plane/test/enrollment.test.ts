import { generateKeyPairSync } from 'node:crypto';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { errorTable } from '../src/http/error-table.js';
import { EnrollmentTokens } from '../src/modules/nodes/enrollment-tokens.js';
import { defaultPlans } from '../src/plans/index.js';
import { asUser } from './_support/owners.js';
import { type Declared, enrollBody, enrollPeer } from './_support/peer-agent.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

// it stands still: callers wait for each other, as long as it takes
const clock = new FakeClock(Date.now(), { rounds: [] });
const { controlPlane, database } = await startStack(t, {}, clock);
let administrators = 0;
const anAdmin = () => createUserApi(controlPlane, `admin${administrators++}@test.example`, 'admin');

const tokensPath = '/v1/nodes/enrollment-tokens';
const newKey = () => generateKeyPairSync('ed25519').privateKey;

/** Creates a token that is newer than all others. */
function createToken(api: TestApi, body: object = {}) {
  clock.advance(1);
  return api.call('POST', tokensPath, { body });
}
const listTokens = async (api: TestApi) => (await api.call('GET', tokensPath)).body.data.tokens;

/** Asks to enroll as an agent does. */
function enroll(
  api: TestApi,
  token: string,
  options: { key?: ReturnType<typeof newKey>; declared?: Declared; changes?: object } = {},
) {
  const { key = newKey(), declared, changes = {} } = options;
  const body = enrollBody(token, key, api.url, declared === undefined ? {} : { declared });
  return api.call('POST', '/v1/nodes/enroll', { body: { ...body, ...changes }, as: null });
}

t.test('a token is created with the known attributes of the future node, and shown only once', async (t) => {
  const api = await anAdmin();
  const { status, body } = await createToken(api, {
    label: 'berlin-1',
    country_code: 'de',
    declared_province: 'de-be',
    sponsor_user_id: api.userId,
    expires_in_hours: 168,
  });
  t.equal(status, 201);
  t.match(body.data, { id: /^et_/, token: /^ent_/, expires_at: /Z$/ });
  const [listed] = await listTokens(api);
  t.match(listed, {
    id: body.data.id,
    label: 'berlin-1',
    status: 'active',
    consumed_node_id: null,
    expires_at: body.data.expires_at,
  });
  t.equal(listed.preview, `ent_***${body.data.token.slice(-4)}`);
  t.equal(listed.token, undefined);
  const { body: enrolled } = await enroll(api, body.data.token);
  const node = await api.call('GET', `/v1/nodes/${enrolled.data.node_id}`);
  t.match(node.body.data, { country: 'DE', province: 'DE-BE', region: 'Western Europe' });
});

t.test('a token is valid for 24 hours unless the request says otherwise', async (t) => {
  const api = await anAdmin();
  const newYear = new FakeClock(Date.UTC(2026, 0, 1));
  const tokens = new EnrollmentTokens({ db: database.db, clock: newYear, plans: defaultPlans });
  t.equal((await tokens.create(asUser(api.userId), {}, commandLine)).expires_at, '2026-01-02T00:00:00.000Z');
  t.equal(
    (await tokens.create(asUser(api.userId), { expires_in_hours: 1 }, commandLine)).expires_at,
    '2026-01-01T01:00:00.000Z',
  );
  for (const hours of [0, 169, 1.5])
    t.equal((await createToken(api, { expires_in_hours: hours })).status, 400, `${hours}`);
});

t.test('a place that does not exist, or does not fit, is refused by its field', async (t) => {
  const api = await anAdmin();
  const details = async (body: object) => {
    const answer = await createToken(api, body);
    return [answer.status, Object.keys(answer.body.error?.details ?? {})];
  };
  t.strictSame(await details({ country_code: 'ZZ' }), [400, ['country_code']]);
  t.strictSame(await details({ declared_province: 'DE-ZZ' }), [400, ['declared_province']]);
  t.strictSame(await details({ country_code: 'FR', declared_province: 'DE-BE' }), [400, ['declared_province']]);
  t.strictSame(await details({ label: 'x'.repeat(41) }), [400, ['label']]);
  t.strictSame(await details({ colour: 'blue' }), [400, ['colour']]);
  t.strictSame(await details({ declared_province: 'DE-BE' }), [201, []], 'a province names its country');
  t.match(await createToken(api, { sponsor_user_id: 'u_1111111111111111111111' }), {
    status: 403,
    body: { error: { code: 'FORBIDDEN' } },
  });
});

t.test('tokens are listed for their owner alone, newest first, in pages, with their state', async (t) => {
  const api = await anAdmin();
  const user = await createUserApi(controlPlane, 'user@test.example', 'user');
  const made = [];
  for (const label of ['expired', 'used', 'active']) made.push((await createToken(api, { label })).body.data);
  await createToken(user, { label: 'foreign' });
  await database
    .db('enrollment_tokens')
    .where({ label: 'expired' })
    .update({ expires_at: new Date(0) });
  const { body } = await enroll(api, made[1].token);
  t.match(await listTokens(api), [
    { label: 'active', status: 'active', consumed_node_id: null },
    { label: 'used', status: 'used', consumed_node_id: body.data.node_id },
    { label: 'expired', status: 'expired' },
  ]);
  t.equal((await listTokens(api)).length, 3, 'an administrator’s list is her own, too');
  t.match(await listTokens(user), [{ label: 'foreign' }]);
  const second = await api.call('GET', `${tokensPath}?limit=2&page=2`);
  t.match(second.body, {
    data: { tokens: [{ label: 'expired' }] },
    meta: { pagination: { total: 3, has_more: false } },
  });
  const beyond = await api.call('GET', `${tokensPath}?page=5`);
  t.match(beyond.body.meta.pagination, { total: 3, has_more: false }, 'beyond the end the total is still correct');
});

t.test('an unused token of the caller can be revoked, once; a used one cannot', async (t) => {
  const api = await anAdmin();
  const user = await createUserApi(controlPlane, 'other@test.example', 'user');
  const { id, token } = (await createToken(api)).body.data;
  const revoke = async (as: TestApi, tokenId: string) => {
    const { status, body } = await as.call('DELETE', `${tokensPath}/${tokenId}`);
    return [status, body.error?.code ?? body.data];
  };
  t.strictSame(await revoke(user, id), [404, 'NOT_FOUND'], 'another account’s');
  t.strictSame(await revoke(api, id), [200, null]);
  t.strictSame(await listTokens(api), []);
  t.strictSame(await revoke(api, id), [404, 'NOT_FOUND']);
  t.equal((await enroll(api, token)).status, 401);
  const used = (await createToken(api)).body.data;
  await enroll(api, used.token);
  t.strictSame(await revoke(api, used.id), [409, 'NODE_STATE_CONFLICT']);
});

t.test('a used, expired, revoked, unknown and mistyped token get the same response', async (t) => {
  const api = await anAdmin();
  const [used, expired, revoked] = [await createToken(api), await createToken(api), await createToken(api)].map(
    ({ body }) => body.data,
  );
  await enroll(api, used.token);
  await database
    .db('enrollment_tokens')
    .where({ id: expired.id })
    .update({ expires_at: new Date(0) });
  await api.call('DELETE', `${tokensPath}/${revoked.id}`);
  const otherSecret = makeToken(tokenPrefixes.enrollment);
  const { id: unused } = (await createToken(api)).body.data;
  await database.db('enrollment_tokens').where({ id: unused }).update({ token_id: otherSecret.tokenId });
  const cases = {
    used: used.token,
    expired: expired.token,
    revoked: revoked.token,
    unknown: makeToken(tokenPrefixes.enrollment).token,
    'a known id with another secret': otherSecret.token,
    mistyped: `${used.token.slice(0, -1)}${used.token.endsWith('A') ? 'B' : 'A'}`,
    'a token of another kind': api.token,
    nonsense: 'x',
  };
  for (const [name, token] of Object.entries(cases)) {
    const { status, body } = await enroll(api, token);
    const { request_id: _id, ...error } = body.error;
    const { messages } = errorTable.NODE_ENROLLMENT_TOKEN_INVALID;
    const doc_url = `${api.url}/docs/errors/NODE_ENROLLMENT_TOKEN_INVALID`;
    t.equal(status, 401, name);
    t.strictSame(error, { code: 'NODE_ENROLLMENT_TOKEN_INVALID', message: messages.en, doc_url }, name);
    for (const changes of [{ proof: '' }, { public_key: 'AAAA' }, { declared: { country: 'XX' } }])
      t.equal((await enroll(api, token, { changes })).status, 401, `${name}, with ${Object.keys(changes)}`);
  }
});

t.test('the same token with the same key enrolls the same node again; with another key it is refused', async (t) => {
  const api = await anAdmin();
  const { token } = (await createToken(api)).body.data;
  const key = newKey();
  const first = await enroll(api, token, { key });
  t.equal(first.status, 201);
  t.strictSame((await enroll(api, token, { key })).body.data, first.body.data, 'a lost response costs nothing');
  t.equal((await enroll(api, token)).status, 401);
  const { token: next } = (await createToken(api)).body.data;
  t.match(
    await enroll(api, next, { key }),
    { status: 409, body: { error: { code: 'CONFLICT' } } },
    'a key enrolls once',
  );
  t.match(await listTokens(api), [{ status: 'active' }, { status: 'used' }], 'which does not use up the token');
  t.equal((await api.call('GET', '/v1/account/nodes')).body.data.items.length, 1);
});

t.test('a token whose node was deleted stays used up, and the key of that node never enrolls again', async (t) => {
  const api = await anAdmin();
  const key = newKey();
  const newToken = async () => (await createToken(api)).body.data.token;
  const token = await newToken();
  const { node_id } = (await enroll(api, token, { key })).body.data;
  t.equal((await api.call('DELETE', `/v1/account/nodes/${node_id}`)).status, 200);
  const again = await enroll(api, token, { key });
  t.match(again, { status: 401, body: { error: { code: 'NODE_ENROLLMENT_TOKEN_INVALID' } } });
  t.match(await enroll(api, await newToken(), { key }), { status: 409, body: { error: { code: 'CONFLICT' } } });
  t.equal((await enroll(api, await newToken())).status, 201, 'the machine comes back with another key');
});

t.test('of agents that use one token at the same moment one enrolls, and may ask twice', async (t) => {
  const api = await anAdmin();
  const { token } = (await createToken(api)).body.data;
  const answers = await Promise.all([enroll(api, token), enroll(api, token), enroll(api, token)]);
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 401, 401]);
  const { token: next } = (await createToken(api)).body.data;
  const key = newKey();
  const twice = await Promise.all([enroll(api, next, { key }), enroll(api, next, { key })]);
  t.strictSame(
    twice.map(({ status }) => status),
    [201, 201],
  );
  t.equal(twice[0]?.body.data.node_id, twice[1]?.body.data.node_id);
});

t.test('an invalid key and a proof that does not verify are refused by their field', async (t) => {
  const api = await anAdmin();
  const { token } = (await createToken(api)).body.data;
  const refusal = async (changes: object) => {
    const { status, body } = await enroll(api, token, { changes });
    return [status, Object.keys(body.error?.details ?? {})];
  };
  t.strictSame(
    await refusal({ public_key: Buffer.alloc(32).toString('base64') }),
    [400, ['public_key']],
    'small order',
  );
  t.strictSame(await refusal({ public_key: 'AAAA' }), [400, ['public_key']], 'too short');
  t.strictSame(await refusal({ proof: Buffer.alloc(64).toString('base64') }), [400, ['proof']]);
  t.strictSame(await refusal({ proof: '' }), [400, ['proof']]);
  const elsewhere = enrollBody(token, newKey(), 'https://elsewhere.example');
  const answer = await api.call('POST', '/v1/nodes/enroll', { body: elsewhere, as: null });
  t.match(
    answer.body.error.details,
    { proof: [{ message: new RegExp(api.url) }] },
    'a proof for another control plane',
  );
  t.match(await listTokens(api), [{ status: 'active' }]);
});

t.test('the place that an agent declares must exist and be consistent', async (t) => {
  const api = await anAdmin();
  const place = async (declared: Declared, tokenFields: object = {}) => {
    const { token } = (await createToken(api, tokenFields)).body.data;
    const { status, body } = await enroll(api, token, { declared });
    if (status !== 201) return [status, ...Object.keys(body.error.details)];
    const { data } = (await api.call('GET', `/v1/nodes/${body.data.node_id}`)).body;
    return [data.country, data.province, data.region];
  };
  t.strictSame(await place({ country: 'de', province: 'de-be' }), ['DE', 'DE-BE', 'Western Europe']);
  t.strictSame(await place({ region: 'western europe' }), [null, null, 'Western Europe']);
  t.strictSame(await place({ country: 'DE', region: 'Western Europe' }), ['DE', null, 'Western Europe']);
  t.strictSame(await place({ country: 'ZZ' }), [400, 'declared.country']);
  t.strictSame(await place({ country: 'FR', province: 'DE-BE' }), [400, 'declared.province']);
  t.strictSame(await place({ region: 'Atlantis' }), [400, 'declared.region']);
  t.strictSame(await place({ country: 'DE', region: 'Eastern Asia' }), [400, 'declared.region']);
  const known = { country_code: 'DE', declared_province: 'DE-BE' };
  t.strictSame(
    await place({ city: 'Berlin' }, known),
    ['DE', 'DE-BE', 'Western Europe'],
    'the token’s, where the agent declares nothing',
  );
  t.strictSame(await place({ country: 'FR' }, known), ['FR', null, 'Western Europe'], 'no province of another country');
});

t.test(
  'a node belongs to the owner of its token: public if that is an administrator, else private; the audit log records it',
  async (t) => {
    const { api, controlPlane, database } = await startStack(t);
    const user = await createUserApi(controlPlane, 'user@test.example', 'user');
    const declared = { tags: ['SSD', 'ssd', 'a'] };
    const { nodeId } = await enrollPeer(api, { declared });
    const { nodeId: home } = await enrollPeer(user);
    const rows = await database
      .db('nodes')
      .whereIn('id', [nodeId, home])
      .orderBy('id')
      .select('owner_id', 'visibility', 'tags');
    t.strictSame(rows, [
      { owner_id: api.userId, visibility: 'public', tags: ['a', 'ssd'] },
      { owner_id: user.userId, visibility: 'private', tags: [] },
    ]);
    const audit = await database.db('audit_log').where({ action: 'node.enrolled' }).orderBy('id');
    t.match(audit, [
      { subject: nodeId, user_id: api.userId, credential_id: /^et_/ },
      { subject: home, user_id: user.userId },
    ]);
  },
);
