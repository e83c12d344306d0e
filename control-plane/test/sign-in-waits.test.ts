import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import { type Clock, systemClock } from '@vantage/shared/clock.js';
import fc from 'fast-check';
import t from 'tap';
import { ApiError } from '../src/http/errors.js';
import { accountKey } from '../src/modules/accounts/sign-in/sign-in-keys.js';
import { SignInThrottle } from '../src/modules/accounts/sign-in/sign-in-throttle.js';
import { accountWaits, delayAfterMs, networkWaits, type Waits } from '../src/modules/accounts/sign-in/sign-in-waits.js';
import { deleteOutdated } from '../src/modules/accounts/upkeep.js';
import { cheapHasher } from './_support/cheap-hasher.js';
import { createTestDatabase } from './_support/database.js';
import { from, openPeople, type People, password } from './_support/people.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const ada = 'ada@example.com';
const home = '198.51.100.7';
const DAY_MS = 24 * 3_600_000;

let sieges = 0;

/** One wrong password more than it takes for an account to wait as a whole. */
async function besiege(
  people: { db: People['db']; clock: Clock },
  email: string,
  { isSignedIn = false, failures = accountWaits.freeFailures } = {},
): Promise<void> {
  const { db, clock } = people;
  await seed(people, email, { failures, by: isSignedIn ? 'holders' : 'strangers' });
  const attempt = { email, address: `100.64.0.${++sieges}`, isKnownNetwork: false, isSignedIn };
  await new SignInThrottle(db, clock).begin(attempt);
}

/** Number of failures counted for an account as a whole. */
async function seed(
  { db, clock }: { db: People['db']; clock: Clock },
  email: string,
  { failures, by = 'strangers' }: { failures: number; by?: 'strangers' | 'holders' },
): Promise<void> {
  if (failures === 0) return;
  const row = { key: `${accountKey(email)} by ${by}`, failures, failed_at: new Date(clock.now()), blocked_until: null };
  await db('sign_in_failures').insert(row).onConflict('key').merge();
}

/** The visible part of a response to an attempt. */
async function seen(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'in';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, status, details, allowance, headers, retryAfterSeconds } = error;
    return JSON.stringify({ code, status, details, allowance, headers, retryAfterSeconds });
  }
}

/** Token of the last mail of a template, once the jobs are done; null if none was sent since the last call. */
async function mailedToken(people: People, template: 'confirm-sign-in' | 'reset-password'): Promise<string | null> {
  await people.runConfirmations();
  const letter = people.letters.splice(0).findLast((candidate) => candidate.template === template);
  return letter?.template === 'confirm-sign-in' || letter?.template === 'reset-password' ? letter.data.token : null;
}

async function confirm(people: People): Promise<void> {
  await people.signInConfirmation.confirm((await mailedToken(people, 'confirm-sign-in')) ?? '', from('203.0.113.9'));
}

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

/** Greatest number of guesses that waits allow in a time. */
function mostGuesses(waits: Waits, elapsedMs: number, before = 0): number {
  let guesses = 0;
  for (let restMs = elapsedMs; restMs >= 0; guesses++) restMs -= delayAfterMs(before + guesses + 1, waits);
  return guesses + waits.freeFailures * Math.floor(elapsedMs / DAY_MS);
}

t.test('a network gets 1 450 guesses in its first day, and an account 205, from any number of networks', async (t) => {
  t.equal(mostGuesses(networkWaits, DAY_MS - 1), 1_450);
  t.equal(mostGuesses(accountWaits, DAY_MS - 1), 205);
});

type Step =
  | { readonly kind: 'guess'; readonly network: number; readonly count: number }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'siege' }
  | { readonly kind: 'owner'; readonly way: 'new network' | 'known network' | 'reset' };

const NETWORKS = 12;
const guessStep = fc.record({
  kind: fc.constant('guess' as const),
  network: fc.nat(NETWORKS - 1),
  count: fc.integer({ min: 1, max: 4 }),
});
const waitStep = fc.record({
  kind: fc.constant('wait' as const),
  seconds: fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 70 }), weight: 5 },
    { arbitrary: fc.constantFrom(900, 3_600, 90_000), weight: 1 },
  ),
});
const ownerStep = fc.record({
  kind: fc.constant('owner' as const),
  way: fc.constantFrom('new network' as const, 'new network' as const, 'known network' as const, 'reset' as const),
});
const schedule = fc.record({
  before: fc.constantFrom(0, 95, 100, 112),
  steps: fc.array(
    fc.oneof(
      { arbitrary: guessStep as fc.Arbitrary<Step>, weight: 6 },
      { arbitrary: waitStep as fc.Arbitrary<Step>, weight: 3 },
      { arbitrary: ownerStep as fc.Arbitrary<Step>, weight: 2 },
      { arbitrary: fc.constant<Step>({ kind: 'siege' }), weight: 1 },
    ),
    { minLength: 10, maxLength: 30 },
  ),
});

/** Owners who sign in while the account waits, in each way. */
const surrounded: { readonly before: number; readonly steps: readonly Step[] } = {
  before: 112,
  steps: (['new network', 'known network', 'reset', 'new network'] as const).flatMap(
    (way, network): readonly Step[] => [
      { kind: 'wait', seconds: 900 },
      { kind: 'guess', network, count: 4 },
      { kind: 'owner', way },
    ],
  ),
};

/** The owner, with nothing but the right password and the mailbox. @returns the number of passwords needed */
async function ownerGetsIn(people: People, email: string, owner: { secret: string; address: string }): Promise<number> {
  const { login } = people;
  people.letters.splice(0);
  if ((await seen(login(email, { password: owner.secret, address: owner.address }))) === 'in') return 1;
  await confirm(people);
  await login(email, { password: owner.secret, address: owner.address });
  return 2;
}

