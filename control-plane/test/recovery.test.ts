import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t, { type Test } from 'tap';
import { PasswordHasher } from '../src/modules/accounts/passwords/passwords.js';
import { alertRevocation } from '../src/modules/alerts/alert-release.js';
import { windowRevocation } from '../src/modules/monitors/maintenance/maintenance-windows.js';
import { deleteNodesOfOwner } from '../src/modules/nodes/store.js';
import { webhookRevocation } from '../src/modules/webhooks/webhook-release.js';
import type { Revocation } from '../src/owners/index.js';
import { storePasskey } from './_support/authenticator.js';
import { from, type People, password, peopleInTurn } from './_support/people.js';
import { insertNode } from './_support/stored-node.js';

const open = await peopleInTurn(t);
const nodeRevocation: Revocation = {
  words: { en: 'Nodes', 'zh-CN': '节点', 'zh-TW': '節點' },
  revoke: deleteNodesOfOwner,
};
const revocations = [nodeRevocation, windowRevocation, alertRevocation, webhookRevocation];
const openPeople = (t: Test) => open(t, { revocations });
const here = from('192.0.2.1');
const next = 'another horse battery staple';

/** Token of the last mail of a template. */
function mailed({ letters }: People, template: 'verify-email' | 'reset-password'): string {
  const letter = letters.findLast((candidate) => candidate.template === template);
  return letter?.template === 'verify-email' || letter?.template === 'reset-password' ? letter.data.token : '';
}

async function registered(t: Parameters<typeof openPeople>[0]) {
  const people = await openPeople(t);
  const client = { address: '192.0.2.1', userAgent: null };
  const request = { email: 'ada@example.com', password, client, actor: here };
  const { user, tokens } = await people.signIn.register(request, 'en');
  return { people, user, tokens };
}

t.test('an address is verified by the mailed token, once, within a day', async (t) => {
  const { people, user } = await registered(t);
  const { recovery, users, revoked } = people;
  await t.rejects(recovery.verifyEmail('svc_ch_nonsense', here), { code: 'AUTH_OTP_INVALID', status: 400 });
  await recovery.verifyEmail(mailed(people, 'verify-email'), here);
  t.equal((await users.getProfile(user.id)).email_verified, true);
  t.strictSame(revoked, [user.id], 'the permissions have changed');
  await t.rejects(recovery.verifyEmail(mailed(people, 'verify-email'), here), { code: 'AUTH_OTP_INVALID' });
  await t.rejects(recovery.resendVerification(user.id), { code: 'CONFLICT' });
  const { people: others } = await registered(t);
  others.clock.advance(24 * 3_600_000);
  await t.rejects(others.recovery.verifyEmail(mailed(others, 'verify-email'), here), {
    code: 'AUTH_OTP_EXPIRED',
    status: 400,
  });
});

t.test('the mail can be requested again, five times an hour including the first', async (t) => {
  const { people, user } = await registered(t);
  for (let i = 0; i < 10; i++) await people.recovery.resendVerification(user.id);
  t.equal(people.letters.length, 5);
  people.clock.advance(3_600_000);
  await people.recovery.resendVerification(user.id);
  t.equal(people.letters.length, 6);
  await people.recovery.verifyEmail(mailed(people, 'verify-email'), here);
});

