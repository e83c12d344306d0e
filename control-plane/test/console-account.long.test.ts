import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { accessibilityFindings, noBrowser, openTab, overflowOf, startBrowser, type Tab } from './_support/browser.js';
import { password } from './_support/people.js';
import { apiOf, type Stack, startStack } from './_support/stack.js';

/** A person in a browser, on the first view of an address of the console, with each access token that its pages received. */
interface Person extends Tab {
  readonly id: string;
  readonly accessTokens: string[];
}

async function signedIn(
  browser: Browser,
  { api, controlPlane }: Stack,
  role: 'user' | 'admin',
  path: string,
): Promise<Person> {
  const { id, email } = await controlPlane.services.accounts.users.createUser({
    email: `${role}@example.com`,
    role,
    password,
  });
  const tab = await openTab(browser, `${api.url}/sign-in?next=${path}`, { locale: 'en-GB' });
  const { page } = tab;
  const accessTokens: string[] = [];
  page.on('response', async (response) => {
    if (!response.url().endsWith('/session/token') || !response.ok()) return;
    accessTokens.push(((await response.json()) as { data: { access_token: string } }).data.access_token);
  });
  await page.locator('[name=email]').fill(email);
  await page.locator('[name=password]').fill(password);
  await page.locator('main form button').first().click();
  await page.waitForURL(`**${path}*`);
  return { ...tab, id, accessTokens };
}

/** Follows a link in the links of an area. */
async function openView(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** Asserts that no access token is in a storage, the address or the document, and that the browser complained of nothing. */
async function keepsQuiet(t: Test, { page, accessTokens, complaints }: Person): Promise<void> {
  const open = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.documentElement.outerHTML])',
  );
  t.ok(accessTokens.length > 0);
  t.notOk(
    accessTokens.some((token) => open.includes(token)),
    'the access token is in no storage, address or document',
  );
  // the browser itself reports the answer that asks for the proof
  t.strictSame(
    complaints.filter((complaint) => !complaint.includes('status of 401')),
    [],
  );
}

async function looksRight(t: Test, page: Page, origin: string, paths: readonly string[]): Promise<void> {
  for (const width of [360, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      for (const path of paths) {
        await page.goto(`${origin}/console${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.locator('main:not(:has([aria-busy]))').waitFor();
        const view = `${path} ${width} ${colorScheme}`;
        t.strictSame(await accessibilityFindings(page), [], view);
        t.ok((await overflowOf(page)) <= 0, `${view} does not scroll sideways`);
        const directory = process.env['VANTAGE_TEST_PICTURES'];
        if (directory !== undefined)
          await page.screenshot({ path: `${directory}/console${view.replaceAll(/[^\w]+/g, '-')}.png`, fullPage: true });
      }
    }
}

t.test('an account and the installation are administered in the console', { skip: noBrowser }, async (t) => {
  const stack = await startStack(t);
  const { api, database } = stack;
  const browser = await startBrowser(t);
  const person = await signedIn(browser, stack, 'user', '/console/account');
  const { page } = person;

  await t.test('a person changes the profile, and the page follows', async (t) => {
    await page.getByLabel('Display name').fill('Ada');
    await page.getByLabel('Theme').last().selectOption('dark');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    t.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    t.equal(await page.locator('.who > button').innerText(), 'Ada');
    t.match(await database.db('users').where({ id: person.id }).first('display_name', 'theme'), {
      display_name: 'Ada',
      theme: 'dark',
    });
    await page.getByLabel('Theme').last().selectOption('system');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('html:not([data-theme])').waitFor({ state: 'attached' });
  });

  await t.test(
    'a token is created after the person has proved their identity, and its secret is shown once',
    async (t) => {
      await database
        .db('sessions')
        .where({ user_id: person.id })
        .update({ fresh_until: new Date(0) });
      await openView(page, 'Access tokens');
      await page.getByRole('button', { name: 'New access token' }).click();
      await page.getByLabel('Name').fill('laptop');
      await page.getByRole('checkbox', { name: /^monitor:read/ }).check();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
      await question.getByLabel('Password').fill('a wrong one');
      await question.getByRole('button', { name: 'Confirm' }).click();
      await question.getByText('AUTH_CREDENTIALS_INVALID').waitFor();
      t.equal(await question.getByRole('link', { name: 'Sign in' }).count(), 0, 'a wrong password signs no one out');
      await question.getByLabel('Password').fill(password);
      await question.getByRole('button', { name: 'Confirm' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your new access token' });
      const secret = await dialog.locator('pre').innerText();
      t.match(secret, /^svc_pat_/);
      t.equal((await apiOf(api.url, secret, person.id).call('GET', '/v1/monitors')).status, 200);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      t.ok(await dialog.isVisible(), 'Escape does not lose it');
      await dialog.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('row', { name: /laptop/ }).waitFor();
      t.notOk((await page.content()).includes(secret));
      await page.getByRole('button', { name: 'Revoke laptop' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('revoked', { exact: true }).waitFor();
      t.equal((await apiOf(api.url, secret, person.id).call('GET', '/v1/monitors')).status, 401);
    },
  );

  await t.test('a person ends a session elsewhere and keeps this one', async (t) => {
    const body = { email: 'user@example.com', password };
    const { access_token: other } = (await api.call('POST', '/v1/auth/login', { as: null, body })).body.data;
    await openView(page, 'Sessions');
    t.equal(
      await page
        .getByRole('row', { name: /this browser/ })
        .getByRole('button')
        .count(),
      0,
    );
    await page.getByRole('button', { name: /^End (?!all)/ }).click();
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    t.equal((await api.call('GET', '/v1/account/profile', { as: other })).status, 401);
    t.equal(await page.locator('tbody tr').count(), 1);
  });

  await t.test('the views of an account are accessible, and keep the access token to themselves', async (t) => {
    const parts = ['profile', 'keys?form=new', 'tokens', 'sessions', 'limits', 'audit'];
    await looksRight(
      t,
      page,
      api.url,
      parts.map((part) => `/account/${part}`),
    );
    await keepsQuiet(t, person);
  });

  const admin = await signedIn(browser, stack, 'admin', '/console/admin');

  await t.test(
    'an administrator reads what disabling a user does, gives a reason, and disables the user',
    async (t) => {
      await openView(admin.page, 'Users');
      await admin.page.getByLabel('Address, name or ID').fill('user@');
      await admin.page.getByRole('link', { name: 'user@example.com' }).click();
      await admin.page.getByRole('button', { name: 'Disable' }).click();
      const dialog = admin.page.getByRole('dialog');
      await dialog.getByText('All sessions end for good.').waitFor();
      await dialog.getByLabel('Reason').fill('sends floods');
      await dialog.getByRole('button', { name: 'Disable' }).click();
      await admin.page.locator('.pill.bad').getByText('disabled').waitFor();
      const audit = await api.call('GET', `/v1/admin/audit?account_id=${person.id}&action=account.disabled`);
      t.match(audit.body.data.items, [{ actor: { user_id: admin.id }, details: { reason: 'sends floods' } }]);
    },
  );

  await t.test('the views of the administration are accessible, and keep the access token to themselves', async (t) => {
    const parts = ['', '/users', `/users/${person.id}`, '/nodes', '/rollouts?form=new', '/audit', '/jobs'];
    await looksRight(
      t,
      admin.page,
      api.url,
      parts.map((part) => `/admin${part}`),
    );
    await keepsQuiet(t, admin);
  });
});
