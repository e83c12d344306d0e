import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import type { Sessions } from '../src/modules/accounts/sessions/sessions.js';
import { lockWaits } from './_support/lock-waits.js';
import { from, peopleInTurn } from './_support/people.js';

const openPeople = await peopleInTurn(t);
const over = { code: 'AUTH_SESSION_INVALID', status: 401 };
const somewhere = from('192.0.2.1');
const stateOf = async (sessions: Sessions, token: string) => (await sessions.find(token)).refusal;

t.test('a refresh token is used up by its use, and the session continues with the next one', async (t) => {
  const { add, login, sessions, clock } = await openPeople(t);
  await add('ada@example.com');
  const { tokens } = await login('ada@example.com');
  let { refreshToken } = tokens;
  for (let round = 0; round < 3; round++) {
    clock.advance(15 * 60_000);
    const next = await sessions.refresh(refreshToken, somewhere);
    t.match(next, { userId: tokens.userId, sessionId: tokens.sessionId, expiresInSeconds: 900 });
    t.not(next.refreshToken, refreshToken);
    t.equal(await stateOf(sessions, next.accessToken), null);
    refreshToken = next.refreshToken;
  }
  t.equal((await sessions.list(tokens.userId)).length, 1);
});

t.test('a used refresh token ends the whole session, for the thief and for the owner', async (t) => {
  const { add, login, sessions, clock, db, revoked } = await openPeople(t);
  await add('ada@example.com');
  const { tokens } = await login('ada@example.com');
  const other = await login('ada@example.com');
  const second = await sessions.refresh(tokens.refreshToken, somewhere);
  const third = await sessions.refresh(second.refreshToken, somewhere);
  clock.advance(1_000);
  await t.rejects(sessions.refresh(tokens.refreshToken, somewhere), over, 'its successor was used: no grace');
  await t.rejects(sessions.refresh(third.refreshToken, somewhere), over, 'the live token died with it');
  t.equal(await stateOf(sessions, third.accessToken), 'AUTH_SESSION_INVALID');
  t.ok(revoked.includes(tokens.userId), 'replicas are notified');
  t.match(await db('audit_log').where({ action: 'session.reuse_detected' }), [{ subject: tokens.sessionId }]);
  await sessions.refresh(other.tokens.refreshToken, somewhere);
});

t.test('a lost response can be requested again within ten seconds, and not a moment later', async (t) => {
  const { add, login, sessions, clock } = await openPeople(t);
  await add('ada@example.com');
  const lost = await login('ada@example.com');
  const unread = await sessions.refresh(lost.tokens.refreshToken, somewhere);
  clock.advance(5_000);
  const again = await sessions.refresh(lost.tokens.refreshToken, somewhere);
  clock.advance(5_000);
  const third = await sessions.refresh(lost.tokens.refreshToken, somewhere);
  t.equal(new Set([unread, again, third].map(({ refreshToken }) => refreshToken)).size, 3);
  clock.advance(1);
  await t.rejects(sessions.refresh(lost.tokens.refreshToken, somewhere), over, 'the grace counts from the first use');
  await t.rejects(sessions.refresh(third.refreshToken, somewhere), over);
});

t.test('of the responses within the grace only the last one is valid', async (t) => {
  const { add, login, sessions, clock } = await openPeople(t);
  await add('ada@example.com');
  const { tokens } = await login('ada@example.com');
  const unread = await sessions.refresh(tokens.refreshToken, somewhere);
  const again = await sessions.refresh(tokens.refreshToken, somewhere);
  const next = await sessions.refresh(again.refreshToken, somewhere);
  clock.advance(60_000);
  await t.rejects(
    sessions.refresh(unread.refreshToken, somewhere),
    over,
    'a thief with the first response is detected',
  );
  await t.rejects(sessions.refresh(next.refreshToken, somewhere), over);
});