t.test('a mailed token sets a new password once, within half an hour, and ends every session', async (t) => {
  const { people, tokens } = await registered(t);
  const { recovery, sessions, login, letters, clock, users, user } = { ...people, user: tokens.userId };
  await recovery.requestReset('ADA@example.com', here);
  const token = mailed(people, 'reset-password');
  t.match(letters.at(-1), { to: 'ada@example.com', data: { expiresMinutes: 30, address: '192.0.2.1' } });
  await t.rejects(recovery.verifyEmail(token, here), { code: 'AUTH_OTP_INVALID' }, 'it is valid for nothing else');
  await t.rejects(recovery.resetPassword({ token, password: 'password' }, here), { code: 'AUTH_PASSWORD_WEAK' });
  await t.rejects(recovery.resetPassword({ token, password }, here), { code: 'AUTH_PASSWORD_REUSED' });
  await recovery.resetPassword({ token, password: next }, here);
  await t.rejects(recovery.resetPassword({ token, password: `${next}!` }, here), { code: 'AUTH_OTP_INVALID' });
  await t.rejects(sessions.refresh(tokens.refreshToken, here), { code: 'AUTH_SESSION_INVALID' });
  await t.rejects(login('ada@example.com'), { code: 'AUTH_CREDENTIALS_INVALID' });
  await login('ada@example.com', { password: next });
  t.equal((await users.getProfile(user)).email_verified, true, 'a reader of the mail owns the address');
  const notice = letters.findLast(({ template }) => template === 'account-access');
  t.match(notice, { data: { hasNewPassword: true } }, 'and the owner is notified');
  await recovery.requestReset('ada@example.com', here);
  const late = mailed(people, 'reset-password');
  clock.advance(30 * 60_000);
  await t.rejects(recovery.resetPassword({ token: late, password: next }, here), { code: 'AUTH_OTP_EXPIRED' });
});

t.test('an unknown or disabled account gets no mail and the same response', async (t) => {
  const { people, user } = await registered(t);
  const { recovery, letters, users } = people;
  await recovery.requestReset('nobody@example.com', here);
  await users.setDisabled(user.id, true, here);
  await recovery.requestReset('ada@example.com', here);
  t.strictSame(
    letters.map(({ template }) => template),
    ['verify-email'],
  );
  await t.rejects(recovery.requestReset('nobody', here), { code: 'VALIDATION_FAILED' });
});

t.test('a password is changed with the present one; that session stays, the others end', async (t) => {
  const { people, tokens } = await registered(t);
  const { signIn, sessions, login } = people;
  const other = await login('ada@example.com');
  const by = { actor: here, keepSession: tokens.sessionId, hasAllScopes: false };
  const change = (current: string | null, wanted: string) =>
    signIn.changePassword(tokens.userId, { current, next: wanted }, by);
  await t.rejects(change(null, next), {
    code: 'VALIDATION_FAILED',
    details: { current_password: [{ code: 'required' }] },
  });
  await t.rejects(change('wrong horse', next), { code: 'AUTH_CREDENTIALS_INVALID', status: 401 });
  await t.rejects(change(password, 'short'), { code: 'AUTH_PASSWORD_WEAK', details: { new_password: [{}] } });
  await t.rejects(change(password, password), { code: 'AUTH_PASSWORD_REUSED' });
  await change(password, next);
  await sessions.refresh(tokens.refreshToken, here);
  await t.rejects(sessions.refresh(other.tokens.refreshToken, here), { code: 'AUTH_SESSION_INVALID' });
});

t.test('the last five passwords are refused, older ones are accepted', async (t) => {
  const { people, tokens } = await registered(t);
  const { signIn, db } = people;
  const nth = (n: number) => `${n} horses and a battery staple`;
  const by = { actor: here, keepSession: null, hasAllScopes: false };
  let current = password;
  for (let n = 1; n <= 5; n++) {
    people.clock.advance(1_000);
    await signIn.changePassword(tokens.userId, { current, next: nth(n) }, by);
    current = nth(n);
  }
  for (let n = 1; n <= 5; n++) {
    const change = signIn.changePassword(tokens.userId, { current, next: nth(n) }, by);
    await t.rejects(change, { code: 'AUTH_PASSWORD_REUSED', details: { new_password: [{ code: 'refused' }] } }, nth(n));
  }
  t.equal((await db('password_history')).length, 4);
  people.clock.advance(1_000);
  await signIn.changePassword(tokens.userId, { current, next: password }, by);
});

t.test('guesses at the present password are slowed down as they are when signing in', async (t) => {
  const { people, tokens } = await registered(t);
  const guess = () =>
    people.signIn.changePassword(
      tokens.userId,
      { current: 'wrong horse', next },
      { actor: here, keepSession: null, hasAllScopes: false },
    );
  for (let tries = 1; tries <= 6; tries++) await t.rejects(guess(), { code: 'AUTH_CREDENTIALS_INVALID' });
  await t.rejects(guess(), { code: 'RATE_LIMIT_EXCEEDED' });
});