t.test(
  'whatever others try, an owner signs in with two passwords and a mail, and guesses stay within their limits',
  async (t) => {
    const people = await openPeople(t);
    const { add, login, clock, db, recovery } = people;
    let runs = 0;
    let owners = 0;
    let byMail = 0;
    const run = async ({ before, steps }: { before: number; steps: readonly Step[] }) => {
      const email = `owner${++runs}@example.com`;
      const known = `172.16.${runs}.1`;
      let secret = password;
      await add(email);
      await login(email, { address: known });
      await db('sign_in_failures').delete();
      await seed(people, email, { failures: before });
      const startedAt = clock.now();
      let lastOwnerAt = 0;
      // a password by mail makes every network a new one
      let isKnown = true;
      let besiegers = 0;
      const looked = new Map<number, number>();
      let clear = { at: startedAt, answered: 0, before };
      for (const step of steps) {
        if (step.kind === 'wait') clock.advance(step.seconds * 1_000);
        if (step.kind === 'siege') {
          besiegers++;
          await besiege(people, email, { failures: 110 });
          clear = { at: clock.now(), answered: 1, before: 110 };
        }
        if (step.kind === 'guess') {
          const address = `10.${runs}.${step.network}.1`;
          for (let n = 0; n < step.count; n++) {
            const response = await seen(login(email, { password: 'wrong horse', address }));
            if (/CREDENTIALS|mailed/.test(response)) looked.set(step.network, (looked.get(step.network) ?? 0) + 1);
            if (/CREDENTIALS/.test(response)) clear.answered++;
          }
        }
        if (step.kind === 'owner') {
          // five mails an hour: an owner who signs in more often than that has sessions
          clock.advance(Math.max(0, lastOwnerAt + 721_000 - clock.now()));
          lastOwnerAt = clock.now();
          const address = step.way === 'known network' ? known : `172.20.${runs}.${++owners % 250}`;
          if (step.way === 'reset') {
            people.letters.splice(0);
            await recovery.requestReset(email, from(address));
            const token = (await mailedToken(people, 'reset-password')) ?? '';
            secret = `${secret}!`;
            await recovery.resetPassword({ token, password: secret }, from(address));
          }
          const passwords = await ownerGetsIn(people, email, { secret, address });
          const isNew = step.way === 'new network' || (step.way === 'known network' && !isKnown);
          isKnown = step.way === 'known network' || (step.way === 'new network' && isKnown);
          if (passwords > (isNew ? 2 : 1)) throw new Error(`${step.way}: ${passwords} passwords`);
          if (passwords === 2) byMail++;
          if (passwords === 2 || step.way === 'reset') clear = { at: clock.now(), answered: 0, before: 0 };
        }
        const now = clock.now();
        const mostAnswered = mostGuesses(accountWaits, now - clear.at, clear.before);
        if (clear.answered > mostAnswered) throw new Error(`${clear.answered} of ${mostAnswered} guesses answered`);
        const mostLooked = mostGuesses(networkWaits, now - startedAt);
        for (const [network, count] of looked) {
          if (count > mostLooked) throw new Error(`network ${network}: ${count} of ${mostLooked} guesses evaluated`);
        }
        const rows = (await db('sign_in_failures')).length;
        if (rows > 2 * (looked.size + besiegers) + 1) throw new Error(`${rows} rows for ${looked.size} networks`);
      }
      clock.advance(DAY_MS);
      await deleteOutdated(db, clock.now() + 1);
      const left = [...(await db('sign_in_failures')), ...(await db('sign_in_passes'))];
      if (left.length > 0) throw new Error(`${left.length} rows left after a day`);
    };
    await fc.assert(fc.asyncProperty(schedule, run), { numRuns: 8, examples: [[surrounded]] });
    t.ok(byMail > 0, `${owners} owners in ${runs} schedules, ${byMail} by mail`);
  },
);

t.test('guesses during a wait of the account reveal nothing, at once or later', async (t) => {
  const people = await openPeople(t);
  const { add, login, clock, db } = people;
  let runs = 0;
  let rightOnes = 0;
  const attack = fc.array(fc.oneof(guessStep as fc.Arbitrary<Step>, waitStep as fc.Arbitrary<Step>), {
    minLength: 10,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(attack, async (steps) => {
      runs++;
      const twins = [`a${runs}@example.com`, `b${runs}@example.com`] as const;
      const [hit, missed] = twins;
      for (const email of twins) {
        await add(email);
        await seed(people, email, { failures: 102 });
      }
      await db('users')
        .where({ email: missed })
        .update({ password_hash: await cheapHasher().hash('something else') });
      const key = `${accountKey(hit)} by strangers`;
      for (const step of steps) {
        if (step.kind === 'wait') clock.advance(step.seconds * 1_000);
        for (let n = 0; step.kind === 'guess' && n < step.count; n++) {
          const row = await db('sign_in_failures').where({ key }).first();
          const isHeld = row?.blocked_until?.getTime() > clock.now();
          if (isHeld) rightOnes++;
          const tried = { password: isHeld ? password : 'wrong horse' };
          const inOne = await seen(login(hit, { ...tried, address: `10.${runs}.${step.network}.1` }));
          const inOther = await seen(login(missed, { ...tried, address: `11.${runs}.${step.network}.1` }));
          if (inOne !== inOther) throw new Error(`${inOne} is not ${inOther}`);
        }
      }
    }),
    { numRuns: 6 },
  );
  t.ok(rightOnes > 0, `${rightOnes} right passwords among the guesses of ${runs} schedules`);
});
