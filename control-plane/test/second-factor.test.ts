import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { from, password, peopleInTurn } from './_support/people.js';

const openPeople = await peopleInTurn(t);
const client = { address: '192.0.2.1', userAgent: 'curl/8' };
const by = { client, actor: from(client.address) };
const stranger = { client: { ...client, address: '198.51.100.9' }, actor: from('198.51.100.9') };

/** A user with a second factor, who signs in from the network of `by`; codes are those of the app. */
async function openProtected(t: Parameters<typeof openPeople>[0]) {
  const people = await openPeople(t);
  const { clock, secondFactor, signIn } = people;
  const { id } = await people.add('ada@example.com');
  await people.login('ada@example.com', { address: client.address });
  const { secret } = await secondFactor.setUp(id, by.actor);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = (steps = 0) => totp.generate({ timestamp: clock.now() + steps * 30_000 });
  const recoveryCodes = await secondFactor.enable(id, code(), by.actor);
  clock.advance(60_000);
  const login = (otp?: string, who = by) => signIn.login({ email: 'ada@example.com', password, otp, ...who });
  const challenge = async (who = by): Promise<string> =>
    login(undefined, who).then(
      () => '',
      ({ meta }: { meta: { challenge: string } }) => meta.challenge,
    );
  return { ...people, id, code, recoveryCodes, login, challenge };
}

t.test('with a second factor the right password gets a challenge, which one code completes once', async (t) => {
  const { completion, code, login, challenge, db } = await openProtected(t);
  await t.rejects(login(), {
    code: 'AUTH_2FA_REQUIRED',
    status: 401,
    meta: { challenge: /^svc_ch_/, factors: ['totp', 'recovery_code'], expires_in: 600 },
  });
  const token = await challenge();
  await t.rejects(completion.answer({ challenge: token, otp: '000000' }, by), { code: 'AUTH_2FA_INVALID' });
  t.match(await completion.answer({ challenge: token, otp: code() }, by), { user: { email: 'ada@example.com' } });
  const again = completion.answer({ challenge: token, otp: code(1) }, by);
  await t.rejects(again, { code: 'AUTH_SESSION_INVALID' }, 'used up');
  const [session] = await db('sessions').orderBy('id', 'desc').limit(1);
  t.strictSame(session.methods, ['password', 'totp']);
  t.match(await login(code(1)), { user: { email: 'ada@example.com' } }, 'with the login at once');
  await t.rejects(login('12345'), { code: 'AUTH_2FA_INVALID' });
});

t.test('a code of the app, a recovery code and a challenge work once, however many send them at once', async (t) => {
  const { code, recoveryCodes, completion, clock, login, challenge } = await openProtected(t);
  const networks = Array.from({ length: 5 }, (_, i) => `198.51.100.${i + 1}`);
  /** Number of attempts from five networks at once that succeed. */
  const winners = async (attempt: (who: typeof by, i: number) => Promise<unknown>) => {
    const tries = networks.map((address, i) => attempt({ client: { ...client, address }, actor: from(address) }, i));
    return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length;
  };
  const now = code();
  t.equal(await winners((who) => login(now, who)), 1, 'a step');
  const [recovery = ''] = recoveryCodes;
  t.equal(await winners((who) => login(recovery.toUpperCase(), who)), 1, 'a recovery code');
  clock.advance(3_600_000);
  const token = await challenge();
  const answers = [code(-1), code(), code(1), ...recoveryCodes.slice(1, 3)];
  const answer = (who: typeof by, i: number) => completion.answer({ challenge: token, otp: answers[i] ?? '' }, who);
  t.equal(await winners(answer), 1, 'a challenge');
});

t.test('a pending sign-in ends after five wrong codes, after ten minutes and with a new password', async (t) => {
  const { id, code, completion, clock, challenge, signIn } = await openProtected(t);
  const answer = (token: string, otp: string) => completion.answer({ challenge: token, otp }, by);
  const guessed = await challenge();
  for (let i = 0; i < 5; i++) await t.rejects(answer(guessed, '000000'), { code: 'AUTH_2FA_INVALID' });
  await t.rejects(answer(guessed, code()), { code: 'AUTH_SESSION_INVALID' });
  clock.advance(60_000);
  const late = await challenge();
  clock.advance(600_000);
  await t.rejects(answer(late, code()), { code: 'AUTH_SESSION_INVALID' });
  const early = await challenge();
  const change = { current: password, next: 'another horse battery staple' };
  await signIn.changePassword(id, change, { actor: by.actor, keepSession: null, hasAllScopes: true });
  await t.rejects(answer(early, code()), { code: 'AUTH_SESSION_INVALID' });
  await t.rejects(answer('svc_ch_nonsense', code()), { code: 'AUTH_SESSION_INVALID' });
});

