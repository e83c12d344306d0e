import t from 'tap';
import { noBrowser, startBrowser } from './_support/browser.js';
import { keepsQuiet, looksRight, openView, signedIn } from './_support/console-person.js';
import { password } from './_support/people.js';
import { apiOf, startStack } from './_support/stack.js';

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
      await page.reload();
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
