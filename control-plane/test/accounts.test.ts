import { verify } from '@node-rs/argon2';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t, { type Test } from 'tap';
import { scopes } from '../src/http/scopes.js';
import { Accounts } from '../src/modules/accounts/index.js';
import { createTestDatabase } from './_support/database.js';
import { FakeClock } from './_support/fake-clock.js';
import { enrollPeer } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

async function accountsOf(t: Test) {
  const { db } = await createTestDatabase(t);
  const clock = new FakeClock();
  return { db, clock, accounts: new Accounts(db, clock) };
}

async function aToken(t: Test, chosen: readonly (typeof scopes)[number][] | null = null) {
  const parts = await accountsOf(t);
  const user = await parts.accounts.createUser({ email: 'a@b.example', role: 'user', password: null });
  const token = await parts.accounts.createToken(user.id, { name: 'ci', scopes: chosen });
  return { ...parts, user, token };
}

const aUser = { email: 'Ada@Example.COM', role: 'user', password: null } as const;

t.test('an e-mail address is stored and found lower-cased, and taken whatever its case', async (t) => {
  const { accounts } = await accountsOf(t);
  const user = await accounts.createUser({ ...aUser, email: ' Ada@Example.COM ' });
  t.match(user, { id: /^u_/, email: 'ada@example.com', role: 'user', plan: 'unlimited', created_at: /Z$/ });
  t.equal((await accounts.getUserByEmail('ADA@example.com')).id, user.id);
  await t.rejects(accounts.createUser(aUser), { code: 'ACCOUNT_EMAIL_TAKEN' });
  await t.rejects(accounts.getUserByEmail('nobody@example.com'), { code: 'ACCOUNT_NOT_FOUND' });
});

t.test('what is no e-mail address is refused by name', async (t) => {
  const { accounts } = await accountsOf(t);
  for (const email of [
    '',
    'ada',
    '@example.com',
    'ada@',
    'a da@example.com',
    'a@b@c',
    'a\u001b@b.de',
    'a\u202e@b.de',
    `${'a'.repeat(250)}@b.de`,
  ]) {
    await t.rejects(
      accounts.createUser({ ...aUser, email }),
      { code: 'VALIDATION_FAILED', details: { email: [{ code: 'format' }] } },
      email,
    );
  }
});

t.test('a password has at least 8 characters and is kept as an argon2id hash', async (t) => {
  const { accounts, db } = await accountsOf(t);
  await t.rejects(accounts.createUser({ ...aUser, password: '1234567' }), { code: 'AUTH_PASSWORD_WEAK' });
  t.equal((await db('users').count('* as n'))[0]?.['n'], 0);
  await accounts.createUser({ ...aUser, password: 'correct horse' });
  const [hash] = await db('users').pluck('password_hash');
  t.match(hash, /^\$argon2id\$/);
  t.equal(await verify(hash, 'correct horse'), true);
});

t.test('the first admin is found, or said to be missing', async (t) => {
  const { accounts, clock } = await accountsOf(t);
  await accounts.createUser(aUser);
  await t.rejects(accounts.getFirstAdmin(), {
    code: 'ACCOUNT_NOT_FOUND',
    details: { user: [{ message: /no admin/ }] },
  });
  const admin = await accounts.createUser({ ...aUser, email: 'admin@example.com', role: 'admin' });
  clock.advance(1);
  await accounts.createUser({ ...aUser, email: 'admin2@example.com', role: 'admin' });
  t.equal((await accounts.getFirstAdmin()).id, admin.id);
});

t.test('a token carries every scope unless some are chosen', async (t) => {
  const all = await aToken(t);
  t.match(all.token, { id: /^pat_/, token: /^svc_pat_/, scopes, expires_at: null });
  t.same((await all.accounts.authenticate(all.token.token)).scopes, new Set(scopes));
  const some = await aToken(t, ['probe']);
  const account = await some.accounts.authenticate(some.token.token);
  t.match(account, { userId: some.user.id, role: 'user', credentialId: some.token.id });
  t.same(account.scopes, new Set(['probe', 'probe:read']), 'who may probe may read back');
});

