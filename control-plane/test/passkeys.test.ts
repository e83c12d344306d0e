import t from 'tap';
import { deletePasskeys } from '../src/modules/accounts/factors/factor-store.js';
import { Authenticator } from './_support/authenticator.js';
import { from, password, peopleInTurn, publicUrl } from './_support/people.js';
import { makeNamedCertificate } from './_support/site-certificates.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const openPeople = await peopleInTurn(t);
const site = { origin: publicUrl, rpId: new URL(publicUrl).hostname };
const by = { client: { address: '192.0.2.1', userAgent: 'curl/8' }, actor: from('192.0.2.1') };
const refused = { code: 'AUTH_WEBAUTHN_CHALLENGE_INVALID', status: 400 };

/** A user with a password and a passkey, and ways to use it. */
async function openHolder(t: Parameters<typeof openPeople>[0]) {
  const people = await openPeople(t);
  const { passkeys, passkeyCheck, passkeySignIn } = people;
  const { id } = await people.add('ada@example.com');
  const device = new Authenticator(site);
  const register = async (name: string, faults: Parameters<Authenticator['create']>[1] = {}, userId = id) => {
    const { challenge, options } = await passkeys.startRegistration(userId);
    return passkeys.register(userId, { challenge, response: device.create(options, faults), name }, by.actor);
  };
  const login = async (faults: Parameters<Authenticator['get']>[1] = {}, who = device) => {
    const { challenge, options } = await passkeyCheck.start();
    return passkeySignIn.login({ challenge, response: who.get(options, faults) }, by);
  };
  const passkey = await register('Laptop');
  return { ...people, id, device, passkey, register, login };
}

t.test('a passkey signs in without a name, and without a code of the second factor', async (t) => {
  const { id, passkey, login, secondFactor, db, letters, clock } = await openHolder(t);
  t.match(passkey, { id: /^pk_/, name: 'Laptop', last_used_at: null });
  t.match(letters, [{ template: 'security-notice', data: { kind: 'passkey.added', name: 'Laptop' } }]);
  const at = new Date(clock.now());
  await db('totp_secrets').insert({ user_id: id, sealed_secret: Buffer.alloc(1), created_at: at, enabled_at: at });
  t.match(await login(), { user: { email: 'ada@example.com' }, tokens: { accessToken: /^eyJ/ } });
  const [session] = await db('sessions');
  t.match(session, { methods: ['passkey'], fresh_until: new Date(clock.now() + 600_000) });
  t.match(await secondFactor.list(id), { passkeys: [{ name: 'Laptop', last_used_at: at.toISOString() }] });
});

