import t from 'tap';
import { commandLine } from '../src/actor.js';
import { auditActions } from '../src/modules/audit/index.js';
import { from, openPeople, password } from './_support/people.js';
import { startReplica, startStack } from './_support/stack.js';

const aUser = { email: 'Ada@Example.COM', role: 'user', password: null } as const;
const here = from('192.0.2.1');

t.test('an e-mail address is stored and found lower-cased, and taken whatever its case', async (t) => {
  const { accounts } = await openPeople(t);
  const user = await accounts.createUser({ ...aUser, email: ' Ada@Example.COM ' });
  t.match(user, { id: /^u_/, email: 'ada@example.com', role: 'user', plan: 'unlimited', created_at: /Z$/ });
  t.equal((await accounts.getUserByEmail('ADA@example.com')).id, user.id);
  await t.rejects(accounts.createUser(aUser), { code: 'ACCOUNT_EMAIL_TAKEN' });
  await t.rejects(accounts.getUserByEmail('nobody@example.com'), { code: 'ACCOUNT_NOT_FOUND' });
});

t.test('what is no e-mail address is refused by name', async (t) => {
  const { accounts } = await openPeople(t);
  for (const email of [
    '',
    'ada',
    '@example.com',
    'ada@',
    'a da@example.com',
    'a@b@c',
    'a\u001b@b.de',
    'a\u202e@b.de',
    'a,b@c.de',
    '<a@b.de>',
    `${'a'.repeat(250)}@b.de`,
  ]) {
    await t.rejects(
      accounts.createUser({ ...aUser, email }),
      { code: 'VALIDATION_FAILED', details: { email: [{ code: 'format' }] } },
      email,
    );
  }
});

t.test('the operator’s users obey the same rules for passwords', async (t) => {
  const { accounts, db } = await openPeople(t);
  for (const weak of ['1234567', 'password1']) {
    await t.rejects(accounts.createUser({ ...aUser, password: weak }), { code: 'AUTH_PASSWORD_WEAK' });
  }
  t.equal((await db('users').count('* as n'))[0]?.['n'], 0);
  await accounts.createUser({ ...aUser, password });
});

t.test('the first admin is found, or said to be missing', async (t) => {
  const { accounts, clock } = await openPeople(t);
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

t.test('a profile is changed field by field; null and blank clear, what is left out stays', async (t) => {
  const { accounts } = await openPeople(t);
  const { id } = await accounts.createUser(aUser);
  t.strictSame(await accounts.getProfile(id), {
    id,
    email: 'ada@example.com',
    email_verified: true,
    phone: '',
    phone_verified: false,
    has_password: false,
    display_name: null,
    avatar_url: null,
    bio: null,
    locale: 'en',
    timezone: 'UTC',
    theme: 'system',
    status: 'active',
  });
  const changed = {
    display_name: 'Ada',
    bio: 'wrote\nthe first',
    locale: 'tw',
    timezone: 'Asia/Taipei',
    theme: 'dark',
  };
  t.match(await accounts.changeProfile(id, { ...changed, theme: 'dark' }, here), changed);
  t.match(await accounts.changeProfile(id, { bio: '  ' }, here), { ...changed, bio: null });
  t.match(await accounts.changeProfile(id, { display_name: null }, here), { display_name: null, locale: 'tw' });
  t.match(await accounts.changeProfile(id, {}, here), { timezone: 'Asia/Taipei' });
  for (const [change, code] of [
    [{ locale: 'de' }, 'ACCOUNT_LOCALE_UNSUPPORTED'],
    [{ locale: 'zh-TW' }, 'ACCOUNT_LOCALE_UNSUPPORTED'],
    [{ timezone: 'Mars/Olympus' }, 'ACCOUNT_TIMEZONE_INVALID'],
    [{ timezone: '+01:00' }, 'ACCOUNT_TIMEZONE_INVALID'],
    [{ timezone: '' }, 'ACCOUNT_TIMEZONE_INVALID'],
    [{ display_name: 'a\nb' }, 'VALIDATION_FAILED'],
  ] as const) {
    await t.rejects(accounts.changeProfile(id, { ...change, bio: 'half' }, here), { code, status: 400 });
  }
  t.equal((await accounts.getProfile(id)).bio, null, 'a change that is refused changes nothing');
});

t.test('each length of a profile has an edge, counted in characters', async (t) => {
  const { api } = await startStack(t);
  const change = async (body: object) => (await api.call('PATCH', '/v1/account/profile', { body })).status;
  for (const [field, limit] of [
    ['display_name', 64],
    ['bio', 500],
  ] as const) {
    t.equal(await change({ [field]: '😀'.repeat(limit) }), 200, `${field} of ${limit}`);
    t.equal(await change({ [field]: '😀'.repeat(limit + 1) }), 400, `${field} of ${limit + 1}`);
  }
  const unknown = await api.call('PATCH', '/v1/account/profile', { body: { display_name: 'Ada', email: 'x@y.de' } });
  t.match(unknown, {
    status: 400,
    body: { error: { code: 'VALIDATION_FAILED', details: { email: [{ code: 'unknown' }] } } },
  });
});

t.test('a deleted account is erased, opens nothing and frees its address; the only administrator stays', async (t) => {
  const { accounts, login, db, letters } = await openPeople(t);
  const admin = await accounts.createUser({ email: 'admin@example.com', role: 'admin', password: null });
  await t.rejects(accounts.delete(admin.id, here), { code: 'CONFLICT', details: { account: [{ code: 'conflict' }] } });
  const ada = await accounts.createUser({ ...aUser, password });
  await accounts.changeProfile(ada.id, { display_name: 'Ada Lovelace' }, here);
  await login(ada.email);
  await accounts.delete(ada.id, here);
  t.match(letters, [{ to: 'ada@example.com', template: 'account-deleted' }]);
  await t.rejects(login(ada.email, { address: '198.51.100.1' }), { code: 'AUTH_CREDENTIALS_INVALID' });
  const rows = await db.raw('SELECT u::text AS text FROM users u WHERE id = ?', [ada.id]);
  t.notMatch(rows.rows[0].text, /ada|lovelace|argon2/i);
  t.equal((await db('sessions').where({ user_id: ada.id }).whereNull('revoked_at')).length, 0);
  t.equal((await accounts.createUser(aUser)).email, ada.email, 'the address is free again');
});

t.test('who is disabled, let in again or deleted is so on every replica within a second', async (t) => {
  const { database, controlPlane, api } = await startStack(t, { VANTAGE_PUBLIC_URL: 'https://vantage.example' });
  const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: 'https://vantage.example' });
  const { accounts } = controlPlane.services;
  const register = (email: string) => api.call('POST', '/v1/auth/register', { as: null, body: { email, password } });
  const { body } = await register('ada@example.com');
  const token = body.data.access_token;
  const codes = async () => {
    const answers = [controlPlane, other].map(async ({ listenUrl }) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(new URL('/v1/account/profile', listenUrl), { headers });
      const { error } = (await answer.json()) as { error?: { code: string } };
      return error?.code ?? answer.status;
    });
    return (await Promise.all(answers)).join(' ');
  };
  const settled = async (expected: string) => {
    const deadline = performance.now() + 1_000;
    let seen = await codes();
    while (seen !== expected && performance.now() < deadline) seen = await codes();
    t.equal(seen, expected);
  };
  t.equal(await codes(), '200 200');
  await accounts.setDisabled(body.data.user_id, true, commandLine);
  await settled('AUTH_ACCOUNT_DISABLED AUTH_ACCOUNT_DISABLED');
  await accounts.setDisabled(body.data.user_id, false, commandLine);
  await settled('200 200');
  t.equal((await api.call('DELETE', '/v1/account', { as: token })).status, 200);
  await settled('ACCOUNT_DELETED ACCOUNT_DELETED');
  t.equal((await register('ada@example.com')).status, 201);
});

