import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { rounds } from '@vantage/shared/_support/rounds.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { openDatabase } from '../src/db/database.js';
import { createTestDatabase } from './_support/database.js';
import { lockWaits } from './_support/lock-waits.js';
import { enrollBody, PeerAgent } from './_support/peer-agent.js';
import { type ApiAnswer, createAdmin, createUserApi, startReplica, type TestApi } from './_support/stack.js';

// Two replicas of one installation; holders of a token try what a token does not allow. Many enrollments with one token at
// once: enrollment-race.test.ts.

const ROUNDS = rounds(15);
let cases = 0;

const database = await createTestDatabase(t);
const { db } = database;
const one = await startReplica(t, database.url);
const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: one.publicUrl });
const admin = await createAdmin(one);
const otherUrl = other.listenUrl;

const newKey = () => generateKeyPairSync('ed25519').privateKey;
const newToken = async (api: TestApi): Promise<{ id: string; token: string }> =>
  (await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} })).body.data;

/** Asks one of the replicas to enroll, as an agent does. */
async function enroll(url: string, token: string, key: KeyObject, changes: object = {}): Promise<ApiAnswer> {
  cases += 1;
  const body = { ...enrollBody(token, key, one.publicUrl), ...changes };
  const response = await fetch(new URL('/v1/nodes/enroll', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

let users = 0;
async function anOwner(): Promise<TestApi> {
  users += 1;
  const api = await createUserApi(one, `owner${users}@test.example`, 'user');
  await db('owners').where({ id: api.userId }).update({ plan: 'unlimited' });
  await db('users').where({ id: api.userId }).update({ email_verified_at: new Date() });
  return api;
}

const nodesOf = (userId: string) => db('nodes').where({ owner_id: userId, deleted_at: null }).pluck('id');

/** Locks a row while another transaction waits for it, changes it, and commits. */
async function whileHeld<T>(
  t: Test,
  row: { table: string; id: string; changes: object },
  ask: () => Promise<T>,
): Promise<T> {
  const holder = openDatabase({ url: database.url, poolSize: 1, applicationName: 'holder' });
  t.teardown(() => holder.destroy());
  const trx = await holder.transaction();
  await trx(row.table).where({ id: row.id }).update(row.changes);
  const asked = ask();
  await until('the enrollment to wait', async () => (await lockWaits(db)) > 0);
  await trx.commit();
  return asked;
}

t.test('of a simultaneous enrollment and revocation exactly one succeeds', async (t) => {
  const owner = await anOwner();
  const outcomes = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id, token } = await newToken(owner);
    const before = (await nodesOf(owner.userId)).length;
    const [enrolled, revoked] = await Promise.all([
      enroll(round % 2 === 0 ? one.listenUrl : otherUrl, token, newKey()),
      owner.call('DELETE', `/v1/nodes/enrollment-tokens/${id}`),
    ]);
    const made = (await nodesOf(owner.userId)).length - before;
    outcomes.add(`${enrolled.status} ${revoked.status} ${made}`);
  }
  const possible = new Set(['201 409 1', '401 200 0']);
  t.ok(
    [...outcomes].every((outcome) => possible.has(outcome)),
    [...outcomes].join(', '),
  );
});

t.test('a token that expires while its enrollment waits admits no node', async (t) => {
  const owner = await anOwner();
  const { id, token } = await newToken(owner);
  const changes = { expires_at: new Date(Date.now() - 1) };
  const answer = await whileHeld(t, { table: 'enrollment_tokens', id, changes }, () =>
    enroll(otherUrl, token, newKey()),
  );
  t.match([answer.status, answer.body.error?.code], [401, 'NODE_ENROLLMENT_TOKEN_INVALID']);
  t.strictSame(await nodesOf(owner.userId), []);
});

t.test('an owner who is disabled or deleted while an enrollment waits gets no node', async (t) => {
  const disabled = await anOwner();
  const { token } = await newToken(disabled);
  const row = { table: 'users', id: disabled.userId, changes: { disabled_at: new Date() } };
  const refused = await whileHeld(t, row, () => enroll(otherUrl, token, newKey()));
  t.match([refused.status, refused.body.error?.code], [401, 'NODE_ENROLLMENT_TOKEN_INVALID']);
  t.strictSame(await nodesOf(disabled.userId), []);
  await db('users').where({ id: disabled.userId }).update({ disabled_at: null });
  t.equal((await enroll(otherUrl, token, newKey())).status, 201, 'the token was not used up');

  for (let round = 0; round < ROUNDS; round += 1) {
    const owner = await anOwner();
    const { token: last } = await newToken(owner);
    const leave = () => one.services.accounts.users.delete(owner.userId, commandLine);
    await Promise.all([enroll(otherUrl, last, newKey()), leave()]);
    t.strictSame(await nodesOf(owner.userId), [], 'no node of a deleted account');
  }
});

t.test('a repeated enrollment with the same token and key gets the same node, still banned, and no link', async (t) => {
  const owner = await anOwner();
  const { token } = await newToken(owner);
  const key = newKey();
  const first = (await enroll(one.listenUrl, token, key)).body.data;
  await one.services.nodes.acts.ban({ id: first.node_id, ownerId: null, actor: commandLine }, 'forged');
  const again = await enroll(otherUrl, token, key);
  t.strictSame([again.status, again.body.data.node_id], [201, first.node_id]);
  const { banned_at: bannedAt } = await db('nodes').where({ id: first.node_id }).first('banned_at');
  t.ok(bannedAt, 'it stays banned');
  const identity = { nodeId: first.node_id, privateKey: key, audience: first.audience, controlUrls: [] };
  const peer = await PeerAgent.dial(t, otherUrl, identity);
  t.match(await peer.waitForClose(), { reason: 'CLOSE_BANNED' });

  t.equal((await owner.call('DELETE', `/v1/account/nodes/${first.node_id}`)).status, 200);
  t.equal((await enroll(otherUrl, token, key)).status, 401, 'and a deleted node does not come back');
  const fresh = await newToken(owner);
  t.equal((await enroll(one.listenUrl, fresh.token, key)).status, 409, 'nor with another token');
});

t.test('two accounts that enroll one key at once on two replicas create one node', async (t) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [first, second] = [await anOwner(), await anOwner()];
    const key = newKey();
    const tokens = [await newToken(first), await newToken(second)];
    const answers = await Promise.all([
      enroll(one.listenUrl, tokens[0]?.token ?? '', key),
      enroll(otherUrl, tokens[1]?.token ?? '', key),
    ]);
    t.strictSame(answers.map(({ status }) => status).toSorted(), [201, 409]);
    const made = [...(await nodesOf(first.userId)), ...(await nodesOf(second.userId))];
    t.equal(made.length, 1);
    const loser = answers[0]?.status === 409 ? tokens[0] : tokens[1];
    t.equal((await enroll(one.listenUrl, loser?.token ?? '', newKey())).status, 201, 'the other token is not used up');
  }
});

