import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { from, type People, peopleInTurn } from './_support/people.js';
import { seen } from './_support/sieges.js';

const openPeople = await peopleInTurn(t);
const ada = 'ada@example.com';
const client = { address: '192.0.2.1', userAgent: 'curl/8' };
const by = { client, actor: from(client.address) };

/** A code that is not this one. */
const wrongOf = (code: string | null) => (code === '000000' ? '000001' : '000000');
const login = ({ emailCodeSignIn }: People, code: string | null, more: { otp?: string; email?: string } = {}) =>
  emailCodeSignIn.login({ email: ada, code: code ?? '', ...by, ...more });

async function requestCode(people: People, email = ada): Promise<string | null> {
  await people.emailCodes.request(email, by.actor);
  return people.mailCode();
}

t.test('a mailed code signs in once, within ten minutes, and only the newest does', async (t) => {
  const people = await openPeople(t);
  const { add, clock, db } = people;
  await add(ada);
  const older = await requestCode(people);
  clock.advance(1_000);
  const code = await requestCode(people);
  t.match(code, /^\d{6}$/);
  const kept = JSON.stringify(await db('challenges').select('data', 'secret_hash'));
  t.notMatch(kept, code ?? '', 'the code is not stored in the clear');
  if (older !== code) await t.rejects(login(people, older), { code: 'AUTH_OTP_INVALID' });
  t.match(await login(people, ` ${code?.slice(0, 3)} ${code?.slice(3)} `), { user: { email: ada } });
  t.strictSame(await db('sessions').pluck('methods'), [['email_code']]);
  await t.rejects(login(people, code), { code: 'AUTH_OTP_INVALID', status: 400 }, 'used');
  clock.advance(1_000);
  const late = await requestCode(people);
  clock.advance(600_000);
  await t.rejects(login(people, wrongOf(late)), { code: 'AUTH_OTP_INVALID' });
  await t.rejects(login(people, late), { code: 'AUTH_OTP_EXPIRED', status: 400 }, 'for the right code alone');
  const refused = await db('audit_log').where({ action: 'session.refused' }).select('details');
  t.strictSame(
    refused.map(({ details }) => details.what),
    Array(older === code ? 3 : 4).fill('e-mail code'),
  );
});

t.test('an address gets five codes an hour, an unverified or disabled account none', async (t) => {
  const people = await openPeople(t);
  const { id } = await people.add(ada);
  const codes = [];
  for (let i = 0; i < 6; i++) codes.push(await requestCode(people));
  t.strictSame(
    codes.map((code) => code !== null),
    [true, true, true, true, true, false],
  );
  people.clock.advance(3_600_000);
  await people.db('users').where({ id }).update({ disabled_at: new Date() });
  t.equal(await requestCode(people), null);
  await people.db('users').where({ id }).update({ disabled_at: null, email_verified_at: null });
  t.equal(await requestCode(people), null);
});

t.test('five codes are compared in ten minutes, with the same work for an unknown address', async (t) => {
  const people = await openPeople(t);
  const { add, db, clock } = people;
  await add(ada);
  const watched = async (act: () => Promise<unknown>) => {
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    db.on('query', note);
    const response = await seen(act());
    db.off('query', note);
    return { response, statements };
  };
  const request = (email: string) => watched(() => people.emailCodes.request(email, by.actor));
  t.strictSame(await request('unknown@example.com'), await request(ada), 'a request');
  await people.mailCode();
  clock.advance(1_000);
  const code = await requestCode(people);
  const attempt = (email: string) => watched(() => login(people, wrongOf(code), { email }));
  for (let i = 0; i < 6; i++) {
    const [known, unknown] = [await attempt(ada), await attempt('unknown@example.com')];
    t.strictSame(unknown, known, `try ${i + 1}: the response, and its statements`);
    const expected = i < 5 ? /AUTH_OTP_INVALID/ : /AUTH_OTP_ATTEMPTS_EXCEEDED.*429.*"limit":5,"remaining":0/;
    t.match(known.response, expected);
    // other networks: what one network tries is slowed down in addition
    await db('sign_in_failures').where('key', 'like', 'network%').delete();
  }
  await t.rejects(login(people, code), { code: 'AUTH_OTP_ATTEMPTS_EXCEEDED' }, 'the right one as well');
  clock.advance(600_000);
  t.match(await login(people, await requestCode(people)), { user: { email: ada } });
});

