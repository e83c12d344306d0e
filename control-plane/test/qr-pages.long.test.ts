import type { Page } from 'playwright-core';
import t from 'tap';
import { noBrowser, openTab, startBrowser } from './_support/browser.js';
import { looksRightNow } from './_support/page-looks.js';
import { startStack } from './_support/stack.js';

const password = 'correct horse battery staple';
const email = 'ada@example.com';
const hostile = 'SmartTV/1 <img src=x onerror="document.title=1">';

t.test(
  'a device is signed in by its picture, in three languages, and its page continues by itself',
  { skip: noBrowser },
  async (t) => {
    const { api, controlPlane, database } = await startStack(t, { VANTAGE_SMTP_URL: 'smtp://127.0.0.1:1' });
    const { accounts } = controlPlane.services;
    await accounts.users.createUser({ email, role: 'user', password });
    const browser = await startBrowser(t);
    const look = (page: Page, state: string) => looksRightNow(t, page, state, [hostile]);

    for (const locale of ['en', 'zh-CN', 'zh-TW']) {
      const device = await openTab(browser, `${api.url}/sign-in/qr`, { locale, userAgent: hostile });
      await look(device.page, 'qr-start');
      await device.page.locator('main button').click();
      const digits = await device.page.locator('main strong').innerText();
      await look(device.page, 'qr-waiting');
      const cookies = await device.page.context().cookies();
      const challenge = cookies.find(({ name }) => name === 'vantage_sign_in')?.value ?? '';
      const { url } = await accounts.qrSignIn.shown(challenge);

      const person = await openTab(browser, url, { locale });
      await person.page.locator('[name=email]').fill(email);
      await person.page.locator('[name=password]').fill(password);
      await person.page.locator('main button').click();
      await person.page.locator('[value=approve]').waitFor();
      await person.page.goto(`${api.url}/qr`);
      await person.page.locator('#none').waitFor();
      await look(person.page, 'qr-no-token');
      await database.db('sessions').update({ fresh_until: new Date(0) });
      await person.page.goto('about:blank');
      await person.page.goto(url);
      await look(person.page, 'qr-confirm-first');
      await person.page.locator('#on').click();
      await person.page.locator('[name=password]').fill(password);
      await person.page.locator('.raised button').click();
      await person.page.locator('[value=approve]').waitFor();
      t.equal(await person.page.locator('dd').last().innerText(), hostile, 'the program of the device is text');
      await look(person.page, 'qr-deciding');
      await person.page.locator('[name=code]').fill(digits);
      await person.page.locator('[value=approve]').click();
      await person.page.locator('.good').waitFor();
      await look(person.page, 'qr-approved');
      await device.page.waitForURL('**/account/security');
      t.notOk(
        person.requests.some((address) => address.includes(new URL(url).hash.slice(1, 30)) && !address.includes('#')),
      );
      for (const { complaints } of [device, person]) t.strictSame(complaints, [], 'the policy allows all that they do');
    }
  },
);
