import t from 'tap';
import { program } from '../src/audit-log/actor.js';
import { noBrowser, startBrowser } from './_support/browser.js';
import { CheckingNode } from './_support/checking-node.js';
import { keepsQuiet, looksRight, openView, signedIn } from './_support/console-person.js';
import { startStack } from './_support/stack.js';

/** Name that tries to leave its place: markup, a change of direction, and no place to break. */
const hostile = `<img src=x onerror=alert(1)>\u202egnp.exe${'x'.repeat(150)}`;

t.test('monitors are created, watched and paused in the console', { skip: noBrowser }, async (t) => {
  const stack = await startStack(t);
  const { api } = stack;
  const node = await CheckingNode.join(t, api);
  const browser = await startBrowser(t);
  const person = await signedIn(browser, stack, 'user', '/console');
  const { page, id: userId } = person;

  await t.test(
    'an account without monitors is shown how to begin, and a form says what is wrong with a field',
    async (t) => {
      await page.getByRole('link', { name: 'Create a monitor' }).click();
      await page.getByRole('combobox', { name: 'Type' }).selectOption('tcp');
      await page.getByLabel('Name', { exact: true }).fill(hostile);
      await page.getByLabel('Target', { exact: true }).fill('no port');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.field', { hasText: 'Target' }).first().getByRole('alert').waitFor();
      await page.getByLabel('Target', { exact: true }).fill('127.0.0.1:9');
      await page.getByLabel('Interval').selectOption('300');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: /^<img src=x/ }).waitFor();
      t.match(page.url(), /\/console\/monitors\/m_\w{22}$/);
      t.match(await page.title(), /gnp\.exe/);
      t.equal(await page.locator('main img').count(), 0, 'a name is text');
      t.match(await page.locator('h1').innerText(), /\\u\{202e\}/, 'and its direction stays');
    },
  );

  const [, monitorId = ''] = /(m_\w{22})/.exec(page.url()) ?? [];
  await node.waitForAssignment(monitorId);
  node.check(monitorId, 'failed');

  await t.test('the list shows failing monitors first, is filtered by its address, and pauses at once', async (t) => {
    const body = { type: 'heartbeat', name: 'Backup' };
    await api.call('POST', '/v1/monitors', { as: person.accessTokens.at(-1) ?? null, body });
    await openView(page, 'Monitors');
    const rows = page.locator('tbody tr');
    await page.locator('.pill.bad').waitFor();
    t.match(await rows.nth(0).innerText(), /down[\s\S]*<img/);
    t.match(await rows.nth(1).innerText(), /unknown[\s\S]*Backup/);
    await page.getByLabel('Name or target').fill('back');
    await rows.nth(1).waitFor({ state: 'detached' });
    t.match(page.url(), /\?q=back$/);
    await page.reload();
    await page.getByText('1 monitor', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause Backup' }).click();
    await page.getByRole('button', { name: 'Resume Backup' }).waitFor();
    await page.getByLabel('Name or target').fill('nothing has this');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await rows.nth(1).waitFor();
  });

  await t.test('an event is acknowledged, and the views stay in their place with hostile names', async (t) => {
    await page.goto(`${api.url}/console/monitors/${monitorId}?tab=events`);
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('acknowledged', { exact: true }).waitFor();
    const views = [
      '',
      '/monitors',
      '/monitors/new',
      ...['response', 'checks', 'events', 'settings'].map((tab) => `/monitors/${monitorId}?tab=${tab}`),
      `/monitors/${monitorId}/edit`,
    ];
    await looksRight(t, page, api.url, views);
    await keepsQuiet(t, person);
  });

  await t.test(
    'a session that is revoked elsewhere leads to the sign-in at once, and what was entered stays',
    async (t) => {
      await page.goto(`${api.url}/console/monitors/new`);
      await page.getByLabel('Name', { exact: true }).fill('Kept');
      await page.getByLabel('Target', { exact: true }).fill('https://example.com/');
      const { sessions } = stack.controlPlane.services.accounts;
      for (const { id } of await sessions.list(userId))
        await sessions.end(userId, id, { actor: program, isLogout: false });
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
      await page.keyboard.press('Escape');
      t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Kept');
    },
  );
});
