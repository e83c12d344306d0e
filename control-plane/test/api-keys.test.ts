import { crc32 } from 'node:zlib';
import { until } from '@vantage/shared/_support/until.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t, { type Test } from 'tap';
import type { TestDatabase } from './_support/database.js';
import { asUser } from './_support/owners.js';
import { benchesInTurn, insertUser } from './_support/tokens.js';

const DAY_MS = 86_400_000;
const startBench = await benchesInTurn(t);

async function oneReplica(t: Test) {
  const bench = await startBench(t);
  const { tokens, authentication } = await bench.startReplica();
  const { owner, actor } = bench;
  const { apiKeys } = tokens;
  const create = (request: object = {}) => apiKeys.create(owner, { name: 'ci', ...request }, actor);
  const createToken = () => tokens.personal.create(owner, { name: 'ci' }, actor);
  const revoke = (id: string) => apiKeys.revoke(id, owner.userId, actor);
  const auditOf = (subject: string) =>
    bench.database.db('audit_log').where({ subject }).orderBy('id').select('action', 'account_id', 'details');
  return { ...bench, apiKeys, tokens, authentication, create, createToken, revoke, auditOf };
}

/** A token with a valid checksum. */
function resigned(unchecked: string): string {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(unchecked));
  return unchecked + checksum.toString('base64url');
}

/**
 * Runs `count` transactions until each waits for a lock, the last one for that of the audit log, then lets them
 * continue.
 */
async function atOnce({ db }: TestDatabase, count: number, work: () => Promise<unknown>) {
  const holder = await db.transaction();
  await holder.raw('LOCK TABLE audit_log IN EXCLUSIVE MODE');
  const running = Promise.allSettled(Array.from({ length: count }, work));
  await until('all of them to wait', async () => {
    // a transaction sees the waits of others as they were when it first asked
    await holder.raw('SELECT pg_stat_clear_snapshot()');
    const here = { wait_event_type: 'Lock', datname: holder.raw('current_database()') };
    return (await holder('pg_stat_activity').where(here)).length >= count;
  });
  await holder.rollback();
  return (await running).map(({ status }) => status);
}

t.test(
  'a key is a live one for reading and writing, valid for 90 days, unless the request says otherwise',
  async (t) => {
    const { create, authentication, owner } = await oneReplica(t);
    const key = await create();
    t.strictSame(
      { ...key, id: '', key: '' },
      {
        id: '',
        name: 'ci',
        key_prefix: `${key.key.slice(0, 12)}...`,
        type: 'production',
        scopes: ['read', 'write'],
        allowed_origins: [],
        status: 'active',
        created_at: '2026-01-01T00:00:00.000Z',
        expires_at: '2026-04-01T00:00:00.000Z',
        last_used_at: null,
        key: '',
      },
    );
    t.match(key, { id: /^key_/, key: /^sk_live_[\w-]{61}$/ });
    t.match(await authentication.authenticate(key.key), {
      owner: { kind: 'user', id: owner.userId, isTest: false },
      user: { id: owner.userId },
      plan: 'unlimited',
      credentialKind: 'api_key',
      credentialId: key.id,
      allowedOrigins: null,
    });
    t.strictSame((await create({ scopes: [] })).scopes, ['read', 'write'], 'an empty list means none');
    t.strictSame(
      (await create({ scopes: ['write', 'probe:read'] })).scopes,
      ['write', 'probe:read'],
      'as they were given',
    );
  },
);

t.test('a test key is marked as such, and is never taken for a live one', async (t) => {
  const { create, authentication } = await oneReplica(t);
  const { key, type, key_prefix: shown } = await create({ type: 'test' });
  t.match({ key, type, shown }, { key: /^sk_test_/, type: 'test', shown: /^sk_test_[\w-]{4}\.\.\.$/ });
  t.equal((await authentication.authenticate(key)).owner.isTest, true);
  const rewritten = resigned(key.replace('sk_test_', 'sk_live_').slice(0, -6));
  await t.rejects(authentication.authenticate(rewritten), { code: 'AUTH_INVALID_TOKEN' });
});

