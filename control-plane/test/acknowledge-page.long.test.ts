import t from 'tap';
import { type AlertOfStack, startAlertedStack } from './_support/alerted-stack.js';
import { noBrowser, openTab, startBrowser } from './_support/browser.js';
import { looksRight } from './_support/page-looks.js';

const DAY_MS = 86_400_000;
const languages = {
  en: { button: 'Acknowledge', done: 'is acknowledged', over: 'ended on', invalid: 'not valid' },
  'zh-CN': { button: '确认告警', done: '告警已确认', over: '结束', invalid: '此链接无效' },
  'zh-TW': { button: '確認告警', done: '告警已確認', over: '結束', invalid: '此連結無效' },
} as const;
/** A name as long as the API accepts, with what browsers would read as markup or turn around. */
const hostile = `<b>"Shop"</b> \u202e ${'🛒'.repeat(40)}${'x'.repeat(80)}`;

t.test('the page that acknowledges an alert, in a browser', { skip: noBrowser }, async (t) => {
  const { api, db, alerts } = await startAlertedStack(t, ['Shop', 'Depot', hostile, 'Cellar']);
  const browser = await startBrowser(t);
  const [shop, depot, odd, over] = alerts as [AlertOfStack, AlertOfStack, AlertOfStack, AlertOfStack];
  await api.call('POST', `/v1/alert-events/${over.id}/resolve`);
  const directory = process.env['VANTAGE_TEST_PICTURES'];

  for (const [locale, words] of Object.entries(languages)) {
    await t.test(`${locale}: each state has a readable page, wide or narrow, light or dark`, async (t) => {
      const states = {
        firing: [shop.link, words.button],
        'hostile name': [odd.link, words.button],
        ended: [over.link, words.over],
        altered: [shop.link.replace(shop.id, depot.id), words.invalid],
        expired: [shop.linkOf(8 * DAY_MS), words.invalid],
      } as const;
      const ofStates = <T>(value: (link: string, text: string) => T) =>
        Object.fromEntries(Object.entries(states).map(([state, [link, text]]) => [state, value(link, text)]));
      await looksRight(t, browser, {
        name: 'acknowledge',
        locale,
        states: ofStates((link) => api.url + link),
        texts: ofStates((_, text) => ({ locator: 'main', text })),
        origin: api.url,
        expectedStatus: 404,
      });
    });
  }

  await t.test('the button acknowledges with scripts turned off, and the page says so', async (t) => {
    const { page } = await openTab(browser, api.url + depot.link, { locale: 'zh-CN', javaScriptEnabled: false });
    await page.locator('button').focus();
    await page.keyboard.press('Enter');
    await page.getByText(languages['zh-CN'].done).waitFor();
    t.equal(await page.locator('button').count(), 0);
    t.match(await db('alerts').where({ id: depot.id }).first(), {
      status: 'acknowledged',
      state: { acknowledgedVia: 'link' },
    });
    await page.goto(api.url + depot.link);
    t.match(await page.locator('main').innerText(), /Hook 已于/);
    if (directory !== undefined) await page.screenshot({ path: `${directory}/acknowledged.png` });
    await page.context().close();
  });
});
