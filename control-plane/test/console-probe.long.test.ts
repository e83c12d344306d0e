import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { accessibilityFindings, noBrowser, openTab, overflowOf, startBrowser } from './_support/browser.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

const looks = [360, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

t.test('a person enrolls a node in the console, sees it arrive, and probes from it', { skip: noBrowser }, async (t) => {
  const { api, database } = await startStack(t);
  const browser = await startBrowser(t);
  const { page, complaints } = await openTab(browser, `${api.url}/sign-up`);
  await page.locator('[name=email]').fill('operator@example.com');
  await page.locator('[name=password]').fill('correct horse battery staple');
  await page.locator('main form button').click();
  await page.waitForURL(/\/(?!sign-up)/);
  await database.db('users').where({ email: 'operator@example.com' }).update({ email_verified_at: new Date() });

  /** Looks at the view of the page, narrow and wide, light and dark. */
  const look = async (name: string) => {
    for (const { width, colorScheme } of looks) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      t.strictSame(await accessibilityFindings(page), [], `${name}, ${width} px, ${colorScheme}`);
      t.ok((await overflowOf(page)) <= 0, `${name} fits ${width} px`);
    }
  };

  await page.goto(`${api.url}/console/my-nodes/enroll`);
  await page.getByLabel('What for').fill('attic');
  await page.getByRole('button', { name: 'Create an enrollment token' }).click();
  const token = (await page.locator('pre', { hasText: 'ent_' }).textContent()) ?? '';
  await page.getByText('Waiting until the token is used').waitFor();
  await look('enrolling');
  let question = '';
  page.once('dialog', (dialog) => {
    question = dialog.message();
    void dialog.dismiss();
  });
  await page.getByRole('link', { name: 'Nodes', exact: true }).click();
  t.match(question, /^The token is shown once/);
  t.match(page.url(), /enroll$/, 'who stays loses nothing');
  const identity = await enrollPeer(api, {
    token,
    name: 'attic-1',
    declared: { country: 'DE', city: 'Berlin', asn: 3320 },
  });
  const peer = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
  await page.getByText('The node is online.').waitFor();

  await page.getByRole('link', { name: 'Open the node' }).click();
  await page.getByRole('heading', { name: 'attic-1' }).waitFor();
  await look('own node');
  await page.getByRole('link', { name: 'Probe from here' }).click();
  await page.getByRole('combobox', { name: 'Type' }).selectOption('tcp');
  await page.getByRole('textbox', { name: 'Target' }).fill('127.0.0.1:80');
  await look('probe');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Waiting for nodes…').waitFor();
  t.match(page.url(), /\/console\/probe\/pt_\w{22}\?.*target=127\.0\.0\.1%3A80/, 'the request is in the address');
  await until('the job', () => peer.jobs.length === 1);
  peer.sendResults([successOf(peer.jobs[0]?.taskId ?? '', 'tcp')]);
  await page.getByRole('row', { name: /ok.*Berlin, Germany/ }).waitFor();
  await page.getByText('As a command').click();
  t.match(await page.locator('pre', { hasText: 'curl' }).textContent(), /Bearer \$VANTAGE_TOKEN/);
  t.match(
    await page.getByRole('link', { name: 'Monitor this' }).getAttribute('href'),
    '/monitors/new?type=tcp&target=127.0.0.1%3A80',
  );
  await look('results');

  await page.goto(`${api.url}/console/nodes?country=DE&asn=3320`);
  await page.getByRole('row', { name: /online attic-1 Berlin, Germany/ }).waitFor();
  await look('nodes');
  await page.getByLabel('Name, city, provider or tag').fill('cellar');
  await page.getByText('Nothing matches these filters.').waitFor();
  t.strictSame(complaints, [], 'the policy allows all that it does');
});