t.test('a second factor is needed after the code, and a wrong one leaves the code unused', async (t) => {
  const people = await openPeople(t);
  const { add, secondFactor, clock } = people;
  const { id } = await add(ada);
  const totp = new TOTP({ secret: Secret.fromBase32((await secondFactor.setUp(id, by.actor)).secret) });
  const otp = () => totp.generate({ timestamp: clock.now() });
  await secondFactor.enable(id, otp(), by.actor);
  clock.advance(60_000);
  const code = await requestCode(people);
  await t.rejects(login(people, code, { otp: '12345' }), { code: 'AUTH_2FA_INVALID' });
  await t.rejects(login(people, code), { code: 'AUTH_2FA_REQUIRED', meta: { factors: ['totp', 'recovery_code'] } });
  clock.advance(60_000);
  const { tokens } = await login(people, await requestCode(people), { otp: otp() });
  t.strictSame(await people.db('sessions').where({ id: tokens.sessionId }).pluck('methods'), [['email_code', 'totp']]);
});

t.test(
  'a code ends what a stranger has in an account whose owner is not proven, and nothing of a proven one',
  async (t) => {
    const people = await openPeople(t);
    const { add, db, letters } = people;
    const { id } = await add(ada);
    const own = await people.login(ada);
    await login(people, await requestCode(people));
    const isLive = async (session: { tokens: { sessionId: string } }) =>
      (await db('sessions').where({ id: session.tokens.sessionId, revoked_at: null })).length === 1;
    t.ok(await isLive(own));
    await db('users').where({ id }).update({ proven_at: null });
    people.clock.advance(1_000);
    const session = await login(people, await requestCode(people));
    t.notOk(await isLive(own), 'it may be a stranger’s');
    t.ok(await isLive(session));
    const data = { passwordSetAt: null, revoked: { sessions: 2 } };
    t.match(letters, [{ template: 'email-code' }, { template: 'account-access', data }]);
    await t.rejects(people.login(ada), { code: 'AUTH_CREDENTIALS_INVALID' }, 'nor does a password of theirs');
    people.clock.advance(1_000);
    await login(people, await requestCode(people));
    t.ok(await isLive(session), 'once: whoever reads the mail is proven');
    t.match(letters, [{ template: 'email-code' }]);
    t.equal(letters.length, 1);
  },
);

t.test('a code confirms a session of an account with neither password nor passkey, and no other', async (t) => {
  const people = await openPeople(t);
  const { add, db, stepUp, clock, sessions } = people;
  const { id: userId } = await add(ada);
  const { tokens } = await people.login(ada);
  const prove = async (code: string | null) => {
    const { freshness } = await sessions.find(tokens.accessToken);
    if (freshness === null || freshness === undefined) throw new Error('a session has a freshness');
    return stepUp.prove({ code: code ?? '' }, { userId, sessionId: tokens.sessionId, freshness, actor: by.actor });
  };
  const withPassword = await prove(await requestCode(people)).catch((error: unknown) => error);
  t.match(withPassword, { code: 'VALIDATION_FAILED', details: { code: [{ message: /confirms by password/ }] } });
  await db('users').where({ id: userId }).update({ password_hash: null });
  clock.advance(1_000);
  const code = await requestCode(people);
  await t.rejects(prove(wrongOf(code)), { code: 'AUTH_OTP_INVALID' });
  t.equal((await prove(code)).getTime(), clock.now() + 600_000);
  await t.rejects(prove(code), { code: 'AUTH_OTP_INVALID' }, 'used');
});
