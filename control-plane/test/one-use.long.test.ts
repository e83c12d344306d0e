import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { Authenticator } from './_support/authenticator.js';
import { githubPerson, startGithub, walk } from './_support/external/providers.js';
import { lockWaits } from './_support/lock-waits.js';
import { startReplica, startStack } from './_support/stack.js';

// What signs a person in once, sent sixteen times at once, half of it to either replica: one succeeds. sign-in-ways.test.ts does the same with
// mailed codes and QR codes.

const password = 'correct horse battery staple';
const site = { origin: 'https://vantage.example', rpId: 'vantage.example' };
const github = await startGithub(t);
const settings = {
  VANTAGE_OAUTH: JSON.stringify([github.settings]),
  VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32',
  VANTAGE_PUBLIC_URL: site.origin,
};
const { api, controlPlane, database } = await startStack(t, settings);
const { db } = database;
const other = await startReplica(t, database.url, settings);
const { users } = controlPlane.services.accounts;

/** A request that may succeed once; `body`: of the nth of sixteen. */
interface OneUse {
  readonly path: string;
  readonly body: (n: number) => object;
  /** Access token of the request. */
  readonly as?: string;
  /** Status of the one that succeeds; default: 200. */
  readonly status?: number;
  /** Locks rows until several requests wait for them, which all have read what decides. */
  readonly lock?: (trx: Knex) => Promise<unknown>;
  /** Codes of all others. */
  readonly refusals: readonly string[];
}

async function send(url: string, path: string, { body, as, address }: { body: object; as?: string; address: string }) {
  const authorization: Record<string, string> = as === undefined ? {} : { authorization: `Bearer ${as}` };
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address, ...authorization };
  const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
  const text = (await response.json()) as { data?: Record<string, never>; error?: { code: string } };
  return { status: response.status, code: text.error?.code, data: text.data ?? {} };
}

let people = 0;

/** A person with a session, from a network of their own. */
async function person() {
  people += 1;
  const email = `person${people}@example.com`;
  const address = `192.0.2.${people}`;
  const { id } = await users.createUser({ email, role: 'user', password });
  const login = async (more: object = {}) =>
    api.call('POST', '/v1/auth/login', {
      as: null,
      body: { email, password, ...more },
      headers: { 'x-forwarded-for': address },
    });
  const as: string = (await login()).body.data.access_token;
  const post = async (path: string, body: object = {}) =>
    (await send(api.url, path, { body, as, address })).data as Record<string, string>;
  return { id, email, as, login, post };
}

/** As `person`, with a second factor; `code` of the app for the next time step, which is valid one step early. */
async function protectedPerson() {
  const holder = await person();
  const { secret } = await holder.post('/v1/auth/2fa/setup');
  const totp = new TOTP({ secret: Secret.fromBase32(secret ?? '') });
  const at = Date.now();
  const enabled = await holder.post('/v1/auth/2fa/enable', { otp: totp.generate({ timestamp: at }) });
  const recoveryCodes = enabled['recovery_codes'] as unknown as string[];
  return { ...holder, code: totp.generate({ timestamp: at + 30_000 }), recoveryCodes };
}

/** A device with a passkey of a person, whose session is `as`. */
async function passkeyRegistration() {
  const { as, post } = await person();
  const device = new Authenticator(site);
  const { challenge, options } = (await post('/v1/auth/passkey/register/options')) as never;
  return { as, post, device, body: { challenge, response: device.create(options), name: 'Laptop' } };
}

const login = '/v1/auth/login';
const cases: Readonly<Record<string, () => Promise<OneUse>>> = {
  'a code of an authenticator app': async () => {
    const { id, email, code: otp } = await protectedPerson();
    const lock = (trx: Knex) => trx('totp_secrets').where({ user_id: id }).forUpdate();
    return { path: login, body: () => ({ email, password, otp }), lock, refusals: ['AUTH_2FA_INVALID'] };
  },
  'a recovery code': async () => {
    const { email, recoveryCodes } = await protectedPerson();
    return { path: login, body: () => ({ email, password, otp: recoveryCodes[0] }), refusals: ['AUTH_2FA_INVALID'] };
  },
  'a sign-in that waits for a second factor': async () => {
    const { login: again, recoveryCodes } = await protectedPerson();
    const { challenge } = (await again()).body.error.meta;
    // ten codes that are right: they are not what the others lack
    const body = (n: number) => ({ challenge, otp: recoveryCodes[n % 10] });
    return { path: '/v1/auth/2fa/verify', body, refusals: ['AUTH_SESSION_INVALID', 'AUTH_2FA_INVALID'] };
  },
  'the way back from a provider': async () => {
    await github.set({ person: githubPerson(7, 'grace') });
    const start = await send(api.url, '/v1/auth/oauth/github/start', { body: {}, address: '203.0.113.1' });
    const { authorization_url: url, challenge } = start.data as Record<string, string>;
    const { state, code } = await walk(url ?? '', 'grace');
    const path = '/v1/auth/oauth/github/callback';
    return { path, body: () => ({ challenge, state, code }), refusals: ['AUTH_OAUTH_STATE_INVALID'] };
  },
  'the challenge of a passkey': async () => {
    const { post, device, body } = await passkeyRegistration();
    await post('/v1/auth/passkey/register/verify', body);
    const { challenge, options } = (await post('/v1/auth/passkey/login/options')) as never;
    const response = device.get(options);
    const refusals = ['AUTH_WEBAUTHN_CHALLENGE_INVALID'];
    return { path: '/v1/auth/passkey/login/verify', body: () => ({ challenge, response }), refusals };
  },
  'the registration of a passkey': async () => {
    const { as, body } = await passkeyRegistration();
    const refusals = ['AUTH_WEBAUTHN_CHALLENGE_INVALID'];
    return { path: '/v1/auth/passkey/register/verify', body: () => body, as, status: 201, refusals };
  },
};

for (const [name, prepare] of Object.entries(cases)) {
  t.test(`${name} succeeds once of sixteen times at once, on two replicas`, async (t) => {
    const { path, body, as, status = 200, lock, refusals } = await prepare();
    const sessions = async () => (await db('sessions')).length;
    const before = await sessions();
    const holder = await db.transaction();
    await lock?.(holder);
    const sent = Array.from({ length: 16 }, (_, n) =>
      send(n % 2 === 0 ? api.url : other.listenUrl, path, {
        body: body(n),
        address: `198.51.100.${n}`,
        ...(as === undefined ? {} : { as }),
      }),
    );
    if (lock !== undefined) await until('several to wait', async () => (await lockWaits(db)) >= 4);
    await holder.rollback();
    const answers = await Promise.all(sent);
    const [winner, ...more] = answers.filter((answer) => answer.status === status);
    t.ok(winner, JSON.stringify(answers.map(({ code }) => code)));
    t.strictSame(more, [], 'one');
    const codes = answers.flatMap(({ code }) => code ?? []);
    t.equal(codes.length, 15);
    t.strictSame(
      codes.filter((code) => !refusals.includes(code)),
      [],
      'the code of the contract',
    );
    const isSignedIn = winner !== undefined && 'access_token' in winner.data;
    t.equal(await sessions(), before + (isSignedIn ? 1 : 0));
  });
}
