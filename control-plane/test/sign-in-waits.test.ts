import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { accountWaits, networkWaits } from '../src/modules/accounts/sign-in/sign-in-waits.js';
import { createTestDatabase } from './_support/database.js';
import { from, password, peopleInTurn } from './_support/people.js';
import { besiege, confirm, DAY_MS, mailedToken, mostGuesses, seen } from './_support/sieges.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const openPeople = await peopleInTurn(t);

// random schedules of guesses: sign-in-histories.long.test.ts

const ada = 'ada@example.com';
const home = '198.51.100.7';

t.test(
  'while an account waits, a right and a wrong password get the same response, and the right one is mailed a link',
  async (t) => {
    const people = await openPeople(t);
    const { add, login, db, letters } = people;
    await add(ada);
    await besiege(people, ada);
    const attempt = async (tried: string, address: string) => {
      const statements: string[] = [];
      const note = ({ sql }: { sql: string }) => statements.push(sql);
      db.on('query', note);
      const response = await seen(login(ada, { password: tried, address }));
      db.off('query', note);
      return { response, statements };
    };
    const wrong = await attempt('wrong horse', '198.51.100.1');
    const right = await attempt(password, home);
    t.strictSame(right, wrong, 'the response, and its number of statements');
    t.match(wrong.response, /"RATE_LIMIT_EXCEEDED".*429.*a link that lets you sign in was mailed/);
    t.equal(letters.length, 0, 'the response does not wait for the mail');
    await people.runConfirmations();
    t.match(letters, [{ to: ada, template: 'confirm-sign-in', data: { address: home, expiresMinutes: 30 } }]);
    await confirm(people);
    await login(ada, { address: home });
    const actions = await db('audit_log').orderBy('id').pluck('action');
    // tokens can read it: it must not reveal which of the two passwords was right before the owner has confirmed
    t.strictSame(actions.slice(-4), ['session.refused', 'session.refused', 'session.confirmed', 'session.created']);
  },
);

t.test('over HTTP the responses are the same to the last header, and the mailed link opens the way', async (t) => {
  const mailDir = temporaryDirectory(t);
  const settings = { VANTAGE_MAIL_DIR: mailDir, VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32' };
  const { api, controlPlane, database } = await startStack(t, settings);
  await controlPlane.services.accounts.users.createUser({ email: ada, role: 'user', password });
  // a wait of minutes: one of a second would be over before the second response
  await besiege({ db: database.db, clock: systemClock }, ada, { failures: 110 });
  const login = async (tried: string, address: string) => {
    const headers = { 'x-forwarded-for': address, 'x-request-id': 'request-1' };
    const body = { email: ada, password: tried };
    const answer = await api.call('POST', '/v1/auth/login', { as: null, headers, body });
    // the time of sending, and the duration to the second
    const { date: _, 'retry-after': _seconds, ...rest } = Object.fromEntries(answer.headers);
    return { ...answer, headers: rest };
  };
  const wrong = await login('wrong horse', '198.51.100.1');
  t.equal(wrong.status, 429);
  t.match(wrong.body.error, { code: 'RATE_LIMIT_EXCEEDED', details: { password: [{ code: 'refused' }] } });
  t.strictSame(await login(password, home), wrong);
  const mails = () => readdirSync(mailDir).filter((name) => name.endsWith('.txt'));
  await until('the mail', () => mails().length > 0);
  const mail = readFileSync(join(mailDir, mails()[0] ?? ''), 'utf8');
  const token = /confirm-sign-in#(svc_ch_[\w-]+)/.exec(mail)?.[1];
  t.match(await api.call('POST', '/v1/auth/login/confirm', { as: null, body: { token } }), {
    status: 200,
    body: { data: { message: /^Confirmed/ } },
  });
  t.equal((await login(password, home)).status, 200);
  t.equal(mails().length, 1, 'the wrong one sent none');
});

t.test(
  'a confirmed network signs in for a day whatever others try; its own wrong passwords still make it wait',
  async (t) => {
    const people = await openPeople(t);
    const { add, login, clock, db } = people;
    await add(ada);
    await besiege(people, ada);
    t.match(await seen(login(ada, { address: home })), /mailed/);
    const token = (await mailedToken(people, 'confirm-sign-in')) ?? '';
    const confirmIt = () => people.signInConfirmation.confirm(token, from('203.0.113.9'));
    await t.rejects(
      people.recovery.verifyEmail(token, from(home)),
      { code: 'AUTH_OTP_INVALID' },
      'valid for nothing else',
    );
    const outcomes = await Promise.allSettled([confirmIt(), confirmIt(), confirmIt()]);
    t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1, 'of several at once one succeeds');
    await t.rejects(confirmIt(), { code: 'AUTH_OTP_INVALID' }, 'it works once');
    t.strictSame(
      await db('sign_in_failures').where('key', 'like', 'account%'),
      [],
      'every wait of the account is over',
    );
    await besiege(people, ada);
    t.equal(await seen(login(ada, { address: home })), 'in');
    await db('sessions').delete();
    for (let n = 0; n < 6; n++) t.match(await seen(login(ada, { password: 'wrong', address: home })), /CREDENTIALS/);
    t.match(await seen(login(ada, { address: home })), /RATE_LIMIT_EXCEEDED(?!.*mailed)/);
    clock.advance(60_000);
    t.equal(await seen(login(ada, { address: home })), 'in');
    await db('sessions').delete();
    clock.advance(DAY_MS);
    await besiege(people, ada);
    t.match(await seen(login(ada, { address: home })), /mailed/, 'a day later it asks again');
    const late = (await mailedToken(people, 'confirm-sign-in')) ?? '';
    clock.advance(30 * 60_000);
    await t.rejects(people.signInConfirmation.confirm(late, from(home)), { code: 'AUTH_OTP_EXPIRED' });
  },
);

