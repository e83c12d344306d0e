import type { Browser, Page } from 'playwright-core';
import type { Test } from 'tap';
import { accessibilityFindings, openTab, overflowOf, type Tab } from './browser.js';
import { password } from './people.js';
import type { Stack } from './stack.js';

/** A person in a browser, on the first view of an address of the console, with each access token that its pages received. */
export interface Person extends Tab {
  readonly id: string;
  readonly accessTokens: string[];
}

/** Signs in on the page as a new user, and opens an address of the console. */
export async function signedIn(
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

/** Follows a link in the navigation or in the links of an area. */
export async function openView(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** Asserts that no access token is in a storage, the address or the document, and that the browser complained of nothing. */
export async function keepsQuiet(t: Test, { page, accessTokens, complaints }: Person): Promise<void> {
  const open = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.documentElement.outerHTML])',
  );
  t.ok(accessTokens.length > 0);
  t.notOk(
    accessTokens.some((token) => open.includes(token)),
    'the access token is in no storage, address or document',
  );
  // the browser itself reports answers that refuse something
  t.strictSame(
    complaints.filter((complaint) => !/status of 4\d\d/.test(complaint)),
    [],
  );
}

/** Asserts that views are accessible and do not scroll sideways, on a phone and a wide screen, light and dark. */
export async function looksRight(t: Test, page: Page, origin: string, paths: readonly string[]): Promise<void> {
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