t.test('many simultaneous refreshes with one token all succeed in turn, and one token lives', async (t) => {
  const { add, login, sessions, db } = await openPeople(t);
  await add('ada@example.com');
  const { tokens } = await login('ada@example.com');
  const rounds = await Promise.all(Array.from({ length: 8 }, () => sessions.refresh(tokens.refreshToken, somewhere)));
  t.equal(new Set(rounds.map(({ refreshToken }) => refreshToken)).size, 8);
  t.equal((await db('refresh_tokens').whereNull('replaced_at')).length, 1);
});

t.test('a session ends by logout, by its owner elsewhere, and a month after its last refresh', async (t) => {
  const { add, login, sessions, clock } = await openPeople(t);
  const ada = await add('ada@example.com');
  const eve = await add('eve@example.com');
  const [first, second, third] = [await login(ada.email), await login(ada.email), await login(ada.email)];
  const theirs = await login(eve.email);
  await sessions.end(ada.id, first.tokens.sessionId, { actor: somewhere, isLogout: true });
  const foreign = sessions.end(ada.id, theirs.tokens.sessionId, { actor: somewhere, isLogout: false });
  await t.rejects(foreign, { code: 'NOT_FOUND' }, 'the session of another account does not exist');
  await sessions.endAllBut(ada.id, third.tokens.sessionId, somewhere);
  const states = [first, second, third, theirs].map(({ tokens }) => stateOf(sessions, tokens.accessToken));
  t.strictSame(await Promise.all(states), ['AUTH_SESSION_INVALID', 'AUTH_SESSION_INVALID', null, null]);
  await t.rejects(sessions.refresh(second.tokens.refreshToken, somewhere), over);
  clock.advance(30 * 24 * 3_600_000 - 1);
  const last = await sessions.refresh(third.tokens.refreshToken, somewhere);
  clock.advance(30 * 24 * 3_600_000);
  await t.rejects(sessions.refresh(last.refreshToken, somewhere), over);
  t.strictSame(await sessions.list(ada.id), []);
});

t.test('sessions of an account that was disabled or deleted are over for good', async (t) => {
  const { add, login, sessions, users } = await openPeople(t);
  const ada = await add('ada@example.com');
  const { tokens } = await login(ada.email);
  await users.setDisabled(ada.id, true, somewhere);
  await t.rejects(sessions.refresh(tokens.refreshToken, somewhere), over);
  await users.setDisabled(ada.id, false, somewhere);
  await t.rejects(sessions.refresh(tokens.refreshToken, somewhere), over);
  t.equal(await stateOf(sessions, tokens.accessToken), 'AUTH_SESSION_INVALID');
  t.strictSame(await sessions.list(ada.id), []);
  const { tokens: later } = await login(ada.email);
  await users.delete(ada.id, somewhere);
  await t.rejects(sessions.refresh(later.refreshToken, somewhere), over);
});

t.test('a session that is being opened while its account is disabled is over, too', async (t) => {
  const { add, db, sessions, users } = await openPeople(t);
  const ada = await add('ada@example.com');
  const client = { address: '192.0.2.1', userAgent: null };
  const disabled = await db.transaction(async (trx) => {
    // as signing in does it
    await trx('users').where({ id: ada.id }).forNoKeyUpdate().select('id');
    await sessions.open(trx, ada.id, { methods: ['password'], client });
    const disabling = users.setDisabled(ada.id, true, somewhere);
    await until('the act waits', async () => (await lockWaits(db)) > 0);
    return { disabling };
  });
  await disabled.disabling;
  t.strictSame(await sessions.list(ada.id), []);
});

t.test('an invalid refresh token is refused, whatever it is', async (t) => {
  const { add, login, sessions } = await openPeople(t);
  await add('ada@example.com');
  const { tokens } = await login('ada@example.com');
  const last = tokens.refreshToken.at(-1) === 'A' ? 'B' : 'A';
  for (const token of ['', 'svc_rt_', tokens.accessToken, tokens.refreshToken.slice(0, -1) + last]) {
    await t.rejects(sessions.refresh(token, somewhere), over);
  }
  await sessions.refresh(tokens.refreshToken, somewhere);
});
