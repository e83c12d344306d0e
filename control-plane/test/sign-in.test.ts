import { verify } from '@node-rs/argon2';
import t from 'tap';
import { PasswordHasher } from '../src/modules/accounts/passwords/passwords.js';
import { from, password, peopleInTurn, publicUrl } from './_support/people.js';

const openPeople = await peopleInTurn(t);
const wrong = { code: 'AUTH_CREDENTIALS_INVALID', status: 401 };
const client = { address: '192.0.2.1', userAgent: 'curl/8' };

t.test('a new user is signed in and gets a mail that verifies the address, in their language', async (t) => {
  const { signIn, letters, db, users } = await openPeople(t, { isCostFull: true });
  const request = { email: ' Ada@Example.COM', password, client, actor: from(client.address) };
  const { tokens, user } = await signIn.register(request, 'zh-TW');
  t.match(user, { id: /^u_/, email: 'ada@example.com', email_verified: false, has_password: true, locale: 'tw' });
  t.match(tokens, { userId: user.id, expiresInSeconds: 900, sessionId: /^ses_/, refreshToken: /^svc_rt_/ });
  t.match(letters, [
    {
      to: 'ada@example.com',
      locale: 'zh-TW',
      template: 'verify-email',
      data: { link: new RegExp(`^${publicUrl}/verify-email#svc_ch_`), expiresHours: 24 },
    },
  ]);
  const [row] = await db('users').join('owners', 'owners.id', 'users.id').select('plan', 'role', 'password_hash');
  t.match(row, { plan: 'free', role: 'user', password_hash: /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/ });
  t.equal(await verify(row.password_hash, password), true);
  const acts = db('audit_log').where({ account_id: user.id }).orderBy('id').pluck('action');
  t.strictSame(await acts, ['account.registered', 'session.created']);
  await t.rejects(signIn.register({ ...request, email: 'ADA@example.com' }, 'en'), { code: 'ACCOUNT_EMAIL_TAKEN' });
  t.equal((await users.listUsers()).length, 1);
});

t.test('a refused registration leaves nothing behind', async (t) => {
  const { signIn, db, letters, breakMail } = await openPeople(t);
  const request = { client, actor: from(client.address) };
  for (const [email, tried, code] of [
    ['ada@example.com', '1234567', 'AUTH_PASSWORD_WEAK'],
    ['ada@example.com', 'password123', 'AUTH_PASSWORD_WEAK'],
    ['ada.lovelace@example.com', 'Ada.Lovelace', 'AUTH_PASSWORD_WEAK'],
    ['ada', password, 'VALIDATION_FAILED'],
  ] as const) {
    await t.rejects(signIn.register({ email, password: tried, ...request }, 'en'), { code }, `${email} ${tried}`);
  }
  breakMail();
  const failing = signIn.register({ email: 'ada@example.com', password, ...request }, 'en');
  await t.rejects(failing, { message: 'no mail' }, 'the last failure undoes everything before it');
  for (const table of ['users', 'sessions', 'refresh_tokens', 'challenges'])
    t.strictSame(await db(table).select(), [], table);
  t.strictSame(letters, []);
  const closed = await openPeople(t, { isRegistrationOpen: false });
  const refused = closed.signIn.register({ email: 'ada@example.com', password, ...request }, 'en');
  await t.rejects(refused, { code: 'FORBIDDEN', details: { registration: [{ code: 'refused' }] } });
});

t.test('a wrong password, an unknown account and an account without a password get the same response', async (t) => {
  const { users, add, login, db } = await openPeople(t);
  await add('ada@example.com');
  await users.createUser({ email: 'token@example.com', role: 'user', password: null });
  const answers: unknown[] = [];
  for (const email of ['ada@example.com', 'nobody@example.com', 'token@example.com']) {
    await t.rejects(login(email, { password: 'wrong horse' }), wrong, email);
    await login(email, { password: 'wrong horse' }).catch(({ code, status, details, headers }) =>
      answers.push({ code, status, details, headers }),
    );
  }
  t.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
  t.equal((await db('audit_log').where({ action: 'session.refused' })).length, 6, 'each writes one line');
  t.match(
    await login('ADA@example.com ', { address: '198.51.100.7' }),
    { user: { email: 'ada@example.com' } },
    'the right one signs in',
  );
});

t.test(
  'a disabled account does not sign in, and one with an unverified address only where that is allowed',
  async (t) => {
    const people = await openPeople(t, { needsVerifiedEmail: true });
    const { users, signIn, login, letters, recovery } = people;
    const actor = from('192.0.2.1');
    const { user } = await signIn.register({ email: 'ada@example.com', password, client, actor }, 'en');
    await t.rejects(login('ada@example.com'), { code: 'AUTH_EMAIL_NOT_VERIFIED', status: 403 });
    const [letter] = letters;
    await recovery.verifyEmail(letter?.template === 'verify-email' ? letter.data.token : '', actor);
    await login('ada@example.com');
    await users.setDisabled(user.id, true, actor);
    await t.rejects(login('ada@example.com'), { code: 'AUTH_ACCOUNT_DISABLED', status: 403 });
    await t.rejects(
      login('ada@example.com', { password: 'wrong horse' }),
      wrong,
      'a caller without the password learns nothing',
    );
    await users.setDisabled(user.id, false, actor);
    await login('ada@example.com');
  },
);