t.test('strangers cannot keep an owner out of a network they have signed in from before', async (t) => {
  const people = await openPeople(t);
  const { add, login } = people;
  await add(ada);
  await login(ada, { address: '2001:db8:1:2::1' });
  await besiege(people, ada);
  t.match(await seen(login(ada, { address: '2001:db8:1:3::1' })), /mailed/);
  t.equal(await seen(login(ada, { address: '2001:db8:1:2:ffff::1' })), 'in', 'the /64 of the first');
});

t.test('a network known before a password was set by mail is trusted no more after it', async (t) => {
  const people = await openPeople(t);
  const { add, login, recovery, clock } = people;
  await add(ada);
  const earlier = '192.0.2.50';
  await login(ada, { address: earlier });
  clock.advance(1_000);
  await recovery.requestReset(ada, from(home));
  const token = (await mailedToken(people, 'reset-password')) ?? '';
  const next = 'another horse battery staple';
  await recovery.resetPassword({ token, password: next }, from(home));
  await besiege(people, ada);
  t.match(await seen(login(ada, { password: 'wrong horse', address: earlier })), /mailed/, 'it waits like any other');
  await login(ada, { password: next, address: home });
  await besiege(people, ada);
  t.equal(await seen(login(ada, { password: next, address: home })), 'in', 'the owner is known again');
});

t.test('an unverified address gets no such mail; a new password by mail ends every wait', async (t) => {
  const people = await openPeople(t);
  const { signIn, login, recovery, users } = people;
  const [client, actor] = [{ address: '192.0.2.1', userAgent: null }, from('192.0.2.1')];
  const { user } = await signIn.register({ email: ada, password, client, actor }, 'en');
  await besiege(people, ada);
  people.letters.splice(0);
  t.match(await seen(login(ada, { address: home })), /mailed/);
  t.equal(await mailedToken(people, 'confirm-sign-in'), null);
  await recovery.requestReset(ada, from(home));
  const token = (await mailedToken(people, 'reset-password')) ?? '';
  const next = 'another horse battery staple';
  await recovery.resetPassword({ token, password: next }, from(home));
  await besiege(people, ada);
  t.equal(await seen(login(ada, { password: next, address: home })), 'in', 'others continued meanwhile');
  await users.setDisabled(user.id, true, actor);
  t.match(await seen(login(ada, { password: next, address: '203.0.113.1' })), /mailed/);
  t.equal(await mailedToken(people, 'confirm-sign-in'), null, 'a disabled account gets none either');
});

