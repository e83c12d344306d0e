import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import {
  accessibilityFindings,
  narrowAndDarken,
  noBrowser,
  openTab,
  overflowOf,
  startBrowser,
} from './_support/browser.js';
import { looksRight } from './_support/page-looks.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { finishedTask } from './_support/probes.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const OPERATION = 'Probes-createTCPProbe';

t.test('the pages in a browser', { skip: noBrowser }, async (t) => {
  const mailDir = temporaryDirectory(t);
  const { api } = await startStack(t, {
    VANTAGE_MAIL_DIR: mailDir,
    VANTAGE_GEOIP_ATTRIBUTION: 'Places by A, CC BY 4.0',
  });
  await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const browser = await startBrowser(t);
  const { page, complaints, requests } = await openTab(browser, `${api.url}/docs/errors/TOKEN_LIMIT_EXCEEDED`);
  const block = page.locator(`#operations-${OPERATION}`);
  const execute = async (target: string) => {
    await block.locator('textarea').fill(JSON.stringify({ target }));
    await block.locator('.execute').click();
    const answer = block.locator('.live-responses-table .response', { hasText: /pt_\w{22}/ });
    await answer.waitFor();
    const text = await answer.innerText();
    return { status: Number.parseInt(text), taskId: /pt_\w{22}/.exec(text)?.[0] ?? '' };
  };
  let taskId = '';

  await t.test('the page of an error links to an operation in the reference, which is expanded', async (t) => {
    await page.locator('a[href$="/createApiKey"]').click();
    await t.resolves(page.locator('[id$="-createApiKey"] .execute').waitFor());
  });

  /**
   * Opens the reference again at an operation, which is expanded then; only what is near it is rendered. Swagger UI
   * shows an operation before it has resolved its references, and its headers are folded when they are resolved.
   */
  const openAt = async (tag: string, operationId: string) => {
    await page.goto('about:blank');
    await page.goto(`${api.url}/docs#/${encodeURIComponent(tag)}/${operationId}`);
    await page.locator(`[id$="-${operationId}"] .execute`).waitFor();
    await page.locator(`[id$="-${operationId}"] details.common`).first().waitFor();
  };

  await t.test(
    'the reference loads from this server alone, without an error, and opens at any operation',
    async (t) => {
      const document = (await api.call('GET', '/v1/openapi.json')).body;
      const operations = Object.values<object>(document.paths).flatMap((methods) => Object.values(methods));
      for (const share of [0, 0.5, 1]) {
        const { tags, operationId } = operations[Math.round(share * (operations.length - 1))];
        await t.resolves(openAt(tags[0], operationId), operationId);
      }
      t.strictSame(complaints, []);
      t.ok(requests.length > 4);
      t.strictSame(
        requests.filter((address) => !address.startsWith(`${api.url}/`) && !address.startsWith('data:')),
        [],
      );
    },
  );

  await t.test(
    'the box filters operations by words, and exactly those that need credentials have a lock',
    async (t) => {
      await page.goto('about:blank');
      await page.goto(`${api.url}/docs`);
      const box = page.getByLabel('Filter operations');
      const shown = () => page.locator('.opblock:visible').evaluateAll((blocks) => blocks.map(({ id }) => id));
      await box.fill('probe task');
      const found = ['getProbeTask', 'listProbeTasks', 'streamProbeTask'].map((id) => `operations-Probes-${id}`);
      await until('the filter', async () => (await shown()).toSorted().join() === found.join());
      const locks = await page
        .locator('.opblock:visible:has(.authorization__btn)')
        .evaluateAll((blocks) => blocks.map(({ id }) => id));
      t.strictSame(locks, ['operations-Probes-listProbeTasks'], 'other tasks are read without credentials');
      t.equal(await page.getByLabel('Needs credentials').count(), 1);
    },
  );

  await t.test('headers that most operations have are folded', async (t) => {
    await openAt('Probes', 'createTCPProbe');
    const folded = block.locator('.common details, details.common');
    await until('those of the request and of the responses', async () => (await folded.count()) >= 4);
    t.notOk(await block.getByText('Your own id for this request').isVisible());
    await block.locator('summary', { hasText: 'X-Request-Id (header)' }).click();
    t.ok(await block.getByText('Your own id for this request').isVisible());
  });

  await t.test('"execute" submits a real probe and shows its response', async (t) => {
    await openAt('Probes', 'createTCPProbe');
    const answer = await execute('127.0.0.1:80');
    t.equal(answer.status, 202);
    taskId = answer.taskId;
    t.equal((await finishedTask(api, taskId)).status, 'completed', 'an agent ran it');
    t.strictSame(complaints, []);
  });

  await t.test('"authorize" sends the entered token with every request', async (t) => {
    await page.locator('.btn.authorize').first().click();
    const dialogue = page.locator('.auth-container', { hasText: 'personalAccessToken' });
    t.strictSame(await accessibilityFindings(page), [], 'the dialogue');
    await dialogue.locator('input').fill(api.token);
    await dialogue.locator('button[type=submit]').click();
    await dialogue.getByRole('button', { name: 'Logout' }).waitFor();
    await page.locator('.close-modal').click();
    await block.locator('.btn-clear').click();
    await execute('127.0.0.1:443');
    const { body } = await api.call('GET', '/v1/probe/tasks');
    t.match(body.data.items, [{ target: '127.0.0.1:443' }], 'the task belongs to the account');
  });

  await t.test('the reference has no serious accessibility problem, wide or narrow, light or dark', async (t) => {
    await block.locator('.fold').first().click();
    t.strictSame(await accessibilityFindings(page), [], 'wide and light');
    await narrowAndDarken(page);
    t.strictSame(await accessibilityFindings(page), [], 'narrow and dark');
    t.ok((await overflowOf(page)) <= 0, 'no horizontal scrolling is needed');
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
    const paths = ['/abuse', `/p/${taskId}`, '/docs/guide', '/docs/errors/AUTH_REQUIRED', '/'];
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