t.test('an owner who takes over an account by mail removes everything created before', async (t) => {
  const { people, tokens } = await registered(t);
  const { recovery, db } = people;
  const at = new Date();
  const base = {
    secret_hash: Buffer.alloc(32),
    name: 'squatter',
    scopes: ['probe'],
    created_at: at,
  };
  await db('api_keys').insert({
    ...base,
    owner_id: tokens.userId,
    created_by: tokens.userId,
    id: 'key_1',
    token_id: 'aaaaaaaaaaaa',
    type: 'production',
  });
  await db('personal_access_tokens').insert({ ...base, user_id: tokens.userId, id: 'pat_1', token_id: 'bbbbbbbbbbbb' });
  await storePasskey(db, tokens.userId, 'squatter');
  const live = async (table: string) => (await db(table).where({ revoked_at: null })).length;
  await recovery.requestReset('ada@example.com', here);
  await recovery.resetPassword({ token: mailed(people, 'reset-password'), password: next }, here);
  t.strictSame([await live('api_keys'), await live('personal_access_tokens')], [0, 0]);
  await db('api_keys').update({ revoked_at: null });
  t.match(people.letters.at(-1), { data: { revoked: { passkeys: { names: ['squatter'] } }, passkeys: { total: 0 } } });
  const node = await insertNode(db, { owner_id: tokens.userId, name: 'frankfurt-1' });
  await storePasskey(db, tokens.userId, 'Laptop');
  people.clock.advance(1);
  await recovery.requestReset('ada@example.com', here);
  await recovery.resetPassword({ token: mailed(people, 'reset-password'), password: `${next}!` }, here);
  t.equal(await live('api_keys'), 0, 'a caller with the old password may have created it');
  t.equal(
    (await db('nodes').where({ id: node }).first()).deleted_at,
    null,
    'nodes that an owner enrolled continue to check',
  );
  t.equal((await db('passkeys')).length, 1, 'passkeys that a proven owner added continue to sign in');
  t.match(people.letters.at(-1), {
    template: 'account-access',
    data: {
      revoked: { sessions: 0, passkeys: { total: 0 }, apiKeys: { names: ['squatter'], total: 1 }, holdings: [] },
      passkeys: { names: ['Laptop'], total: 1 },
      nodes: { names: ['frankfurt-1'], total: 1 },
      passwordSetAt: new Date(people.clock.now()).toISOString(),
    },
  });
});

/** Everything that opens an account: live sessions, keys, tokens and nodes, and whether its owner is proven. */
async function accessOf({ db, sessions }: People, userId: string) {
  const user = await db('users').where({ id: userId }).first();
  const count = async (table: string, live: object) => (await db(table).where({ owner_id: userId, ...live })).length;
  return {
    sessions: (await sessions.list(userId)).length,
    apiKeys: await count('api_keys', { revoked_at: null }),
    enrollmentTokens: await count('enrollment_tokens', {}),
    nodes: await count('nodes', { deleted_at: null }),
    passkeys: (await db('passkeys').where({ user_id: userId })).length,
    isVerified: user.email_verified_at !== null,
    isProven: user.proven_at !== null,
  };
}

/** An unverified account that has one of every kind, as an older version allowed. */
async function holding(t: Parameters<typeof openPeople>[0]) {
  const { people, tokens, user } = await registered(t);
  const { db } = people;
  const base = { owner_id: user.id, secret_hash: Buffer.alloc(32) };
  const key = { ...base, id: 'key_1', token_id: 'aaaaaaaaaaaa', type: 'production', name: 'theirs', scopes: ['probe'] };
  await db('api_keys').insert({ ...key, created_by: user.id, created_at: new Date() });
  const expires = new Date(Date.now() + 3_600_000);
  await db('enrollment_tokens').insert({
    ...base,
    id: 'et_1',
    token_id: 'bbbbbbbbbbbb',
    preview: 'ent_***b',
    expires_at: expires,
  });
  await insertNode(db, { owner_id: user.id, name: 'theirs' });
  await storePasskey(db, user.id, 'theirs');
  return { people, tokens, user, token: mailed(people, 'verify-email') };
}