t.test('an observed proof is worthless with another token, another key or at another control plane', async (t) => {
  const owner = await anOwner();
  const [seen, mine] = [await newToken(owner), await newToken(await anOwner())];
  const key = newKey();
  const body = enrollBody(seen.token, key, one.publicUrl);
  const details = async (token: string, privateKey: KeyObject, changes: object) => {
    const answer = await enroll(otherUrl, token, privateKey, changes);
    return [answer.status, Object.keys(answer.body.error?.details ?? {})];
  };
  const refused = [400, ['proof']];
  t.strictSame(await details(mine.token, key, { proof: body.proof }), refused, 'another token');
  t.strictSame(await details(seen.token, newKey(), { proof: body.proof }), refused, 'another key');
  for (const audience of ['https://elsewhere.example', one.publicUrl.toUpperCase(), `${one.publicUrl}/`, '']) {
    const { proof } = enrollBody(seen.token, key, audience);
    t.strictSame(await details(seen.token, key, { proof }), refused, `for "${audience}"`);
  }
  t.strictSame(await details(`${seen.token} `, key, {}), [401, []], 'a token with a space');
  t.strictSame([...(await nodesOf(owner.userId))], []);
});

t.test('the name an agent declares is text, stored unchanged or refused', async (t) => {
  const owner = await anOwner();
  const names = [
    '\u202Egnp.exe',
    'a\u0007b\u001b[31m',
    '\r\nX-Injected: 1',
    '<script>alert(1)</script>',
    "'; --",
    '😀'.repeat(64),
  ];
  for (const name of names) {
    const { token } = await newToken(owner);
    const answer = await enroll(one.listenUrl, token, newKey(), { name, hostname: name });
    t.equal(answer.status, 201, JSON.stringify(name));
    const { body } = await owner.call('GET', '/v1/account/nodes?page_size=1');
    t.equal(body.data.items[0].name, name);
  }
  const bad = ['', '😀'.repeat(200), 'a\u0000b', '\ud800'];
  for (const name of bad) {
    const { token } = await newToken(owner);
    t.equal((await enroll(one.listenUrl, token, newKey(), { name })).status, 400, JSON.stringify(name.slice(0, 9)));
  }
  t.comment(`${cases} enrollments in all`);
});

t.test('a flood of enrollments from one address does not keep others from enrolling', async (t) => {
  const owner = await anOwner();
  const { token } = await newToken(owner);
  const guess = () => enroll(one.listenUrl, `ent_${'x'.repeat(40)}`, newKey());
  const flood = Promise.all(Array.from({ length: rounds(200) }, guess));
  t.equal((await enroll(otherUrl, token, newKey())).status, 201);
  const answers = await flood;
  t.ok(answers.every(({ status }) => status === 401 || status === 429));
  t.ok(admin.token.length > 0);
});