t.test('an account reads the limits that hold for it, as configured', async (t) => {
  const { api } = await startStack(t, { VANTAGE_PLANS: '{"free": {"monitors": 20, "members": null}}' });
  const registration = { email: 'ada@example.com', password };
  const { body } = await api.call('POST', '/v1/auth/register', { as: null, body: registration });
  const limits = await api.call('GET', '/v1/account/limits', { as: body.data.access_token });
  t.strictSame(limits.body.data, {
    plan: 'free',
    requests_per_minute: 60,
    node_tests_per_day: 1_000,
    monitors: 20,
    min_interval_s: 60,
    members: null,
    nodes: 5,
    check_days: 7,
  });
  t.match(limits.body.meta.rate_limit, { limit: 60, remaining: 59 });
});

t.test('every act on an account leaves its line in the audit log', async (t) => {
  const { accounts, signIn, sessions, recovery, signingKeys, letters, db, login } = await openPeople(t);
  const client = { address: '192.0.2.1', userAgent: null };
  const { user, tokens } = await signIn.register({ email: 'eve@example.com', password, client, actor: here }, 'en');
  const mailed = () => letters.findLast((letter) => 'token' in letter.data)?.data as { token: string };
  await recovery.verifyEmail(mailed().token, here);
  await accounts.changeProfile(user.id, { theme: 'dark' }, here);
  await accounts.setDisabled(user.id, true, here);
  await accounts.setDisabled(user.id, false, here);
  const { tokens: second } = await login(user.email);
  await sessions.end(user.id, second.sessionId, { actor: here, isLogout: true });
  await sessions.end(user.id, tokens.sessionId, { actor: here, isLogout: false });
  await t.rejects(login(user.email, { password: 'wrong horse' }));
  const passwords = { current: password, next: 'another horse battery staple' };
  await signIn.changePassword(user.id, passwords, { actor: here, keepSession: null, hasAllScopes: true });
  await recovery.requestReset(user.email, here);
  await recovery.resetPassword({ token: mailed().token, password: 'a third horse battery staple' }, here);
  await accounts.createUser(aUser);
  await signingKeys.rotate();
  await accounts.delete(user.id, here);
  const done = new Set(await db('audit_log').pluck('action'));
  const own = /^(account|password|session|signing_key)\./;
  const listed = auditActions.filter((action) => own.test(action) && action !== 'session.reuse_detected');
  t.strictSame(
    [...listed].filter((action) => !done.has(action)),
    [],
  );
});