const kept = { sessions: 1, apiKeys: 1, enrollmentTokens: 1, nodes: 1, passkeys: 1 };
const revoked = { sessions: 0, apiKeys: 0, enrollmentTokens: 0, nodes: 0, passkeys: 0 };

t.test('credentials survive a verification only if the caller presents one of them', async (t) => {
  const ways = {
    'in a session of the account': {
      verify: ({ recovery }: People, token: string, userId: string) => recovery.verifyEmail(token, here, userId),
      leaves: { ...kept, isVerified: true, isProven: true },
      opens: password,
    },
    'with its password': {
      verify: ({ signIn }: People, token: string) => signIn.verifyEmail({ token, password }, here),
      leaves: { ...kept, isVerified: true, isProven: true },
      opens: password,
    },
    'in a session of another account': {
      verify: ({ recovery }: People, token: string) => recovery.verifyEmail(token, here, 'u_eve'),
      leaves: { ...revoked, isVerified: true, isProven: false },
      opens: password,
    },
    'by the token alone': {
      verify: ({ recovery }: People, token: string) => recovery.verifyEmail(token, here),
      leaves: { ...revoked, isVerified: true, isProven: false },
      opens: password,
    },
    'with a new password': {
      verify: ({ recovery }: People, token: string) => recovery.verifyWithNewPassword({ token, password: next }, here),
      leaves: { ...revoked, isVerified: true, isProven: true },
      opens: next,
    },
  };
  for (const [name, { verify, leaves, opens }] of Object.entries(ways)) {
    const { people, user, token } = await holding(t);
    await verify(people, token, user.id);
    t.strictSame(await accessOf(people, user.id), leaves, name);
    const acts = await people.db('audit_log').where({ account_id: user.id }).pluck('action');
    const losses = acts.filter((action: string) => /\.(?:revoked|removed)$/.test(action)).sort();
    const all = ['api_key.revoked', 'enrollment_token.revoked', 'passkey.removed', 'session.revoked'];
    t.strictSame(losses, leaves.nodes === 0 ? all : [], `${name}: the audit log`);
    t.equal(
      people.letters.at(-1)?.template,
      leaves.nodes === 0 ? 'account-access' : 'verify-email',
      `${name}: the mail`,
    );
    t.ok(people.revoked.includes(user.id), `${name}: replicas are notified`);
    await people.login('ada@example.com', { password: opens });
    const before = people.letters.length;
    await t.rejects(verify(people, token, user.id), { code: 'AUTH_OTP_INVALID' }, `${name}: once`);
    t.match(
      await accessOf(people, user.id),
      { sessions: leaves.sessions + 1, isProven: leaves.isProven },
      `${name}, again`,
    );
    t.equal(people.letters.length, before);
  }
});

t.test('a used token proves nothing more: no password, no new password, no session', async (t) => {
  const { people, user, token } = await holding(t);
  const { recovery, signIn, login } = people;
  await recovery.verifyEmail(token, here);
  await login('ada@example.com');
  const isUsed = { code: 'AUTH_OTP_INVALID' };
  await t.rejects(signIn.verifyEmail({ token, password }, here), isUsed);
  await t.rejects(recovery.verifyEmail(token, here, user.id), isUsed);
  await t.rejects(recovery.verifyWithNewPassword({ token, password: next }, here), isUsed);
  t.match(await accessOf(people, user.id), { sessions: 1, isProven: false });
  await login('ada@example.com');
});

t.test('a reset uses up the tokens that would verify the address with another password', async (t) => {
  const { people, token } = await holding(t);
  const { recovery } = people;
  await recovery.requestReset('ada@example.com', here);
  await recovery.resetPassword({ token: mailed(people, 'reset-password'), password: next }, here);
  await t.rejects(recovery.verifyWithNewPassword({ token, password: `${next}!` }, here), { code: 'AUTH_OTP_INVALID' });
  await people.login('ada@example.com', { password: next });
});