t.test(
  'a response that does not fit is refused by one code, changes nothing, and is in the audit log once',
  async (t) => {
    const { id, device, login, passkeyCheck, passkeySignIn, db, add, clock } = await openHolder(t);
    const { id: other } = await add('ben@example.com');
    const handleOf = (userId: string) => Buffer.from(userId).toString('base64url');
    const foreign = new Authenticator(site);
    foreign.create({ challenge: '', user: { id: handleOf(id) } });
    const attempts: Record<string, () => Promise<unknown>> = {
      'another origin': () => login({ origin: 'https://vantage.example.evil.test' }),
      'another port': () => login({ origin: `${publicUrl}:8443` }),
      'without verification': () => login({ isVerified: false }),
      'an unknown passkey': () => login({}, foreign),
      'the passkey of another user': () => login({ userHandle: handleOf(other) }),
      'no user': () => login({ userHandle: '' }),
      'a user id that is none': () => login({ userHandle: handleOf('u_\0') }),
      'another site': async () => {
        const elsewhere = new Authenticator({ ...site, rpId: 'evil.test' });
        elsewhere.create({ challenge: '', user: { id: handleOf(id) } });
        return login({}, elsewhere);
      },
      'a signature over another challenge': async () => {
        const [mine, theirs] = [await passkeyCheck.start(), await passkeyCheck.start()];
        return passkeySignIn.login({ challenge: mine.challenge, response: device.get(theirs.options) }, by);
      },
      'a response of a registration': async () => {
        const { challenge, options } = await passkeyCheck.start();
        const { response, ...rest } = device.get(options);
        const { clientDataJSON } = new Authenticator(site).create(options).response;
        return passkeySignIn.login({ challenge, response: { ...rest, response: { ...response, clientDataJSON } } }, by);
      },
      'an unknown challenge': async () => {
        const { options } = await passkeyCheck.start();
        return passkeySignIn.login({ challenge: 'svc_ch_nonsense', response: device.get(options) }, by);
      },
      'a late one': async () => {
        const { challenge, options } = await passkeyCheck.start();
        clock.advance(300_000);
        return passkeySignIn.login({ challenge, response: device.get(options) }, by);
      },
    };
    const refusals = async () => (await db('audit_log').where({ action: 'session.refused' })).length;
    const before = await db('passkeys');
    for (const [what, attempt] of Object.entries(attempts)) {
      const count = await refusals();
      await t.rejects(attempt(), refused, what);
      t.equal((await refusals()) - count, 1, `${what}: in the audit log`);
    }
    t.strictSame(await db('passkeys'), before);
    t.strictSame(await db('sessions'), []);
    t.ok(await login({}), 'the passkey itself still works');
  },
);

t.test('a challenge signs in once, however many send its response at once', async (t) => {
  const { device, passkeyCheck, passkeySignIn, db } = await openHolder(t);
  await db('passkeys').update({ counter: 0 });
  const { challenge, options } = await passkeyCheck.start();
  // an authenticator without a counter
  const response = device.get(options, { counter: 0 });
  const tries = Array.from({ length: 5 }, () => passkeySignIn.login({ challenge, response }, by));
  const outcomes = await Promise.allSettled(tries);
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const outcome of outcomes) if (outcome.status === 'rejected') t.match(outcome.reason, refused);
});

t.test(
  'a counter that does not grow is refused and mailed, once for each challenge, and only after a right signature',
  async (t) => {
    const { login, letters, db, device, passkeyCheck, passkeySignIn } = await openHolder(t);
    await login({ counter: 7 });
    letters.length = 0;
    const { challenge, options } = await passkeyCheck.start();
    const copied = device.get(options, { counter: 7 });
    const forged = { ...copied, response: { ...copied.response, signature: device.get(options).response.signature } };
    await t.rejects(passkeySignIn.login({ challenge, response: forged }, by), refused);
    t.strictSame(letters, [], 'anyone could send this');
    await t.rejects(passkeySignIn.login({ challenge, response: copied }, by), refused);
    await t.rejects(passkeySignIn.login({ challenge, response: copied }, by), refused);
    t.match(letters, [{ data: { kind: 'passkey.cloned', name: 'Laptop' } }]);
    t.equal(letters.length, 1);
    t.equal((await db('audit_log').where({ action: 'passkey.cloned' })).length, 1);
    t.ok(await login({ counter: 8 }));
    await db('passkeys').update({ counter: 0 });
    t.ok(await login({ counter: 0 }), 'an authenticator without a counter');
  },
);

