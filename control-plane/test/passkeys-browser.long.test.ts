import type { Page } from 'playwright-core';
import t from 'tap';
import { addAuthenticator, noBrowser, openTab, startBrowser } from './_support/browser.js';
import { password } from './_support/people.js';
import { startStack } from './_support/stack.js';
import { TcpProxy } from './_support/tcp-proxy.js';

const create = (page: Page, options: unknown): Promise<object> =>
  page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)});
    return (await navigator.credentials.create({ publicKey })).toJSON();
  })()`);

const get = (page: Page, options: unknown): Promise<object> =>
  page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)});
    return (await navigator.credentials.get({ publicKey })).toJSON();
  })()`);

t.test(
  'a browser adds a passkey, and signs in with it without a name, at the public URL alone',
  { skip: noBrowser },
  async (t) => {
    const proxy = await TcpProxy.start(t);
    const origin = proxy.url.replace('127.0.0.1', 'localhost');
    const { api, controlPlane, database } = await startStack(t, { VANTAGE_PUBLIC_URL: origin });
    proxy.forwardTo(controlPlane.listenUrl);
    const { users } = controlPlane.services.accounts;
    const { id: userId } = await users.createUser({ email: 'ada@example.com', role: 'user', password });
    const post = async (path: string, body?: unknown, as: string | null = null) =>
      api.call('POST', `/v1/auth/${path}`, { ...(body === undefined ? {} : { body }), as });
    const browser = await startBrowser(t);
    const { page } = await openTab(browser, `${origin}/`);
    const device = await addAuthenticator(page);

    const as: string = (await post('login', { email: 'ada@example.com', password })).body.data.access_token;
    const { data: start } = (await post('passkey/register/options', undefined, as)).body;
    const made = { challenge: start.challenge, response: await create(page, start.options), name: 'Laptop' };
    const added = await post('passkey/register/verify', made, as);
    t.match(added, { status: 201, body: { data: { name: 'Laptop' } } });
    const { data: again } = (await post('passkey/register/options', undefined, as)).body;
    await t.rejects(create(page, again.options), /InvalidStateError/, 'the same authenticator has one already');

    const login = async (from: Page) => {
      const { data } = (await post('passkey/login/options')).body;
      t.equal(data.options.allowCredentials, undefined, 'no name, no list of passkeys');
      return post('passkey/login/verify', { challenge: data.challenge, response: await get(from, data.options) });
    };
    t.match(await login(page), { status: 200, body: { data: { user_id: userId } } });
    const [kept] = await device.passkeys();
    if (kept === undefined) throw new Error('the authenticator has no passkey');
    t.equal(kept.isResidentCredential, true);

    const { page: elsewhere } = await openTab(browser, `${controlPlane.listenUrl.replace('127.0.0.1', 'localhost')}/`);
    await (await addAuthenticator(elsewhere)).put({ ...kept, signCount: kept.signCount + 10 });
    const invalid = { status: 400, body: { error: { code: 'AUTH_WEBAUTHN_CHALLENGE_INVALID' } } };
    t.match(await login(elsewhere), invalid, 'another port is another origin');

    t.match(await login(page), { status: 200 });
    await device.put({ ...kept, signCount: 0 });
    t.match(await login(page), invalid, 'a copy, whose counter did not grow');
    const acts = await database.db('audit_log').where({ account_id: userId }).orderBy('id').pluck('action');
    t.strictSame(acts.slice(-4), ['session.created', 'session.refused', 'session.created', 'passkey.cloned']);

    await database.db('users').where({ id: userId }).update({ password_hash: null });
    const remove = () => api.call('DELETE', `/v1/account/passkeys/${added.body.data.id}`, { as });
    t.match(await remove(), {
      status: 409,
      body: { error: { details: { id: [{ message: /last way to sign in/ }] } } },
    });
  },
);
