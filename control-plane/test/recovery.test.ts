import t from 'tap';
import { PasswordHasher } from '../src/modules/accounts/passwords.js';
import { from, openPeople, type People, password } from './_support/people.js';

const here = from('192.0.2.1');
const next = 'another horse battery staple';

/** The token of the last letter of a template. */
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

t.test('an address is verified by the mailed token, once or twice, within a day', async (t) => {
  const { people, user } = await registered(t);
  const { recovery, accounts, clock, revoked } = people;
  await t.rejects(recovery.verifyEmail('svc_ch_nonsense', here), { code: 'AUTH_OTP_INVALID', status: 400 });
  await recovery.verifyEmail(mailed(people, 'verify-email'), here);
  t.equal((await accounts.getProfile(user.id)).email_verified, true);
  t.strictSame(revoked, [user.id], 'what they may do has changed');
  await recovery.verifyEmail(mailed(people, 'verify-email'), here);
  await t.rejects(recovery.resendVerification(user.id), { code: 'CONFLICT' });
  clock.advance(24 * 3_600_000);
  await t.rejects(recovery.verifyEmail(mailed(people, 'verify-email'), here), {
    code: 'AUTH_OTP_EXPIRED',
    status: 400,
  });
});

t.test('the mail can be asked for again, five times an hour with the first', async (t) => {
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
  const { recovery, sessions, login, letters, clock, accounts, user } = { ...people, user: tokens.userId };
  await recovery.requestReset('ADA@example.com', here);
  const token = mailed(people, 'reset-password');
  t.match(letters.at(-1), { to: 'ada@example.com', data: { expiresMinutes: 30, address: '192.0.2.1' } });
  await t.rejects(recovery.verifyEmail(token, here), { code: 'AUTH_OTP_INVALID' }, 'it is good for nothing else');
  await t.rejects(recovery.resetPassword({ token, password: 'password' }, here), { code: 'AUTH_PASSWORD_WEAK' });
  await t.rejects(recovery.resetPassword({ token, password }, here), { code: 'AUTH_PASSWORD_REUSED' });
  await recovery.resetPassword({ token, password: next }, here);
  await t.rejects(recovery.resetPassword({ token, password: `${next}!` }, here), { code: 'AUTH_OTP_INVALID' });
  await t.rejects(sessions.refresh(tokens.refreshToken, here), { code: 'AUTH_SESSION_INVALID' });
  await t.rejects(login('ada@example.com'), { code: 'AUTH_CREDENTIALS_INVALID' });
  await login('ada@example.com', { password: next });
  t.equal((await accounts.getProfile(user)).email_verified, true, 'who reads the mail has the address');
  t.match(letters.at(-1), { template: 'password-changed' }, 'and the owner is told');
  await recovery.requestReset('ada@example.com', here);
  const late = mailed(people, 'reset-password');
  clock.advance(30 * 60_000);
  await t.rejects(recovery.resetPassword({ token: late, password: next }, here), { code: 'AUTH_OTP_EXPIRED' });
});

t.test('who has no account here, or a disabled one, gets no mail and the same answer', async (t) => {
  const { people, user } = await registered(t);
  const { recovery, letters, accounts } = people;
  await recovery.requestReset('nobody@example.com', here);
  await accounts.setDisabled(user.id, true, here);
  await recovery.requestReset('ada@example.com', here);
  t.strictSame(
    letters.map(({ template }) => template),
    ['verify-email'],
  );
  await t.rejects(recovery.requestReset('nobody', here), { code: 'VALIDATION_FAILED' });
});

t.test('a password is changed by who proves the present one; that session stays, the others end', async (t) => {
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

t.test('the last five passwords do not come back, the one before them may', async (t) => {
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

t.test('guessing at the present password is slowed down as signing in is', async (t) => {
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

t.test('who takes over an account by its mail gets rid of all that was made before', async (t) => {
  const { people, tokens } = await registered(t);
  const { recovery, db } = people;
  const at = new Date();
  const base = {
    user_id: tokens.userId,
    secret_hash: Buffer.alloc(32),
    name: 'squatter',
    scopes: ['probe'],
    created_at: at,
  };
  await db('api_keys').insert({ ...base, id: 'key_1', token_id: 'aaaaaaaaaaaa', type: 'production' });
  await db('personal_access_tokens').insert({ ...base, id: 'pat_1', token_id: 'bbbbbbbbbbbb' });
  const live = async (table: string) => (await db(table).where({ revoked_at: null })).length;
  await recovery.requestReset('ada@example.com', here);
  await recovery.resetPassword({ token: mailed(people, 'reset-password'), password: next }, here);
  t.strictSame([await live('api_keys'), await live('personal_access_tokens')], [0, 0]);
  await db('api_keys').update({ revoked_at: null });
  await recovery.requestReset('ada@example.com', here);
  await recovery.resetPassword({ token: mailed(people, 'reset-password'), password: `${next}!` }, here);
  t.equal(await live('api_keys'), 1, 'a verified owner who forgot the password keeps what runs');
});

t.test('a password that was replaced opens nothing, however long its proof took', async (t) => {
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
    // the owner's reset is committed after the old password was found right, and before that is acted upon
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

t.test('a first password is set by credentials that may do everything, by no narrow one', async (t) => {
  const { accounts, signIn, login } = await openPeople(t);
  const { id, email } = await accounts.createUser({ email: 'ada@example.com', role: 'user', password: null });
  const set = (hasAllScopes: boolean) =>
    signIn.changePassword(id, { current: null, next }, { actor: here, keepSession: null, hasAllScopes });
  await t.rejects(set(false), { code: 'FORBIDDEN' });
  await set(true);
  await login(email, { password: next });
});

t.test('an address gets five mails an hour, however its accounts come and go', async (t) => {
  const { people } = await registered(t);
  const { signIn, accounts, letters, clock } = people;
  const client = { address: '192.0.2.1', userAgent: null };
  for (let round = 0; round < 8; round++) {
    clock.advance(1);
    const user = (await accounts.listUsers())[0];
    await accounts.delete(user?.id ?? '', here);
    await signIn.register({ email: 'ada@EXAMPLE。com', password, client, actor: here }, 'en');
  }
  t.equal(letters.length, 5, 'and none about deletion or passwords before it is verified');
  t.strictSame(new Set(letters.map(({ to }) => to)), new Set(['ada@example.com']));
});
