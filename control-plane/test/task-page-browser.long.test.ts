import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { noBrowser, openTab, startBrowser } from './_support/browser.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

t.test('a probe that is started from the form shows its results as they arrive', { skip: noBrowser }, async (t) => {
  const { api } = await startStack(t);
  const identity = await enrollPeer(api, { declared: { country: 'DE', city: 'Berlin', asn: 3320 } });
  const peer = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
  await until('the node', async () => (await api.call('GET', '/v1/nodes?status=online')).body.data.items.length === 1);
  const browser = await startBrowser(t);
  const { page, complaints, requests } = await openTab(browser, `${api.url}/?lang=zh-TW`);
  await page.locator('[name=type]').selectOption('tcp');
  await page.locator('[name=target]').fill('127.0.0.1:80');
  await page.locator('.probe button').click();
  await page.getByText('等待中').waitFor();
  t.match(page.url(), /\/p\/pt_\w{22}\?lang=zh-TW$/);
  await until('the job', () => peer.jobs.length === 1);
  await page.evaluate('window.isTheSame = true');
  peer.sendResults([successOf(peer.jobs[0]?.taskId ?? '', 'tcp')]);
  await page.locator('.pill.good').waitFor();
  t.equal(await page.evaluate('window.isTheSame'), true, 'without loading the page again');
  t.equal(await page.locator('[data-events]').count(), 0);
  t.strictSame(complaints, [], 'the policy allows all that it does');
  t.equal(requests.filter((address) => address.endsWith('/events')).length, 1);
});