t.test('unknown, mistyped, revoked and expired tokens are refused', async (t) => {
  const { accounts, db, token } = await aToken(t);
  const invalid = { code: 'AUTH_INVALID_TOKEN', status: 401 };
  const last = token.token.at(-1) === 'A' ? 'B' : 'A';
  const cases = {
    unknown: makeToken(tokenPrefixes.personalAccess).token,
    'another kind': makeToken(tokenPrefixes.enrollment).token,
    mistyped: token.token.slice(0, -1) + last,
    'cut off': token.token.slice(0, -1),
    empty: '',
  };
  for (const [name, text] of Object.entries(cases)) await t.rejects(accounts.authenticate(text), invalid, name);
  await db('personal_access_tokens').update({ expires_at: db.raw('now()') });
  await t.rejects(accounts.authenticate(token.token), { code: 'TOKEN_EXPIRED', status: 401 });
  await db('personal_access_tokens').update({ revoked_at: db.raw('now()') });
  await t.rejects(accounts.authenticate(token.token), invalid, 'revoked, whether expired or not');
});

t.test('a secret of another token under a known id is refused', async (t) => {
  const { accounts, db, token, user } = await aToken(t);
  const other = await accounts.createToken(user.id, { name: 'other', scopes: null });
  const idOf = (id: string) => db('personal_access_tokens').where({ id }).pluck('token_id');
  const [[mine], [theirs]] = [await idOf(token.id), await idOf(other.id)];
  await db('personal_access_tokens').where({ id: other.id }).delete();
  await db('personal_access_tokens').where({ token_id: mine }).update({ token_id: theirs });
  await t.rejects(accounts.authenticate(other.token), { code: 'AUTH_INVALID_TOKEN' });
});

t.test('the use of a token is noted at most once a minute, however many replicas see it', async (t) => {
  const { accounts, db, clock, token } = await aToken(t);
  const noted = async () => (await db.raw('SELECT last_used_at, xmin FROM personal_access_tokens')).rows[0];
  t.equal((await noted()).last_used_at, null);
  await accounts.authenticate(token.token);
  const first = await noted();
  t.type(first.last_used_at, Date);
  clock.advance(59_999);
  await accounts.authenticate(token.token);
  clock.advance(120_000);
  await accounts.authenticate(token.token);
  await new Accounts(db, clock).authenticate(token.token);
  t.strictSame(await noted(), first, 'the row was not written again');
  await db.raw(`UPDATE personal_access_tokens SET last_used_at = now() - interval '2 minutes'`);
  const aged = await noted();
  await accounts.authenticate(token.token);
  t.strictSame(await noted(), aged, 'this replica asked the database less than a minute ago');
  clock.advance(60_000);
  await accounts.authenticate(token.token);
  t.ok((await noted()).last_used_at > first.last_used_at);
});

t.test('no secret can be read from the database', async (t) => {
  const { api, database } = await startStack(t);
  const enrollment = await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} });
  await enrollPeer(api);
  const rows: string[] = [];
  for (const table of await database.db('pg_tables').where({ schemaname: 'public' }).pluck('tablename')) {
    const { rows: texts } = await database.db.raw('SELECT t::text AS text FROM ?? t', [table]);
    rows.push(...texts.map(({ text }: { text: string }) => text));
  }
  const stored = rows.join('\n');
  t.match(stored, /ent_\*\*\*/, 'the rows of tokens are among them');
  for (const [prefix, token] of [
    [tokenPrefixes.personalAccess, api.token],
    [tokenPrefixes.enrollment, enrollment.body.data.token],
  ] as const) {
    const secret = token.slice(prefix.length + 12, -6);
    t.equal(secret.length, 43);
    for (const text of [token, secret]) {
      t.notOk(stored.includes(text));
      t.notOk(stored.includes(Buffer.from(text).toString('hex')), 'as bytes');
    }
    t.notOk(stored.includes(Buffer.from(secret, 'base64url').toString('hex')), 'decoded');
  }
});