t.test('a passkey is added for its challenge, site and user alone, at most twenty of them', async (t) => {
  const { id, register, login, passkeys, sessions, device, add, db, secondFactor, clock, revoked } =
    await openHolder(t);
  const { id: other } = await add('ben@example.com');
  const { sessionId: credentialId } = (await login()).tokens;
  await t.rejects(register('x', { origin: 'https://evil.test' }), refused, 'another origin');
  await t.rejects(register('x', { isVerified: false }), refused, 'without verification');
  const start = await passkeys.startRegistration(id);
  t.match(start.options, {
    rp: { id: 'vantage.example' },
    user: { name: 'ada@example.com' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [{ transports: ['internal'] }],
  });
  const request = { challenge: start.challenge, response: device.create(start.options), name: ' Key ' };
  await t.rejects(passkeys.register(other, request, by.actor), refused, 'another user');
  t.equal((await db('audit_log').where({ action: 'passkey.refused' })).length, 3);
  for (const name of [' ', 'two\nlines', 'right\u202eto left'])
    await t.rejects(passkeys.register(id, { ...request, name }, by.actor), { code: 'VALIDATION_FAILED' });
  await sessions.endAllBut(id, null, by.actor);
  const ended = passkeys.register(id, request, { ...by.actor, credentialId });
  await t.rejects(ended, { code: 'AUTH_SESSION_INVALID' }, 'a session that ended after its request was admitted');
  t.match(await passkeys.register(id, request, by.actor), { name: 'Key' });
  await t.rejects(passkeys.register(id, request, by.actor), refused, 'used');
  const again = await passkeys.startRegistration(id);
  await db('passkeys').where({ name: 'Key' }).update({ user_id: other });
  const known = device.create(again.options);
  await db('passkeys')
    .where({ name: 'Key' })
    .update({ credential_id: Buffer.from(known.id, 'base64url') });
  await t.rejects(passkeys.register(id, { ...again, response: known, name: 'x' }, by.actor), { code: 'CONFLICT' });
  const late = await passkeys.startRegistration(id);
  clock.advance(300_000);
  await t.rejects(
    passkeys.register(id, { ...late, response: device.create(late.options), name: 'x' }, by.actor),
    refused,
  );
  const early = await passkeys.startRegistration(id);
  for (let i = 1; i < 20; i++) await register(`Key ${i}`);
  const full = { code: 'VALIDATION_FAILED', status: 422, details: { passkey: [{ message: /at most 20/ }] } };
  await t.rejects(passkeys.startRegistration(id), full);
  await t.rejects(
    passkeys.register(id, { ...early, response: device.create(early.options), name: 'x' }, by.actor),
    full,
  );
  t.equal((await secondFactor.list(id)).passkeys.length, 20);
  t.ok(revoked.includes(id), 'replicas are notified');
});

t.test(
  'an attestation with certificates is refused: to check them, lists that they name would be fetched',
  async (t) => {
    const { register } = await openHolder(t);
    const attestedBy = makeNamedCertificate(temporaryDirectory(t), {
      subject: 'u2f',
      issuer: 'test',
      altNames: ['DNS:u2f'],
    });
    await t.rejects(register('Key', { attestedBy }), refused);
  },
);

t.test('a passkey is renamed and removed by its user, and the last way to sign in stays', async (t) => {
  const { id, passkey, passkeys, register, login, add, db, letters } = await openHolder(t);
  const { id: other } = await add('ben@example.com');
  t.match(await passkeys.rename(id, { id: passkey.id, name: 'Phone' }, by.actor), { id: passkey.id, name: 'Phone' });
  const foreign: (() => Promise<unknown>)[] = [
    () => passkeys.rename(other, { id: passkey.id, name: 'x' }, by.actor),
    () => passkeys.remove(other, passkey.id, by.actor),
    () => passkeys.remove(id, 'pk_none', by.actor),
  ];
  for (const act of foreign) await t.rejects(act(), { code: 'NOT_FOUND' });
  await db('users').where({ id }).update({ password_hash: null, email_verified_at: null });
  await t.rejects(passkeys.remove(id, passkey.id, by.actor), { code: 'CONFLICT', details: { id: [{}] } });
  await db('users').where({ id }).update({ email_verified_at: new Date() });
  const second = await register('Key');
  letters.length = 0;
  await passkeys.remove(id, second.id, by.actor);
  t.match(letters, [{ data: { kind: 'passkey.removed', name: 'Key' } }]);
  await t.rejects(login(), refused, 'it signs in no more');
  const removed = await db.transaction((trx) => deletePasskeys(trx, id));
  t.match(removed, [{ id: passkey.id }], 'all of them, for a reset of the factors');
});

t.test('a session becomes fresh by a passkey of its own user alone', async (t) => {
  const { id, device, passkeyCheck, stepUp, login, add, register, db } = await openHolder(t);
  const { sessionId } = (await login()).tokens;
  const session = { sessionId, actor: by.actor, freshness: { isFresh: false, factors: ['passkey'] } } as const;
  const confirm = async (userId: string) => {
    const { challenge, options } = await passkeyCheck.start();
    return stepUp.prove({ passkey: { challenge, response: device.get(options) } }, { ...session, userId });
  };
  await db('sessions').update({ fresh_until: null });
  t.type(await confirm(id), Date);
  t.match(await db('sessions').where({ id: sessionId }), [{ fresh_until: Date }]);
  const { id: other } = await add('ben@example.com');
  await t.rejects(confirm(other), refused);
  await register('Key', {}, other);
  await t.rejects(confirm(id), refused, 'the newest passkey in the device is that of the other user');
});

t.test('by HTTP: a passkey is added, signs in, confirms a session, is renamed and removed', async (t) => {
  const origin = 'http://localhost:8080';
  const { api, controlPlane, database } = await startStack(t, { VANTAGE_PUBLIC_URL: origin });
  const { users } = controlPlane.services.accounts;
  await users.createUser({ email: 'ada@example.com', role: 'user', password });
  const device = new Authenticator({ origin, rpId: 'localhost' });
  const post = async (path: string, body?: unknown, as: string | null = null) =>
    api.call('POST', `/v1/auth/${path}`, { ...(body === undefined ? {} : { body }), as });
  t.match(await api.call('GET', '/v1/auth/methods', { as: null }), { body: { data: { passkey: true } } });
  const { body } = await post('login', { email: 'ada@example.com', password });
  const as: string = body.data.access_token;
  const { data: start } = (await post('passkey/register/options', undefined, as)).body;
  await database.db('sessions').update({ fresh_until: null });
  const made = { challenge: start.challenge, response: device.create(start.options), name: 'Laptop' };
  const added = await post('passkey/register/verify', made, as);
  t.match(added, { status: 201, body: { data: { name: 'Laptop' } } });
  const get = async () => {
    const { data } = (await post('passkey/login/options')).body;
    return { challenge: data.challenge, response: device.get(data.options) };
  };
  t.match(await post('passkey/login/verify', await get()), { status: 200, body: { data: { token_type: 'Bearer' } } });
  const { id } = added.body.data;
  const remove = () => api.call('DELETE', `/v1/account/passkeys/${id}`, { as });
  t.match(await remove(), { status: 401, body: { error: { meta: { factors: ['password', 'passkey'] } } } });
  t.match(await post('step-up', { challenge: 'x' }, as), {
    status: 400,
    body: { error: { details: { response: [{}] } } },
  });
  t.match(await post('step-up', await get(), as), { status: 200, body: { data: { fresh_until: /T/ } } });
  t.match(await api.call('PATCH', `/v1/account/passkeys/${id}`, { as, body: { name: 'Phone' } }), { status: 200 });
  t.match(await remove(), { status: 200 });
});

t.test('by HTTP: at an IP address there are no passkeys, and the operations say so', async (t) => {
  const { api, controlPlane } = await startStack(t);
  await controlPlane.services.accounts.users.createUser({ email: 'ada@example.com', role: 'user', password });
  t.match(await api.call('GET', '/v1/auth/methods', { as: null }), { body: { data: { passkey: false } } });
  const login = await api.call('POST', '/v1/auth/login', { body: { email: 'ada@example.com', password }, as: null });
  for (const path of ['login', 'register']) {
    const as = login.body.data.access_token;
    const { status, body } = await api.call('POST', `/v1/auth/passkey/${path}/options`, { as });
    t.match({ status, body }, { status: 422, body: { error: { details: { passkey: [{ code: 'not_supported' }] } } } });
  }
});