t.test('from the sixth wrong password on each try has to wait twice as long, a minute at most', async (t) => {
  const { add, login, clock } = await openPeople(t);
  await add('ada@example.com');
  const guess = () => login('ada@example.com', { password: 'wrong horse' });
  for (let tries = 1; tries <= 6; tries++) await t.rejects(guess(), wrong, `try ${tries} is judged`);
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    clock.advance(seconds * 1_000 - 1);
    await t.rejects(guess(), { code: 'RATE_LIMIT_EXCEEDED', status: 429, allowance: { remaining: 0 } }, `${seconds} s`);
    clock.advance(1);
    await t.rejects(guess(), wrong, `after ${seconds} s it is judged`);
  }
  clock.advance(60_000);
  await login('ada@example.com');
  await t.rejects(guess(), wrong, 'the right password clears the failures');
  await login('ada@example.com');
});

t.test('a network that guesses every two seconds keeps the owner out of no other network', async (t) => {
  const { add, login, clock } = await openPeople(t);
  await add('ada@example.com');
  const outcomes: string[] = [];
  for (let network = 1; network <= 20; network++) {
    for (let tries = 0; tries < 10; tries++) {
      await login('ada@example.com', { password: 'wrong horse' }).catch(() => {});
      clock.advance(2_000);
    }
    const attempt = login('ada@example.com', { address: `198.51.100.${network}` });
    outcomes.push(await attempt.then(() => 'in').catch(({ code }) => code));
  }
  t.strictSame(outcomes, Array(20).fill('in'), 'the right password from a new network each time');
});

t.test('one address that guesses at many accounts has to wait, and its /64 with it', async (t) => {
  const { add, login } = await openPeople(t);
  await add('ada@example.com');
  for (let tries = 1; tries <= 6; tries++) {
    const guess = login(`user${tries}@example.com`, { password: 'wrong horse', address: `2001:db8:1:2::${tries}` });
    await t.rejects(guess, wrong);
  }
  const same = login('ada@example.com', { address: '2001:db8:1:2:ffff::1' });
  await t.rejects(same, { code: 'RATE_LIMIT_EXCEEDED' });
  await login('ada@example.com', { address: '2001:db8:1:3::1' });
});

t.test('forty guesses at once are counted one after another', async (t) => {
  const { add, login } = await openPeople(t);
  await add('ada@example.com');
  const guesses = Array.from({ length: 40 }, () => login('ada@example.com', { password: 'wrong horse' }));
  const codes = (await Promise.allSettled(guesses)).map((result) =>
    result.status === 'rejected' ? result.reason.code : 'in',
  );
  t.equal(codes.filter((code) => code === 'AUTH_CREDENTIALS_INVALID').length, 6);
  t.equal(codes.filter((code) => code === 'RATE_LIMIT_EXCEEDED').length, 34);
});

t.test('a wrong password costs the same work whether the account exists or not', async (t) => {
  const { add, login, db } = await openPeople(t);
  await add('ada@example.com');
  const workOf = async (email: string, address: string) => {
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    const compare = PasswordHasher.prototype.isSame;
    PasswordHasher.prototype.isSame = function count(this: PasswordHasher, passwordHash, tried) {
      statements.push('a comparison');
      return compare.call(this, passwordHash, tried);
    };
    db.on('query', note);
    await t.rejects(login(email, { password: 'wrong horse', address }), wrong);
    db.off('query', note);
    PasswordHasher.prototype.isSame = compare;
    return statements;
  };
  const known = await workOf('ada@example.com', '192.0.2.1');
  t.strictSame(await workOf('nobody@example.com', '192.0.2.2'), known);
  t.ok(known.includes('a comparison'));
});

t.test('a guesser at other accounts gets no new tries by signing in to an account of their own', async (t) => {
  const { add, login } = await openPeople(t);
  await add('eve@example.com');
  for (const victim of ['a', 'b', 'c', 'd', 'e']) {
    await t.rejects(login(`${victim}@example.com`, { password: 'wrong horse' }), wrong);
  }
  await login('eve@example.com');
  await t.rejects(login('f@example.com', { password: 'wrong horse' }), wrong);
  await t.rejects(login('g@example.com', { password: 'wrong horse' }), { code: 'RATE_LIMIT_EXCEEDED' });
});

t.test('the failures of an owner who mistypes at home are cleared by the right password', async (t) => {
  const { add, login } = await openPeople(t);
  await add('ada@example.com');
  for (let day = 0; day < 4; day++) {
    for (let n = 0; n < 4; n++) await t.rejects(login('ada@example.com', { password: 'wrong horse' }), wrong);
    await login('ada@example.com');
  }
});
