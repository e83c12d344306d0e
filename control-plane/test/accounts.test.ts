import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { auditActions } from '../src/wiring/modules.js';
import { lastingLeases } from './_support/lasting-lease.js';
import { from, password, peopleInTurn } from './_support/people.js';
import { apiOf, startReplica, startStack } from './_support/stack.js';

const openPeople = await peopleInTurn(t);
const { api } = await startStack(t, { VANTAGE_PLANS: '{"free": {"monitors": 20, "nodes": null}}' });
const aUser = { email: 'Ada@Example.COM', role: 'user', password: null } as const;
const here = from('192.0.2.1');

t.test('an e-mail address is stored and found in lower case, and is taken in any case', async (t) => {
  const { users } = await openPeople(t);
  const user = await users.createUser({ ...aUser, email: ' Ada@Example.COM ' });
  t.match(user, { id: /^u_/, email: 'ada@example.com', role: 'user', plan: 'unlimited', created_at: /Z$/ });
  t.equal((await users.getUserByEmail('ADA@example.com')).id, user.id);
  await t.rejects(users.createUser(aUser), { code: 'ACCOUNT_EMAIL_TAKEN' });
  await t.rejects(users.getUserByEmail('nobody@example.com'), { code: 'ACCOUNT_NOT_FOUND' });
});

t.test('an invalid e-mail address is refused by name', async (t) => {
  const { users } = await openPeople(t);
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
      users.createUser({ ...aUser, email }),
      { code: 'VALIDATION_FAILED', details: { email: [{ code: 'format' }] } },
      email,
    );
  }
});

t.test(
  'mail goes to public domains only: address literals and local names are refused in every notation',
  async (t) => {
    const { users, signIn, recovery, letters } = await openPeople(t);
    const request = { password, client: { address: '192.0.2.1', userAgent: null }, actor: here };
    for (const domain of [
      '127.0.0.1',
      '[127.0.0.1]',
      '[IPv6:::1]',
      '::1',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '１２７.0.0.1',
      '8.8.8.8',
      'localhost',
      'localhost.',
      'router',
      'mail.local',
      'db.internal',
      'router.home.arpa',
      'hidden.onion',
      'app.localhost',
      'metadata.goog',
      'a..example.com',
      '-a.example.com',
    ]) {
      const email = `a@${domain}`;
      const refused = { code: 'VALIDATION_FAILED', details: { email: [{}] } };
      await t.rejects(users.createUser({ ...aUser, email }), refused, `user create ${email}`);
      await t.rejects(signIn.register({ ...request, email }, 'en'), refused, `register ${email}`);
      await t.rejects(recovery.requestReset(email, here), refused, `forgot ${email}`);
    }
    t.strictSame([letters, await users.listUsers()], [[], []]);
    for (const [email, stored] of [
      ['a@MÜNCHEN.example.com', 'a@xn--mnchen-3ya.example.com'],
      ['a@example.com.', 'a@example.com'],
    ] as const) {
      t.equal((await users.createUser({ ...aUser, email })).email, stored);
    }
  },
);

t.test('an account that an older version created with a local address still signs in', async (t) => {
  const { users, db, login } = await openPeople(t);
  const { id } = await users.createUser({ ...aUser, password });
  await db('users').where({ id }).update({ email: 'old@localhost' });
  await login('old@localhost');
});

t.test('users that the operator creates obey the same password rules', async (t) => {
  const { users, db } = await openPeople(t);
  for (const weak of ['1234567', 'password1']) {
    await t.rejects(users.createUser({ ...aUser, password: weak }), { code: 'AUTH_PASSWORD_WEAK' });
  }
  t.equal((await db('users').count('* as n'))[0]?.['n'], 0);
  await users.createUser({ ...aUser, password });
});

t.test('the first administrator is found, or reported as missing', async (t) => {
  const { users, clock } = await openPeople(t);
  await users.createUser(aUser);
  await t.rejects(users.getFirstAdmin(), {
    code: 'ACCOUNT_NOT_FOUND',
    details: { user: [{ message: /no admin/ }] },
  });
  const admin = await users.createUser({ ...aUser, email: 'admin@example.com', role: 'admin' });
  clock.advance(1);
  await users.createUser({ ...aUser, email: 'admin2@example.com', role: 'admin' });
  t.equal((await users.getFirstAdmin()).id, admin.id);
});