t.test('a key is accepted until the millisecond in which it expires', async (t) => {
  const { create, authentication, clock } = await oneReplica(t);
  const { key } = await create({ expires_days: 1 });
  clock.advance(DAY_MS - 1);
  await authentication.authenticate(key);
  clock.advance(1);
  await t.rejects(authentication.authenticate(key), { code: 'TOKEN_EXPIRED', status: 401 });
});

t.test('a key ends at most 90 days from now, in either notation, and all errors are reported at once', async (t) => {
  const { create, clock } = await oneReplica(t);
  const latest = new Date(clock.now() + 90 * DAY_MS);
  t.equal((await create({ expires_at: latest.toISOString() })).expires_at, latest.toISOString());
  t.equal((await create({ expires_days: 90 })).expires_at, latest.toISOString());
  const later = new Date(latest.getTime() + 1).toISOString();
  await t.rejects(create({ expires_at: later, allowed_origins: ['https://a.example', 'everywhere'] }), {
    code: 'VALIDATION_FAILED',
    details: { expires_at: [{ code: 'range' }], 'allowed_origins.1': [{ code: 'format' }] },
  });
});

t.test('a mistyped key, an unknown key and a wrong secret get the same response', async (t) => {
  const { create, authentication } = await oneReplica(t);
  const [mine, other] = [await create(), await create()];
  const idAt = tokenPrefixes.liveApiKey.length;
  const cases = {
    unknown: makeToken(tokenPrefixes.liveApiKey).token,
    mistyped: mine.key.slice(0, -1) + (mine.key.at(-1) === 'A' ? 'B' : 'A'),
    'cut off': mine.key.slice(0, -1),
    'the secret of another key': resigned(mine.key.slice(0, idAt + 12) + other.key.slice(idAt + 12, -6)),
    'another kind': makeToken(tokenPrefixes.enrollment).token,
    'the prefix alone': 'sk_live_',
  };
  for (const [name, key] of Object.entries(cases)) {
    const refused = await authentication.authenticate(key).catch((error: unknown) => error);
    t.match(refused, { code: 'AUTH_INVALID_TOKEN', status: 401, details: undefined }, name);
  }
  await authentication.authenticate(mine.key);
});

t.test(
  'a revoked key stays listed and is refused as revoked, even after it expires; revoking it again has no effect',
  async (t) => {
    const { create, revoke, apiKeys, authentication, owner, clock, auditOf } = await oneReplica(t);
    const { id, key } = await create({ expires_days: 1, scopes: ['probe'] });
    await authentication.authenticate(key);
    await revoke(id);
    await t.rejects(authentication.authenticate(key), { code: 'API_KEY_REVOKED', status: 401 });
    await revoke(id);
    clock.advance(DAY_MS);
    await t.rejects(authentication.authenticate(key), { code: 'API_KEY_REVOKED' });
    const { keys } = await apiKeys.list(owner.userId, { limit: 20, offset: 0 });
    t.match(keys, [{ id, status: 'revoked' }]);
    t.strictSame(await auditOf(id), [
      {
        action: 'api_key.created',
        account_id: owner.userId,
        details: { name: 'ci', type: 'production', scopes: ['probe'], expires_at: '2026-01-02T00:00:00.000Z' },
      },
      { action: 'api_key.revoked', account_id: owner.userId, details: {} },
    ]);
  },
);