t.test('of two simultaneous uses of a mailed token one succeeds', async (t) => {
  const one = 'first horse battery staple';
  const two = 'second horse battery staple';
  const uses = {
    verification: {
      mail: async () => {},
      template: 'verify-email',
      use: ({ recovery }: People, token: string, wanted: string) =>
        recovery.verifyWithNewPassword({ token, password: wanted }, here),
    },
    reset: {
      mail: ({ recovery }: People) => recovery.requestReset('ada@example.com', here),
      template: 'reset-password',
      use: ({ recovery }: People, token: string, wanted: string) =>
        recovery.resetPassword({ token, password: wanted }, here),
    },
  } as const;
  for (const [name, { mail, template, use }] of Object.entries(uses)) {
    const { people } = await holding(t);
    await mail(people);
    const token = mailed(people, template);
    const outcomes = await Promise.allSettled([use(people, token, one), use(people, token, two)]);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    t.strictSame(refused, ['AUTH_OTP_INVALID'], name);
    const logins = await Promise.allSettled(
      [one, two].map((tried) => people.login('ada@example.com', { password: tried })),
    );
    t.strictSame(
      logins.map(({ status }) => status),
      outcomes.map(({ status }) => status),
      `${name}: the password is the one that was confirmed`,
    );
    t.equal(people.letters.filter((letter) => letter.template === 'account-access').length, 1, `${name}: one mail`);
  }
});

t.test('a token that verifies an address is used by one of many simultaneous requests, of any kind', async (t) => {
  const { people, user, token } = await holding(t);
  const { recovery, signIn } = people;
  const uses = [0, 1, 2].flatMap(() => [
    recovery.verifyEmail(token, here),
    recovery.verifyEmail(token, here, user.id),
    signIn.verifyEmail({ token, password }, here),
  ]);
  const outcomes = await Promise.allSettled(uses);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  t.strictSame(refused, Array(8).fill('AUTH_OTP_INVALID'));
  const verified = await people.db('audit_log').where({ action: 'account.verified', account_id: user.id });
  t.equal(verified.length, 1);
});

t.test('a token for an address that was verified another way works once as well', async (t) => {
  const { people, user, token } = await holding(t);
  await people.db('users').where({ id: user.id }).update({ email_verified_at: new Date() });
  await people.signIn.verifyEmail({ token, password }, here);
  await t.rejects(people.signIn.verifyEmail({ token, password }, here), { code: 'AUTH_OTP_INVALID' });
  await t.rejects(people.recovery.verifyEmail(token, here), { code: 'AUTH_OTP_INVALID' });
});

t.test('a wrong password verifies nothing, is slowed down as when signing in, and leaves the token', async (t) => {
  const { people, user, token } = await holding(t);
  const { signIn, clock, db } = people;
  const elsewhere = from('203.0.113.9');
  const guess = () => signIn.verifyEmail({ token, password: 'wrong horse' }, elsewhere);
  for (let tries = 1; tries <= 6; tries++) {
    await t.rejects(guess(), { code: 'AUTH_CREDENTIALS_INVALID', status: 401, details: { password: [{}] } });
  }
  await t.rejects(guess(), { code: 'RATE_LIMIT_EXCEEDED' });
  await t.rejects(
    people.login('ada@example.com', { address: '203.0.113.9' }),
    { code: 'RATE_LIMIT_EXCEEDED' },
    'in common',
  );
  t.equal((await db('audit_log').where({ action: 'session.refused' })).length, 6);
  t.match(await accessOf(people, user.id), { ...kept, isVerified: false });
  clock.advance(60_000);
  await signIn.verifyEmail({ token, password }, elsewhere);
  t.match(await accessOf(people, user.id), { ...kept, isProven: true });
});

t.test('a password that was replaced while it was compared proves nothing', async (t) => {
  const { people, user, token } = await holding(t);
  const { recovery, signIn } = people;
  await recovery.requestReset('ada@example.com', here);
  const reset = mailed(people, 'reset-password');
  const compare = PasswordHasher.prototype.isSame;
  PasswordHasher.prototype.isSame = async function slow(this: PasswordHasher, passwordHash, tried) {
    PasswordHasher.prototype.isSame = compare;
    const isSame = await compare.call(this, passwordHash, tried);
    await signIn.changePassword(
      user.id,
      { current: password, next },
      { actor: here, keepSession: null, hasAllScopes: true },
    );
    return isSame;
  };
  await t.rejects(signIn.verifyEmail({ token, password }, here), { code: 'AUTH_CREDENTIALS_INVALID' });
  t.match(await accessOf(people, user.id), { isVerified: false, isProven: false });
  await t.rejects(recovery.resetPassword({ token: reset, password: `${next}!` }, here), { code: 'AUTH_OTP_INVALID' });
});