t.test('guessing codes with the right password slows down, and the owner still gets in', async (t) => {
  const { code, login } = await openProtected(t);
  for (let i = 0; i < 6; i++) await t.rejects(login('000000', stranger), { code: 'AUTH_2FA_INVALID' });
  await t.rejects(login('000000', stranger), { code: 'RATE_LIMIT_EXCEEDED' }, 'each right password resets nothing');
  t.match(await login(code()), { user: { email: 'ada@example.com' } });
});

t.test(
  'codes that oathtool computes from the secret enable a second factor and sign in',
  { skip: missing('oathtool') },
  async (t) => {
    const { add, secondFactor, signIn, clock } = await openPeople(t);
    const { id, email } = await add('ben@example.com');
    const { secret } = await secondFactor.setUp(id, by.actor);
    const code = async () => {
      const now = new Date(clock.now()).toISOString().replace('T', ' ').replace(/\..*/, ' UTC');
      const { stdout } = await promisify(execFile)('oathtool', ['--totp', '--base32', `--now=${now}`, secret]);
      return stdout.trim();
    };
    await secondFactor.enable(id, await code(), by.actor);
    clock.advance(30_000);
    t.match(await signIn.login({ email, password, otp: await code(), ...by }), { user: { email } });
  },
);

t.test('what was set up counts only after a code confirmed it, within half an hour', async (t) => {
  const { add, secondFactor, clock, db, letters } = await openPeople(t);
  const { id } = await add('ben@example.com');
  await t.rejects(secondFactor.enable(id, '000000', by.actor), { code: 'CONFLICT' }, 'nothing was set up');
  const first = await secondFactor.setUp(id, by.actor);
  const { secret, otpauthUrl } = await secondFactor.setUp(id, by.actor);
  t.match(otpauthUrl, /^otpauth:\/\/totp\/.*ben%40example\.com\?.*issuer=Vantage/);
  const codeOf = (base32: string) =>
    new TOTP({ secret: Secret.fromBase32(base32) }).generate({ timestamp: clock.now() });
  await t.rejects(secondFactor.enable(id, codeOf(first.secret), by.actor), { code: 'AUTH_2FA_INVALID' }, 'replaced');
  clock.advance(1_800_001);
  await t.rejects(secondFactor.enable(id, codeOf(secret), by.actor), { code: 'CONFLICT' }, 'too late');
  const { secret: third } = await secondFactor.setUp(id, by.actor);
  const codes = await secondFactor.enable(id, codeOf(third), by.actor);
  t.equal(new Set(codes).size, 10);
  await t.rejects(secondFactor.setUp(id, by.actor), { code: 'CONFLICT' });
  t.match(letters, [{ template: 'security-notice', data: { kind: 'factor.enabled' } }]);
  const stored = JSON.stringify(await db('totp_secrets')) + JSON.stringify(await db('recovery_codes'));
  for (const secretText of [third, ...codes]) t.notOk(stored.includes(secretText), 'no secret is stored in the clear');
  clock.advance(60_000);
  await t.rejects(secondFactor.disable(id, '000000', by.actor), { code: 'AUTH_2FA_INVALID' });
  await secondFactor.disable(id, codes[0] ?? '', by.actor);
  t.match(await secondFactor.list(id), { totp: null, recovery_codes_left: 0 });
});

t.test('a session that ended after its request was admitted changes no factor, identity or password', async (t) => {
  const people = await openProtected(t);
  const { id, code, db, secondFactor, externalSignIn, signIn, clock } = people;
  const { tokens } = await people.login(code());
  clock.advance(60_000);
  const actor = { ...by.actor, userId: id, credentialId: tokens.sessionId };
  await people.sessions.endAllBut(id, null, by.actor);
  const stateOf = async () => [
    await db('totp_secrets').where({ user_id: id }).select('sealed_secret', 'enabled_at'),
    await db('recovery_codes'),
  ];
  const before = await stateOf();
  const ended = { code: 'AUTH_SESSION_INVALID' };
  await t.rejects(secondFactor.renewCodes(id, actor), ended);
  await t.rejects(secondFactor.disable(id, code(), actor), ended);
  await t.rejects(externalSignIn.unlink(id, 'idn_1', actor), ended);
  t.strictSame(await stateOf(), before);
  const ben = await people.add('ben@example.com');
  const other = { ...actor, userId: ben.id };
  await t.rejects(secondFactor.setUp(ben.id, other), ended);
  const { secret } = await secondFactor.setUp(ben.id, by.actor);
  const first = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() });
  await t.rejects(secondFactor.enable(ben.id, first, other), ended);
  await db('users').where({ id: ben.id }).update({ password_hash: null });
  const passwords = { current: null, next: 'another horse battery staple' };
  await t.rejects(
    signIn.changePassword(ben.id, passwords, { actor: other, keepSession: null, hasAllScopes: true }),
    ended,
  );
  t.match(await secondFactor.list(ben.id), { totp: null, has_password: false });
});
