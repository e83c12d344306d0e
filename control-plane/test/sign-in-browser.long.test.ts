import t from 'tap';
import { addAuthenticator, noBrowser, openTab, startBrowser } from './_support/browser.js';
import { startOidc } from './_support/external/providers.js';
import { startStack } from './_support/stack.js';
import { TcpProxy } from './_support/tcp-proxy.js';

t.test(
  'a person signs in at an external provider, adds a passkey, signs in with it, and removes it',
  { skip: noBrowser },
  async (t) => {
    const proxy = await TcpProxy.start(t);
    const origin = proxy.url.replace('127.0.0.1', 'localhost');
    const oidc = await startOidc(t, `${origin}/sign-in/oauth/oidc/callback`);
    const settings = { VANTAGE_PUBLIC_URL: origin, VANTAGE_OAUTH: JSON.stringify([oidc.settings]) };
    const { controlPlane } = await startStack(t, settings);
    proxy.forwardTo(controlPlane.listenUrl);
    const browser = await startBrowser(t);
    const { page, complaints } = await openTab(browser, `${origin}/sign-in`);
    const device = await addAuthenticator(page);
    const click = (name: string) => page.getByRole('button', { name }).click();
    const security = () => page.waitForURL(`${origin}/account/security`);

    await page.getByRole('link', { name: 'Continue with Example ID' }).click();
    await page.locator('[name=login]').fill('grace');
    await page.locator('[name=password]').fill('any');
    await click('Sign-in');
    await click('Continue');
    await security();
    t.match(await page.locator('main').innerText(), 'You are signed in as grace@people.example.');
    const { length: ofProvider } = complaints;

    await click('Add a passkey');
    await page.getByLabel('Name').fill('Laptop <b>');
    await click('Add a passkey');
    await security();
    t.match(await page.locator('main').innerText(), 'Laptop <b>, never used');
    t.equal((await device.passkeys()).length, 1);

    await click('Sign out');
    await page.waitForURL('**/sign-in');
    await page.getByRole('link', { name: 'Use a passkey' }).click();
    await click('Use a passkey');
    await security();
    t.match(await page.locator('main').innerText(), /Laptop <b>, last used/);
    await page.locator('li', { hasText: 'Laptop' }).getByRole('button').click();
    await page.getByText('Laptop').waitFor({ state: 'detached' });
    t.strictSame(complaints.slice(ofProvider), [], 'the policy allows all that our pages do');
  },
);
