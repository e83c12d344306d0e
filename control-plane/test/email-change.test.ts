import t from 'tap';
import { from, password, peopleInTurn } from './_support/people.js';

const openPeople = await peopleInTurn(t);
const here = from('192.0.2.1');

/** A user with a session, and the tokens mailed so far. */
async function openAda(t: Parameters<typeof openPeople>[0], isVerified = true) {
  const people = await openPeople(t);
  const { add, login, signIn, letters, emailChange, db } = people;
  const client = { address: '192.0.2.1', userAgent: 'test' };
  const email = 'ada@example.com';
  if (isVerified) await add(email);
  else await signIn.register({ email, password, client, actor: here }, 'en');
  const { tokens, user } = await login(email);
  const session = { userId: user.id, sessionId: tokens.sessionId };
  const mailed = (template: string) =>
    (letters.findLast((letter) => letter.template === template) as unknown as { data: { token: string } }).data.token;
  const request = (to: string) => emailChange.request(user.id, to, { actor: here, sessionId: tokens.sessionId });
  const confirm = (token: string, by: { password?: string; session?: typeof session } = {}) =>
    emailChange.confirm({ token, password: by.password }, { actor: here, session: by.session ?? null });
  const row = () => db('users').where({ id: user.id }).first();
  const live = () => db('sessions').where({ user_id: user.id, revoked_at: null }).pluck('id');
  return { ...people, id: user.id, session, mailed, request, confirm, row, live };
}

t.test(
  'a new address counts once its link is confirmed; what was mailed to the old one ends, and it gets a notice',
  async (t) => {
    const { login, recovery, letters, session, request, confirm, mailed, row, live } = await openAda(t);
    await login('ada@example.com');
    await recovery.requestReset('ada@example.com', here);
    await request('Ada@Example.org');
    t.match(letters.at(-1), { to: 'ada@example.org', template: 'confirm-email' });
    t.match(await row(), { email: 'ada@example.com' }, 'unchanged so far');
    const first = mailed('confirm-email');
    await request('ada@example.net');
    await t.rejects(confirm(first, { session }), { code: 'AUTH_OTP_INVALID' }, 'only the newest link counts');
    const token = mailed('confirm-email');
    await t.rejects(confirm(token, { password: 'wrong horse' }), { code: 'AUTH_CREDENTIALS_INVALID' });
    const tries = await Promise.allSettled(Array.from({ length: 16 }, () => confirm(token, { session })));
    t.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1, 'once');
    t.match(await row(), { email: 'ada@example.net', email_verified_at: Date, proven_at: Date });
    t.match(letters.at(-1), { to: 'ada@example.com', data: { kind: 'email.changed', name: 'ada@example.net' } });
    t.strictSame(await live(), [session.sessionId], 'other sessions ended');
    const reset = recovery.resetPassword({ token: mailed('reset-password'), password: 'a third horse battery' }, here);
    await t.rejects(reset, { code: 'AUTH_OTP_INVALID' });
    t.match(await login('ada@example.net'), { user: { email: 'ada@example.net' } });
  },
);

t.test('a taken address is refused at confirmation, and a late link is', async (t) => {
  const { add, clock, session, request, confirm, mailed, row } = await openAda(t);
  await request('grace@example.com');
  await add('grace@example.com');
  await t.rejects(confirm(mailed('confirm-email'), { session }), { code: 'ACCOUNT_EMAIL_TAKEN' });
  await request('grace@example.com');
  await t.rejects(request('ada@example.com'), { code: 'VALIDATION_FAILED' }, 'the address that it has');
  clock.advance(86_400_000);
  await t.rejects(confirm(mailed('confirm-email'), { session }), { code: 'AUTH_OTP_EXPIRED' });
  t.match(await row(), { email: 'ada@example.com' });
});

t.test('an address that is not verified is replaced at once', async (t) => {
  const { add, id, recovery, request, session, mailed, row, live } = await openAda(t, false);
  await add('grace@example.com');
  await t.rejects(request('grace@example.com'), { code: 'ACCOUNT_EMAIL_TAKEN' });
  const old = mailed('verify-email');
  await request('ada@example.org');
  t.match(await row(), { email: 'ada@example.org', email_verified_at: null });
  t.strictSame(await live(), [session.sessionId]);
  await t.rejects(recovery.verifyEmail(old, here, id), { code: 'AUTH_OTP_INVALID' });
  await recovery.verifyEmail(mailed('verify-email'), here, id);
  t.match(await row(), { email_verified_at: Date });
});

t.test('a reader who confirms the change of another’s account gets all of it by a reset of the password', async (t) => {
  const { id, recovery, request, confirm, mailed, row, live } = await openAda(t);
  t.match(await row(), { proven_at: Date });
  await request('victim@example.com');
  await confirm(mailed('confirm-email'));
  t.match(await row(), { email: 'victim@example.com', proven_at: null }, 'two persons until a proof');
  t.strictSame(await live(), [], 'every session ended');
  await recovery.requestReset('victim@example.com', here);
  await recovery.resetPassword({ token: mailed('reset-password'), password: 'a third horse battery' }, here);
  t.match(await row(), { id, proven_at: Date });
});

t.test('a confirmation with the password of the account proves that its reader owns it', async (t) => {
  const { request, confirm, mailed, row } = await openAda(t);
  await request('ada@example.org');
  await confirm(mailed('confirm-email'), { password });
  t.match(await row(), { email: 'ada@example.org', proven_at: Date });
});