t.test('a node enrolled before the owner was proven is lost only with the first new password', async (t) => {
  const { people, user, token } = await holding(t);
  const { recovery, db, clock } = people;
  const reset = async (wanted: string) => {
    clock.advance(1);
    await recovery.requestReset('ada@example.com', here);
    await recovery.resetPassword({ token: mailed(people, 'reset-password'), password: wanted }, here);
  };
  await recovery.verifyEmail(token, here);
  const aWindow = (title: string) => {
    const times = { starts_at: new Date(clock.now()), ends_at: new Date(clock.now() + 3_600_000) };
    const row = {
      id: newId(idPrefixes.maintenanceWindow),
      owner_id: user.id,
      created_by: user.id,
      title,
      scope_type: 'all',
      scope_ids: [],
    };
    const rest = { recurrence: 'none', timezone: 'UTC', advance_notice_minutes: 0 };
    return db('maintenance_windows').insert({ ...row, ...times, ...rest });
  };
  const aChannel = (name: string) => {
    const owned = { owner_id: user.id, created_by: user.id, is_test: false };
    return db('alert_channels').insert({
      id: newId(idPrefixes.alertChannel),
      ...owned,
      name,
      type: 'webhook',
      config: '{}',
    });
  };
  const aRule = async (name: string) => {
    const owned = { owner_id: user.id, created_by: user.id, is_test: false };
    const [usual] = await db('alert_policies').where({ owner_id: user.id, is_default: true });
    const parts = [usual.rules, usual.escalation, usual.on_recovery, usual.suppression].map((part) =>
      JSON.stringify(part),
    );
    const [rules, escalation, on_recovery, suppression] = parts;
    const policy = { id: newId(idPrefixes.alertPolicy), name, rules, escalation, on_recovery, suppression };
    await db('alert_policies').insert({ ...owned, ...policy });
    const times = { starts_at: new Date(clock.now()), ends_at: new Date(clock.now() + 3_600_000) };
    const silence = { id: newId(idPrefixes.alertSilence), scope_type: 'all', scope_ids: [], severities: [], ...times };
    await db('alert_silences').insert({ ...owned, ...silence, reason: name });
    const group = { id: newId(idPrefixes.alertGroup), group_by: 'tag', group_value: 'eu' };
    await db('alert_groups').insert({ ...owned, ...group, name, wait_seconds: 3_600, interval_seconds: 86_400 });
  };
  const ofUser = { owner_id: user.id };
  const rules = async () => [
    ...(await db('alert_policies').where(ofUser).orderBy('is_default', 'desc').pluck('name')),
    ...(await db('alert_silences').where(ofUser).pluck('reason')),
    ...(await db('alert_groups').where(ofUser).pluck('name')),
  ];
  const channels = () =>
    db('alert_channels').where(ofUser).orderBy('is_default', 'desc').select('name', 'is_enabled', 'template');
  const between = await insertNode(db, { owner_id: user.id, name: 'between' });
  await aWindow('silence');
  await aChannel('leak');
  await aRule('hush');
  const usual = () => db('alert_policies').where({ ...ofUser, is_default: true });
  const [asNew] = await usual();
  await usual().update({ is_enabled: false, name: 'Off', rules: '[]', depends_on: ['m_1'] });
  await db('alert_channels').where({ is_default: true }).update({ is_enabled: false, template: '{"title": "win"}' });
  await reset(next);
  t.ok((await db('nodes').where({ id: between }).first()).deleted_at);
  t.strictSame(await db('maintenance_windows'), [], 'nor does a window keep silencing monitors of the owner');
  t.strictSame(
    await channels(),
    [{ name: 'Account e-mail', is_enabled: true, template: null }],
    'nor does a channel keep sending',
  );
  t.strictSame(await rules(), ['Default'], 'nor does a policy, a silence or a group keep messages from the owner');
  t.strictSame(await usual(), [asNew]);
  const letter = people.letters.at(-1) as never as { data: { revoked: { holdings: { names: string[] }[] } } };
  t.strictSame(
    letter.data.revoked.holdings.map(({ names }) => names),
    [['between'], ['silence'], ['leak'], []],
    'the mail names them',
  );
  t.match(letter, { data: { nodes: { total: 0 } } });
  const own = await insertNode(db, { owner_id: user.id, name: 'own' });
  await aWindow('nightly');
  await aChannel('operations');
  await aRule('nights');
  await reset(`${next}!`);
  t.notOk((await db('nodes').where({ id: own }).first()).deleted_at);
  t.match(await db('maintenance_windows'), [{ title: 'nightly' }]);
  t.match(await channels(), [{ name: 'Account e-mail' }, { name: 'operations' }]);
  t.strictSame(await rules(), ['Default', 'nights', 'nights', 'nights']);
});

