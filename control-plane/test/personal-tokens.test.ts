import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t, { type Test } from 'tap';
import { defaultTokenScopes } from '../src/http/scopes.js';
import { personalOwner } from '../src/owners/index.js';
import { asUser } from './_support/owners.js';
import { benchesInTurn, insertUser } from './_support/tokens.js';

const DAY_MS = 86_400_000;
const startBench = await benchesInTurn(t);

async function oneReplica(t: Test) {
  const bench = await startBench(t);
  const { tokens, authentication } = await bench.startReplica();
  const { owner, actor } = bench;
  const { personal } = tokens;
  const create = (request: object = {}) => personal.create(owner, { name: 'ci', ...request }, actor);
  const revoke = (id: string) => personal.revoke(id, owner.userId, actor);
  return { ...bench, personal, tokens, authentication, create, revoke };
}

t.test(
  'a token has every scope but admin unless scopes are chosen, always the account, and does not expire',
  async (t) => {
    const { create, authentication, owner } = await oneReplica(t);
    const all = await create();
    t.match(all, {
      id: /^pat_/,
      token: /^svc_pat_[\w-]{61}$/,
      scopes: defaultTokenScopes,
      status: 'active',
      last_used_at: null,
    });
    t.match(all, {
      token_prefix: `${all.token.slice(0, 12)}...`,
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: null,
    });
    t.strictSame((await authentication.authenticate(all.token)).scopes, new Set(defaultTokenScopes));
    const some = await create({ scopes: ['probe'] });
    t.strictSame(some.scopes, ['probe', 'account']);
    t.strictSame((await create({ scopes: ['account', 'probe'] })).scopes, ['account', 'probe'], 'as they were given');
    const account = await authentication.authenticate(some.token);
    t.match(account, {
      owner: personalOwner(owner.userId),
      user: { id: owner.userId },
      credentialKind: 'personal_access_token',
    });
    t.match(account, { credentialId: some.id, allowedOrigins: null });
    t.strictSame(
      account.scopes,
      new Set(['probe', 'account', 'probe:read']),
      'a caller that may probe may read its results',
    );
  },
);

t.test(
  'unknown, mistyped and revoked tokens get the same response; an expired one is reported as expired',
  async (t) => {
    const { create, revoke, authentication, clock } = await oneReplica(t);
    const { id, token } = await create({ expires_days: 1 });
    const other = await create();
    const invalid = { code: 'AUTH_INVALID_TOKEN', status: 401, details: undefined };
    const cases = {
      unknown: makeToken(tokenPrefixes.personalAccess).token,
      'another kind': makeToken(tokenPrefixes.enrollment).token,
      mistyped: token.slice(0, -1) + (token.at(-1) === 'A' ? 'B' : 'A'),
      'cut off': token.slice(0, -1),
      empty: '',
    };
    for (const [name, text] of Object.entries(cases)) {
      t.match(await authentication.authenticate(text).catch((error: unknown) => error), invalid, name);
    }
    clock.advance(DAY_MS - 1);
    await authentication.authenticate(token);
    clock.advance(1);
    await t.rejects(authentication.authenticate(token), { code: 'TOKEN_EXPIRED', status: 401 });
    await authentication.authenticate(other.token);
    for (const revoked of [id, other.id, other.id]) await revoke(revoked);
    await t.rejects(authentication.authenticate(token), invalid, 'revoked, whether expired or not');
    await t.rejects(authentication.authenticate(other.token), invalid);
  },
);

t.test('a secret of another token under a known id is refused', async (t) => {
  const { create, authentication, database } = await oneReplica(t);
  const [mine, other] = [await create(), await create()];
  const idOf = (id: string) => database.db('personal_access_tokens').where({ id }).pluck('token_id');
  const [[my], [their]] = [await idOf(mine.id), await idOf(other.id)];
  await database.db('personal_access_tokens').where({ id: other.id }).delete();
  await database.db('personal_access_tokens').where({ token_id: my }).update({ token_id: their });
  await t.rejects(authentication.authenticate(other.token), { code: 'AUTH_INVALID_TOKEN' });
});

t.test('an account has at most a hundred usable tokens, keys not counted', async (t) => {
  const { create, revoke, tokens, owner, actor, personal, database } = await oneReplica(t);
  const { id } = await create();
  for (let n = 2; n <= 100; n++) await create();
  await t.rejects(create(), { code: 'TOKEN_LIMIT_EXCEEDED', allowance: { limit: 100, remaining: 0 } });
  await t.resolves(tokens.apiKeys.create(owner, { name: 'ci' }, actor), 'keys are counted separately');
  const other = asUser(await insertUser(database, 'grace@example.com'));
  await t.resolves(personal.create(other, { name: 'ci' }, actor));
  await revoke(id);
  await t.resolves(create(), 'a revoked token makes room');
  await t.rejects(create(), { code: 'TOKEN_LIMIT_EXCEEDED' });
});

t.test('creating and revoking tokens is in the log of their account, without the secret', async (t) => {
  const { create, revoke, database, owner } = await oneReplica(t);
  const { id, token } = await create({ scopes: ['probe'], expires_days: 365 });
  await revoke(id);
  await revoke(id);
  const acts = await database.db('audit_log').orderBy('id').select('action', 'account_id', 'subject', 'details');
  const expiresAt = '2027-01-01T00:00:00.000Z';
  const account = { account_id: owner.userId, subject: id };
  t.strictSame(acts, [
    {
      action: 'token.created',
      ...account,
      details: { name: 'ci', scopes: ['probe', 'account'], expires_at: expiresAt },
    },
    { action: 'token.revoked', ...account, details: {} },
  ]);
  t.notOk(JSON.stringify(acts).includes(token.slice(20, -6)));
});
