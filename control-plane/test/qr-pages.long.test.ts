import type { Page } from 'playwright-core';
import t from 'tap';
import {
  accessibilityFindings,
  narrowAndDarken,
  noBrowser,
  openTab,
  overflowOf,
  startBrowser,
} from './_support/browser.js';
import { startStack } from './_support/stack.js';

const password = 'correct horse battery staple';
const email = 'ada@example.com';
const hostile = 'SmartTV/1 <img src=x onerror="document.title=1">';

t.test(
  'a device is signed in by its picture, in three languages, and its page continues by itself',
  { skip: noBrowser },
  async (t) => {
    const { api, controlPlane } = await startStack(t, { VANTAGE_SMTP_URL: 'smtp://127.0.0.1:1' });
    const { accounts } = controlPlane.services;
    await accounts.users.createUser({ email, role: 'user', password });
    const browser = await startBrowser(t);
    const directory = process.env['VANTAGE_TEST_PICTURES'];

    /** Looks at a page, wide and light, then narrow and dark. */
    const look = async (page: Page, name: string) => {
      const inspect = async (view: string) => {
        t.strictSame(await accessibilityFindings(page), [], view);
        t.ok((await overflowOf(page)) <= 0, `${view} does not scroll sideways`);
        if (directory !== undefined) await page.screenshot({ path: `${directory}/${view}.png`, fullPage: true });
      };
      await inspect(`${name}-wide`);
      await narrowAndDarken(page);
      await inspect(`${name}-narrow`);
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.emulateMedia({ colorScheme: 'light' });
    };

    for (const locale of ['en', 'zh-CN', 'zh-TW']) {
      const device = await openTab(browser, `${api.url}/sign-in/code`, { locale, userAgent: hostile });
      await device.page.locator('[name=email]').fill(email);
      await look(device.page, `code-${locale}`);
      await device.page.locator('main button').click();
      await device.page.locator('[name=code]').waitFor();
      await look(device.page, `code-sent-${locale}`);
      await device.page.goto(`${api.url}/sign-in/qr`);
      await look(device.page, `qr-start-${locale}`);
      await device.page.locator('main button').click();
      const digits = await device.page.locator('main strong').innerText();
      await look(device.page, `qr-waiting-${locale}`);
      const cookies = await device.page.context().cookies();
      const challenge = cookies.find(({ name }) => name === 'vantage_sign_in')?.value ?? '';
      const { url } = await accounts.qrSignIn.shown(challenge);

      const person = await openTab(browser, `${api.url}/sign-in?next=%2Fqr`, { locale });
      await person.page.locator('[name=email]').fill(email);
      await person.page.locator('[name=password]').fill(password);
      await person.page.locator('main button').click();
      await person.page.locator('#none').waitFor();
      await look(person.page, `qr-no-token-${locale}`);
      await person.page.goto('about:blank');
      await person.page.goto(url);
      await person.page.locator('[name=code]').waitFor();
      t.equal(await person.page.locator('dd').last().innerText(), hostile, 'the program of the device is text');
      await look(person.page, `qr-deciding-${locale}`);
      await person.page.locator('[name=code]').fill(digits);
      await person.page.locator('[value=approve]').click();
      await person.page.locator('.good').waitFor();
      await look(person.page, `qr-approved-${locale}`);
      await device.page.waitForURL('**/account/security');
      t.notOk(
        person.requests.some((address) => address.includes(new URL(url).hash.slice(1, 30)) && !address.includes('#')),
      );
      for (const { complaints } of [device, person]) t.strictSame(complaints, [], 'the policy allows all that they do');
    }
  },
);
