import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { noBrowser, openTab, startBrowser } from './_support/browser.js';
import { looksRight } from './_support/page-looks.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { finishedTask } from './_support/probes.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test('the pages in a browser', { skip: noBrowser }, async (t) => {
  const mailDir = temporaryDirectory(t);
  const { api } = await startStack(t, { VANTAGE_MAIL_DIR: mailDir });
  await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const browser = await startBrowser(t);
  const { page, complaints, requests } = await openTab(browser, `${api.url}/docs/errors/TOKEN_LIMIT_EXCEEDED`);

  await t.test('the page of an error leads to the place of an operation in the reference', async (t) => {
    await page.locator('a[href$="#createApiKey"]').click();
    await page.waitForURL('**/docs/api-keys#createApiKey');
    t.ok(await page.locator('#createApiKey').isVisible());
  });

  await t.test('the search of the reference keeps operations that have every word', async (t) => {
    await page.goto(`${api.url}/docs`);
    await page.getByLabel('Find an operation').fill('Probe task');
    const shown = await page.locator('.group li:visible a').evaluateAll((links) => links.map(({ hash }) => hash));
    t.strictSame(shown.toSorted(), ['#getProbeTask', '#listProbeTasks', '#streamProbeTask', '#updateProbeTask']);
    t.strictSame(await page.locator('.group:visible h2').allInnerTexts(), ['Probes']);
    t.strictSame(complaints, []);
    t.strictSame(
      requests.filter((address) => !address.startsWith(`${api.url}/`) && !address.startsWith('data:')),
      [],
    );
    await page.context().close();
  });

  await t.test('the form shows the parameters of the chosen type alone, and no nodes for a lookup', async (t) => {
    const { page } = await openTab(browser, `${api.url}/?type=dns`, { javaScriptEnabled: false });
    const shown = () =>
      page.locator('.probe label:visible').evaluateAll((all) => all.map((one) => one.firstChild.data));
    t.strictSame(await shown(), ['Kind', 'Target', 'From', 'Nodes', 'Record type', 'Resolver', 'Transport']);
    await page.getByLabel('Kind').selectOption('ping');
    t.strictSame(await shown(), ['Kind', 'Target', 'From', 'Nodes', 'Count', 'IP version']);
    await page.getByRole('link', { name: 'DNS records' }).click();
    t.strictSame(await shown(), ['Kind', 'Target']);
    await page.context().close();
  });

  await t.test(
    'the page of a mailed link verifies with the password, or sets a new one for another reader',
    async (t) => {
      const tab = await openTab(browser, `${api.url}/`);
      const output = tab.page.locator('output');
      const follow = async (email: string) => {
        await api.call('POST', '/v1/auth/register', {
          body: { email, password: 'seven wet bridges at dusk' },
          as: null,
        });
        await until('the mail', () => mailedToken(mailDir, email) !== '');
        await tab.page.goto(`${api.url}/verify-email#${mailedToken(mailDir, email)}`);
        await tab.page.reload();
      };
      const canSignIn = async (email: string, password: string) =>
        (await api.call('POST', '/v1/auth/login', { body: { email, password }, as: null })).status === 200;

      await follow('ada@example.com');
      await tab.page.locator('[name=password]').fill('seven dry bridges at dusk');
      await tab.page.locator('form button').first().click();
      await tab.page.locator('output.bad').waitFor();
      t.match(await output.innerText(), /password: is wrong|wrong/i);
      await tab.page.locator('[name=password]').fill('seven wet bridges at dusk');
      await tab.page.locator('form button').first().click();
      await tab.page.locator('output.good').waitFor();
      t.notOk(await tab.page.locator('#ask').isVisible(), 'no field is left');
      t.ok(await canSignIn('ada@example.com', 'seven wet bridges at dusk'));

      await follow('victor@example.com');
      t.notOk(await tab.page.locator('[name=new_password]').isVisible());
      await tab.page.locator('summary').click();
      await tab.page.locator('[name=new_password]').fill('seven own bridges at dusk');
      await tab.page.locator('details button').click();
      await tab.page.locator('output.good').waitFor();
      t.strictSame(
        [
          await canSignIn('victor@example.com', 'seven wet bridges at dusk'),
          await canSignIn('victor@example.com', 'seven own bridges at dusk'),
        ],
        [false, true],
      );
      // the browser itself reports the one 401 response
      t.strictSame(
        tab.complaints.filter((complaint) => !complaint.includes('401')),
        [],
      );
      await tab.page.context().close();
    },
  );

  await t.test('no other page has a serious accessibility problem either', async (t) => {
    const { data } = (await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:80' }, as: null })).body;
    await finishedTask(api, data.task_id);
    const paths = ['/abuse', `/p/${data.task_id}`, '/docs/guide', '/docs/errors/AUTH_REQUIRED', '/'];
    const mailed = [
      '/verify-email',
      '/verify-email#svc_ch_x',
      '/confirm-sign-in',
      '/confirm-sign-in#svc_ch_x',
      '/reset-password#svc_ch_x',
    ];
    await looksRight(t, browser, {
      name: 'page',
      locale: 'en',
      states: Object.fromEntries([...paths, ...mailed].map((path) => [path, api.url + path])),
      origin: api.url,
      expectedStatus: null,
    });
  });
});

/** The token of the newest mail to an address. */
function mailedToken(directory: string, email: string): string {
  const mails = readdirSync(directory).filter((name) => name.endsWith('.eml'));
  const sources = mails.toSorted().map((name) => readFileSync(join(directory, name), 'utf8').replaceAll('=\r\n', ''));
  const source = sources.findLast((text) => text.includes(email)) ?? '';
  return /svc_ch_[\w-]{61}/.exec(source)?.[0] ?? '';
}