t.test('a profile is changed field by field; null and blank clear a field, an absent field stays', async (t) => {
  const { users } = await openPeople(t);
  const { id } = await users.createUser(aUser);
  t.strictSame(await users.getProfile(id), {
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
  t.match(await users.changeProfile(id, { ...changed, theme: 'dark' }, here), changed);
  t.match(await users.changeProfile(id, { bio: '  ' }, here), { ...changed, bio: null });
  t.match(await users.changeProfile(id, { display_name: null }, here), { display_name: null, locale: 'tw' });
  t.match(await users.changeProfile(id, {}, here), { timezone: 'Asia/Taipei' });
  for (const [change, code] of [
    [{ locale: 'de' }, 'ACCOUNT_LOCALE_UNSUPPORTED'],
    [{ locale: 'zh-TW' }, 'ACCOUNT_LOCALE_UNSUPPORTED'],
    [{ timezone: 'Mars/Olympus' }, 'ACCOUNT_TIMEZONE_INVALID'],
    [{ timezone: '+01:00' }, 'ACCOUNT_TIMEZONE_INVALID'],
    [{ timezone: '' }, 'ACCOUNT_TIMEZONE_INVALID'],
    [{ display_name: 'a\nb' }, 'VALIDATION_FAILED'],
  ] as const) {
    await t.rejects(users.changeProfile(id, { ...change, bio: 'half' }, here), { code, status: 400 });
  }
  t.equal((await users.getProfile(id)).bio, null, 'a change that is refused changes nothing');
});

t.test('each length limit of a profile is exact, counted in characters', async (t) => {
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

t.test(
  'a deleted account is erased, gives no access and frees its address; the only administrator cannot be deleted',
  async (t) => {
    const { users, login, db, letters } = await openPeople(t);
    const admin = await users.createUser({ email: 'admin@example.com', role: 'admin', password: null });
    await t.rejects(users.delete(admin.id, here), { code: 'CONFLICT', details: { account: [{ code: 'conflict' }] } });
    const ada = await users.createUser({ ...aUser, password });
    await users.changeProfile(ada.id, { display_name: 'Ada Lovelace' }, here);
    await login(ada.email);
    await users.delete(ada.id, here);
    t.match(letters, [{ to: 'ada@example.com', template: 'account-deleted' }]);
    await t.rejects(login(ada.email, { address: '198.51.100.1' }), { code: 'AUTH_CREDENTIALS_INVALID' });
    const rows = await db.raw('SELECT u::text AS text FROM users u WHERE id = ?', [ada.id]);
    t.notMatch(rows.rows[0].text, /ada|lovelace|argon2/i);
    t.match(await db('sessions').where({ user_id: ada.id }), [{ revoked_at: Date, address: '', user_agent: null }]);
    t.equal((await users.createUser(aUser)).email, ada.email, 'the address is free again');
  },
);

t.test('disabling, enabling or deleting a user takes effect on every replica within a second', async (t) => {
  // this clock stands still, and with it the half second for which a replica remembers a token: a change takes effect
  // at once, by the message about it, or never
  const clock = new FakeClock(Date.now());
  const settings = { VANTAGE_PUBLIC_URL: 'https://vantage.example' };
  const first = await startStack(t, settings, clock);
  const { database, controlPlane } = first;
  await lastingLeases(database.db);
  // it knows the first one since its start; the first one is notified of it, at some time
  const other = await startReplica(t, database.url, settings, clock);
  const { users } = other.services.accounts;
  const api = apiOf(other.listenUrl, first.api.token, first.api.userId);
  const register = (email: string) => api.call('POST', '/v1/auth/register', { as: null, body: { email, password } });
  const { body } = await register('ada@example.com');
  let token = body.data.access_token;
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
    await until(expected, async () => (await codes()) === expected);
    t.pass(expected);
  };
  t.equal(await codes(), '200 200');
  await users.setDisabled(body.data.user_id, true, commandLine);
  await settled('AUTH_SESSION_INVALID AUTH_SESSION_INVALID');
  await users.setDisabled(body.data.user_id, false, commandLine);
  t.equal(await codes(), 'AUTH_SESSION_INVALID AUTH_SESSION_INVALID', 'an old session stays over');
  const signedIn = await api.call('POST', '/v1/auth/login', { as: null, body: { email: 'ada@example.com', password } });
  token = signedIn.body.data.access_token;
  await settled('200 200');
  t.equal((await api.call('DELETE', '/v1/account', { as: token })).status, 200);
  await settled('ACCOUNT_DELETED ACCOUNT_DELETED');
  t.equal((await register('ada@example.com')).status, 201);
});

t.test('an account reads the limits that apply to it, as configured', async (t) => {
  const registration = { email: 'ada@example.com', password };
  const { body } = await api.call('POST', '/v1/auth/register', { as: null, body: registration });
  const limits = await api.call('GET', '/v1/account/limits', { as: body.data.access_token });
  t.strictSame(limits.body.data, {
    plan: 'free',
    requests_per_minute: 60,
    node_tests_per_day: 1_000,
    monitors: 20,
    min_interval_s: 60,
    nodes: null,
    sms_per_month: 0,
    voice_per_month: 0,
    check_days: 7,
    reputation_per_month: 1_000,
  });
  t.match(limits.body.meta.rate_limit, { limit: 60, remaining: 59 });
});

t.test('without a mail server the response names the setting, whether the account exists or not', async (t) => {
  const body = { email: 'bea@example.com', password };
  const registered = await api.call('POST', '/v1/auth/register', { as: null, body });
  const as = registered.body.data.access_token;
  t.match((await api.call('POST', '/v1/auth/verify-email/resend', { as })).body.data, {
    message: /VANTAGE_SMTP_URL is not set/,
  });
  const forgot = async (email: string) =>
    (await api.call('POST', '/v1/auth/password/forgot', { as: null, body: { email } })).body.data.message;
  t.match(await forgot('bea@example.com'), /VANTAGE_SMTP_URL is not set/);
  t.equal(await forgot('none@example.com'), await forgot('bea@example.com'));
});

t.test('every act on an account writes its line in the audit log', async (t) => {
  const { users, signIn, sessions, recovery, signingKeys, letters, db, login } = await openPeople(t);
  const client = { address: '192.0.2.1', userAgent: null };
  const { user } = await signIn.register({ email: 'eve@example.com', password, client, actor: here }, 'en');
  const mailed = () => letters.findLast((letter) => 'token' in letter.data)?.data as { token: string };
  await recovery.verifyEmail(mailed().token, here, user.id);
  await users.changeProfile(user.id, { theme: 'dark' }, here);
  await users.setDisabled(user.id, true, here);
  await users.setDisabled(user.id, false, here);
  const { tokens } = await login(user.email);
  const { tokens: second } = await login(user.email);
  await sessions.end(user.id, second.sessionId, { actor: here, isLogout: true });
  await sessions.end(user.id, tokens.sessionId, { actor: here, isLogout: false });
  await t.rejects(login(user.email, { password: 'wrong horse' }));
  const passwords = { current: password, next: 'another horse battery staple' };
  await signIn.changePassword(user.id, passwords, { actor: here, keepSession: null, hasAllScopes: true });
  await recovery.requestReset(user.email, here);
  await recovery.resetPassword({ token: mailed().token, password: 'a third horse battery staple' }, here);
  await users.createUser(aUser);
  await signingKeys.rotate();
  await users.delete(user.id, here);
  const done = new Set(await db('audit_log').pluck('action'));
  const own = /^(account|password|session|signing_key)\./;
  // those acts need steps of their own, which their tests have
  const elsewhere =
    /^(session\.(reuse_detected|confirm|stepped_up)|account\.(deletion_requested|restored|email_|factors_|sessions_))/;
  const listed = auditActions.filter((action) => own.test(action) && !elsewhere.test(action));
  t.strictSame(
    [...listed].filter((action) => !done.has(action)),
    [],
  );
});