t.test('a guesser gets no new guesses at others by a reset or a confirmation of an account of their own', async (t) => {
  const people = await openPeople(t);
  const { add, login, recovery, clock } = people;
  const mine = 'eve@example.com';
  await add(mine);
  let victims = 0;
  const guess = () => seen(login(`victim${++victims}@example.com`, { password: 'wrong horse', address: home }));
  for (let n = 0; n < 12; n++) {
    t.match(await guess(), /CREDENTIALS/);
    clock.advance(60_000);
  }
  t.match(await guess(), /CREDENTIALS/);
  await recovery.requestReset(mine, from(home));
  const token = (await mailedToken(people, 'reset-password')) ?? '';
  await recovery.resetPassword({ token, password: 'another horse battery staple' }, from(home));
  t.match(await guess(), /RATE_LIMIT_EXCEEDED/);
  clock.advance(59_999);
  t.match(await guess(), /RATE_LIMIT_EXCEEDED/);
  clock.advance(1);
  t.match(await guess(), /CREDENTIALS/);
});

t.test('an unknown account waits like one that exists, and spellings of one address wait together', async (t) => {
  const people = await openPeople(t);
  const { add, login } = people;
  await add('ada@bücher.example');
  await besiege(people, 'ada@xn--bcher-kva.example');
  await besiege(people, 'nobody@xn--bcher-kva.example');
  const responses = new Set<string>();
  for (const email of [
    'ADA@bücher.example ',
    'Ada@BÜCHER.example',
    'ada@xn--bcher-kva.example',
    'NOBODY@bücher.example',
  ]) {
    responses.add(await seen(login(email, { password: 'wrong horse', address: `198.51.100.${responses.size + 1}` })));
  }
  t.equal(responses.size, 1);
  t.match([...responses], [/mailed/]);
});

t.test('of a hundred and fifty guesses at once on two replicas a hundred and one are answered', async (t) => {
  const database = await createTestDatabase(t);
  const replicas = [await openPeople(t, { database }), await openPeople(t, { database })];
  await replicas[0]?.add(ada);
  const guesses = Array.from({ length: 150 }, (_, n) =>
    replicas[n % 2]?.login(ada, { password: 'wrong horse', address: `10.0.${n}.1` }),
  );
  const codes = (await Promise.allSettled(guesses)).map((guess) =>
    guess.status === 'rejected' ? guess.reason.code : 'in',
  );
  t.equal(codes.filter((code) => code === 'AUTH_CREDENTIALS_INVALID').length, accountWaits.freeFailures + 1);
  t.equal(codes.filter((code) => code === 'RATE_LIMIT_EXCEEDED').length, 49);
});

t.test('forms without credentials use up no confirmation; an address gets five of them an hour', async (t) => {
  const people = await openPeople(t);
  const { add, login, recovery, letters } = people;
  await add(ada);
  for (let n = 0; n < 6; n++) await recovery.requestReset(ada, from('10.9.9.9'));
  await besiege(people, ada);
  letters.splice(0);
  for (let n = 1; n <= 6; n++) t.match(await seen(login(ada, { address: `198.51.100.${n}` })), /mailed/);
  await people.runConfirmations();
  t.equal(letters.length, 5);
});

t.test(
  'a caller with credentials is delayed by guesses of other such callers only, and confirms by mail as well',
  async (t) => {
    const people = await openPeople(t);
    const { add, signIn } = people;
    const { id } = await add(ada);
    const by = { actor: from(home), keepSession: null, hasAllScopes: false };
    const change = (current: string, next: string) => signIn.changePassword(id, { current, next }, by);
    await besiege(people, ada);
    await change(password, 'another horse battery staple');
    await besiege(people, ada, { isSignedIn: true });
    const wrong = await seen(change('wrong horse', 'a third horse battery staple'));
    t.match(wrong, /current_password.*mailed/);
    people.letters.splice(0);
    t.equal(await seen(change('another horse battery staple', 'a third horse battery staple')), wrong);
    await confirm(people);
    await change('another horse battery staple', 'a third horse battery staple');
  },
);

t.test('a network gets 1 450 guesses in its first day, and an account 205, from any number of networks', async (t) => {
  t.equal(mostGuesses(networkWaits, DAY_MS - 1), 1_450);
  t.equal(mostGuesses(accountWaits, DAY_MS - 1), 205);
});
