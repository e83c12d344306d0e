import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { storePasskey } from './_support/authenticator.js';
import { noBrowser, openTab, startBrowser } from './_support/browser.js';
import { looksRightNow } from './_support/page-looks.js';
import { password } from './_support/people.js';
import { startStack } from './_support/stack.js';
import { TcpProxy } from './_support/tcp-proxy.js';

/** Name that others chose, as long as a passkey may have. */
const hostile = '<img src=x onerror="document.title=1"> WWWWWWWWWWWWWWWWWWWWWWWWWW';
const label = `${hostile} ${'W'.repeat(130)}`;
const mailedPages = ['/verify-email', '/reset-password', '/confirm-sign-in', '/confirm-email', '/restore-account'];
const longAgo = new Date(0);

t.test('every page of accounts is readable in each language, theme and width', { skip: noBrowser }, async (t) => {
  const proxy = await TcpProxy.start(t);
  // an IP address has no passkeys
  const origin = proxy.url.replace('127.0.0.1', 'localhost');
  const provider = { id: 'absent', name: 'Example ID', kind: 'oidc', client_id: 'vantage', client_secret: 'a secret' };
  const { controlPlane, database } = await startStack(t, {
    VANTAGE_PUBLIC_URL: origin,
    VANTAGE_SMTP_URL: 'smtp://127.0.0.1:1',
    VANTAGE_OAUTH: JSON.stringify([{ ...provider, issuer: 'http://127.0.0.1:65535' }]),
    VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32',
  });
  proxy.forwardTo(controlPlane.listenUrl);
  const { db } = database;
  const browser = await startBrowser(t);

  for (const [index, locale] of ['en', 'zh-CN', 'zh-TW'].entries()) {
    await t.test(locale, async (t) => {
      const extraHTTPHeaders = { 'X-Forwarded-For': `192.0.2.${index + 1}` };
      const { page, complaints } = await openTab(browser, origin, { locale, userAgent: hostile, extraHTTPHeaders });
      const email = `ada-${index}@example.com`;
      const look = (state: string) => looksRightNow(t, page, state, [email, label, hostile, provider.name]);
      const open = async (path: string, state = path.slice(1)) => {
        await page.goto(`${origin}${path}`);
        await look(state);
      };
      /** Fills the form that has an element, and sends it. */
      const send = async (part: string, fields: Record<string, string> = {}) => {
        const form = page.locator('main form', { has: page.locator(part) }).first();
        for (const [name, value] of Object.entries(fields)) await form.locator(`[name=${name}]`).fill(value);
        const loaded = page.waitForEvent('load');
        await form.locator('button').last().click();
        await loaded;
      };
      const act = (name: string, fields = {}) => send(`[value=${name}]`, fields);

      for (const path of mailedPages) {
        await open(path, `${path.slice(1)} without a token`);
        // another fragment alone loads no page
        await page.goto('about:blank');
        await open(`${path}#svc_ch_x`, path.slice(1));
        for (const field of await page.locator('form:first-of-type input').all())
          if (await field.isVisible()) await field.fill(password);
        await page.locator('#ask button').first().click();
        await page.locator('output:not(:empty)').waitFor();
        for (const more of await page.locator('summary').all()) await more.click();
        await look(`${path.slice(1)} refused`);
      }

      await open('/sign-in');
      await send('[name=password]', { email: 'nobody@example.com', password: 'wrong horse' });
      await look('sign-in refused');
      await open('/sign-up');
      await send('[name=password]', { email: 'ada@localhost', password });
      await look('sign-up refused');
      await open('/forgot-password');
      await send('[name=email]', { email });
      await look('forgot-password sent');
      await open('/sign-in/passkey');
      await open('/sign-in/oauth/absent', 'provider away');
      await open('/sign-in/code');
      await send('[name=email]', { email });
      await look('code sent');
      await send('[name=code]', { code: '000000' });
      await look('code refused');

      const { id } = await controlPlane.services.accounts.users.createUser({ email, role: 'user', password });
      const user = () => db('users').where({ id });
      const stale = () => db('sessions').where({ user_id: id }).update({ fresh_until: longAgo });
      await page.goto(`${origin}/sign-in`);
      await send('[name=password]', { email, password });
      await look('security');
      await user().update({ email_verified_at: null });
      await open('/account/security', 'security unverified');
      const { password_hash } = await user().first();
      await user().update({ email_verified_at: new Date(), password_hash: null });
      await stale();
      await open('/account/security', 'security confirm by mail');
      await user().update({ password_hash });
      await open('/account/security', 'security confirm');
      await act('confirm', { password: 'wrong horse' });
      await look('security confirm refused');
      await act('confirm', { password });

      await act('set-up');
      await look('authenticator');
      const secret = await page.locator('main p > code').innerText();
      await act('enable', { otp: '000000' });
      await look('authenticator refused');
      const totp = new TOTP({ secret: Secret.fromBase32(secret) });
      await act('enable', { otp: totp.generate({ timestamp: Date.now() - 30_000 }) });
      await look('recovery codes');
      await storePasskey(db, id, hostile);
      const identity = { user_id: id, provider: 'absent', created_at: longAgo, last_used_at: new Date() };
      await db('identities').insert({ id: `idn_${index}`, subject: String(index), label, ...identity });
      await open('/account/security', 'security full');
      await act('new-passkey');
      await look('new passkey');
      await stale();
      await open('/account/security', 'security confirm by code or passkey');

      await page.locator('[action="/sign-out"] button').click();
      await page.waitForURL('**/sign-in');
      await send('[name=password]', { email, password });
      await look('factor');
      await send('[name=otp]', { otp: '000000' });
      await look('factor refused');
      t.equal(await page.locator('img[src=x]').count(), 0, 'names are text');
      t.strictSame(
        complaints.filter((complaint) => !/status of (?:4\d\d|503)/.test(complaint)),
        [],
        'the policy allows all that they do',
      );
      await page.context().close();
    });
  }
});