t.test('a key is created or revoked only together with its line in the audit log', async (t) => {
  const { create, revoke, authentication, database, auditOf } = await oneReplica(t);
  const { db } = database;
  const { id, key } = await create();
  const acts = await db('audit_log').count('* as n');
  const refuse = async (why: string, start: string, end: string) => {
    await db.raw(start);
    await t.rejects(create(), new RegExp(why));
    await t.rejects(revoke(id), new RegExp(why));
    await db.raw(end);
    t.strictSame(await db('api_keys').select('id', 'revoked_at'), [{ id, revoked_at: null }]);
    t.strictSame(await db('audit_log').count('* as n'), acts);
    await authentication.authenticate(key);
  };
  await refuse(
    'no_line',
    'ALTER TABLE audit_log ADD CONSTRAINT no_line CHECK (false) NOT VALID',
    'ALTER TABLE audit_log DROP CONSTRAINT no_line',
  );
  await db.raw(`CREATE FUNCTION no_commit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no_commit''; END'`);
  await refuse(
    'no_commit',
    `CREATE CONSTRAINT TRIGGER no_commit AFTER INSERT OR UPDATE ON api_keys
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION no_commit()`,
    'DROP TRIGGER no_commit ON api_keys',
  );
  await revoke(id);
  t.equal((await auditOf(id)).length, 2);
});

t.test('an account has at most a hundred usable keys, even if many are requested at once', async (t) => {
  const { create, revoke, apiKeys, actor, clock, database } = await oneReplica(t);
  const first = await create({ expires_days: 1 });
  const second = await create();
  for (let n = 3; n <= 98; n++) await create();
  const outcomes = await atOnce(database, 4, () => create());
  t.strictSame(outcomes.toSorted(), ['fulfilled', 'fulfilled', 'rejected', 'rejected'], 'a hundred');
  await t.rejects(create(), {
    code: 'TOKEN_LIMIT_EXCEEDED',
    status: 429,
    retryAfterSeconds: 86_400,
    allowance: { limit: 100, remaining: 0, isAllowed: false },
  });
  const other = asUser(await insertUser(database, 'grace@example.com'));
  await t.resolves(apiKeys.create(other, { name: 'ci' }, actor), 'each account has its own hundred');
  await revoke(second.id);
  await t.resolves(create(), 'a revoked key makes room');
  await t.rejects(create(), { code: 'TOKEN_LIMIT_EXCEEDED' });
  clock.setWall(Date.parse(first.expires_at ?? ''));
  await t.resolves(create(), 'an expired key makes room');
});

for (const [kind, table] of [
  ['key', 'api_keys'],
  ['token', 'personal_access_tokens'],
] as const)
  t.test(`the use of a ${kind} is recorded at most once a minute, however many replicas see it`, async (t) => {
    const { create, createToken, startReplica, tokens, clock, database, authentication } = await oneReplica(t);
    const made = await (kind === 'key' ? create() : createToken());
    const noted = async () => (await database.db.raw('SELECT last_used_at, xmin FROM ??', [table])).rows[0];
    await authentication.authenticate('key' in made ? made.key : made.token);
    await until('the first use to be recorded', async () => (await noted()).last_used_at !== null);
    const first = await noted();
    t.equal(first.last_used_at.toISOString(), '2026-01-01T00:00:00.000Z');
    clock.advance(59_999);
    const other = await startReplica();
    for (const source of [...tokens.sources, ...other.tokens.sources]) await source.noteUse(made.id);
    t.strictSame(await noted(), first, 'the row was not written again');
    clock.advance(1);
    for (const source of other.tokens.sources) await source.noteUse(made.id);
    t.equal((await noted()).last_used_at.toISOString(), '2026-01-01T00:01:00.000Z');
  });

t.test('a key or token revoked on one replica is refused by another that has just accepted it', async (t) => {
  const { create, createToken, revoke, startReplica, tokens, owner, actor } = await oneReplica(t);
  const { authentication } = await startReplica();
  const { id, key } = await create();
  const { id: tokenId, token } = await createToken();
  const revokeToken = () => tokens.personal.revoke(tokenId, owner.userId, actor);
  for (const [secret, end, error] of [
    [key, () => revoke(id), 'API_KEY_REVOKED'],
    [token, revokeToken, 'AUTH_INVALID_TOKEN'],
  ] as const) {
    // the clock stands still: the replica's cache entry for it does not expire by itself
    await authentication.authenticate(secret);
    await end();
    const answer = () =>
      authentication.authenticate(secret).then(
        () => 'accepted',
        ({ code }) => code,
      );
    await until('the other replica to refuse it', async () => (await answer()) === error);
  }
});