t.test('a replaced password opens nothing, however long its check took', async (t) => {
  const thief = {
    login: async ({ login }: People) => void (await login('ada@example.com')),
    change: ({ signIn }: People, userId: string) => {
      const by = { actor: here, keepSession: null, hasAllScopes: true };
      return signIn.changePassword(userId, { current: password, next: 'the thief takes it back' }, by);
    },
  };
  for (const [name, act] of Object.entries(thief)) {
    const { people, tokens } = await registered(t);
    await people.recovery.requestReset('ada@example.com', here);
    const token = mailed(people, 'reset-password');
    const compare = PasswordHasher.prototype.isSame;
    // the owner's reset is committed after the old password was found correct, and before that has an effect
    PasswordHasher.prototype.isSame = async function slow(this: PasswordHasher, passwordHash, tried) {
      PasswordHasher.prototype.isSame = compare;
      const isSame = await compare.call(this, passwordHash, tried);
      await people.recovery.resetPassword({ token, password: next }, here);
      return isSame;
    };
    await t.rejects(act(people, tokens.userId), { code: 'AUTH_CREDENTIALS_INVALID' }, name);
    t.strictSame(await people.sessions.list(tokens.userId), [], `${name}: no session is left`);
    await people.login('ada@example.com', { password: next, address: '198.51.100.1' });
  }
});

t.test('a first password is set with credentials that may do everything, not with narrow ones', async (t) => {
  const { users, signIn, login } = await openPeople(t);
  const { id, email } = await users.createUser({ email: 'ada@example.com', role: 'user', password: null });
  const set = (hasAllScopes: boolean) =>
    signIn.changePassword(id, { current: null, next }, { actor: here, keepSession: null, hasAllScopes });
  await t.rejects(set(false), { code: 'FORBIDDEN' });
  await set(true);
  await login(email, { password: next });
});

t.test('a mailbox gets at most five mails an hour, with whatever tags accounts are registered', async (t) => {
  const { people } = await registered(t);
  const { signIn, letters, clock } = people;
  const client = { address: '192.0.2.1', userAgent: null };
  for (let tag = 0; tag < 8; tag++) {
    clock.advance(1);
    await signIn.register({ email: `ada+${tag}@example.com`, password, client, actor: here }, 'en');
  }
  t.equal(letters.length, 5);
  t.strictSame(new Set(letters.slice(-2).map(({ to }) => to)), new Set(['ada+2@example.com', 'ada+3@example.com']));
});

t.test('an address gets at most five mails an hour, even if its accounts are deleted and recreated', async (t) => {
  const { people } = await registered(t);
  const { signIn, users, letters, clock } = people;
  const client = { address: '192.0.2.1', userAgent: null };
  for (let round = 0; round < 8; round++) {
    clock.advance(1);
    const user = (await users.listUsers())[0];
    await users.delete(user?.id ?? '', here);
    await signIn.register({ email: 'ada@EXAMPLE。com', password, client, actor: here }, 'en');
  }
  t.equal(letters.length, 5, 'and none about deletion or passwords before it is verified');
  t.strictSame(new Set(letters.map(({ to }) => to)), new Set(['ada@example.com']));
});
