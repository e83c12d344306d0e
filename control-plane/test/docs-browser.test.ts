import t from 'tap';
import {
  accessibilityFindings,
  narrowAndDarken,
  noBrowser,
  openTab,
  overflowOf,
  startBrowser,
} from './_support/browser.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { finishedTask } from './_support/probes.js';
import { startStack } from './_support/stack.js';

t.setTimeout(120_000);

const OPERATION = 'Probes-createTCPProbe';

t.test('the pages in a browser', { skip: noBrowser }, async (t) => {
  const { api } = await startStack(t);
  await PeerAgent.connect(t, api.url, await enrollPeer(api), { isBeating: true });
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

  await t.test('the page of an error leads to an operation in the reference, which is open', async (t) => {
    await page.locator('a[href$="/createApiKey"]').click();
    await t.resolves(page.locator('[id$="-createApiKey"] .execute').waitFor());
  });

  await t.test('the reference loads from this server alone, without an error, and shows every operation', async (t) => {
    const document = (await api.call('GET', '/v1/openapi.json')).body;
    const count = Object.values<object>(document.paths).flatMap((methods) => Object.keys(methods)).length;
    t.equal(await page.locator('.opblock').count(), count);
    t.strictSame(complaints, []);
    t.ok(requests.length > 4);
    t.strictSame(
      requests.filter((address) => !address.startsWith(`${api.url}/`) && !address.startsWith('data:')),
      [],
    );
  });

  await t.test('"execute" submits a real probe and shows its answer', async (t) => {
    await block.locator('.opblock-summary-control').click();
    const answer = await execute('127.0.0.1:80');
    t.equal(answer.status, 202);
    taskId = answer.taskId;
    t.equal((await finishedTask(api, taskId)).status, 'completed', 'an agent ran it');
    t.strictSame(complaints, []);
  });

  await t.test('"authorize" sends the token that was entered with every request', async (t) => {
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
    t.match(body.data.items, [{ target: '127.0.0.1:443' }], 'the task is of the account');
  });

  await t.test('the reference has no serious accessibility problem, wide or narrow, light or dark', async (t) => {
    await block.locator('.fold').first().click();
    t.strictSame(await accessibilityFindings(page), [], 'wide and light');
    await narrowAndDarken(page);
    t.strictSame(await accessibilityFindings(page), [], 'narrow and dark');
    t.ok((await overflowOf(page)) <= 0, 'nobody scrolls sideways');
    await page.context().close();
  });

  await t.test('no other page has a serious accessibility problem either', async (t) => {
    const paths = ['/abuse', `/p/${taskId}`, '/docs/guide', '/docs/errors/AUTH_REQUIRED', '/verify-email', '/'];
    const tab = await openTab(browser, `${api.url}/`);
    for (const view of ['wide and light', 'narrow and dark']) {
      for (const path of paths) {
        await tab.page.goto(api.url + path);
        t.strictSame(await accessibilityFindings(tab.page), [], `${path} ${view}`);
        t.ok((await overflowOf(tab.page)) <= 0, `${path} does not scroll sideways`);
      }
      await narrowAndDarken(tab.page);
    }
    t.strictSame(tab.complaints, []);
  });
});
