import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { accessibilityFindings, noBrowser, openTab, overflowOf, startBrowser } from './_support/browser.js';
import { startReceiver } from './_support/receiver.js';
import { apiOf, startStack } from './_support/stack.js';

const hostile = ['<img src=x onerror=alert(1)>', 'Shop \u202egnp.exe', 'x'.repeat(200)] as const;

t.test('a person handles an outage in the console', { skip: noBrowser }, async (t) => {
  const { api, database } = await startStack(t);
  const { db } = database;
  const receiver = await startReceiver(t);
  const browser = await startBrowser(t);
  const { page, complaints, requests } = await openTab(browser, `${api.url}/sign-up?lang=en`, { locale: 'en-GB' });
  await page.locator('[name=email]').fill('operator@example.com');
  await page.locator('[name=password]').fill('correct horse battery staple');
  const signedUp = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.locator('[name=password]').press('Enter');
  await signedUp;
  const { id: owner } = await db('users').where({ email: 'operator@example.com' }).first();
  await db('users').where({ id: owner }).update({ email_verified_at: new Date() });
  const token = await page.evaluate<string>(
    `fetch('/session/token', { method: 'POST', headers: { 'X-Vantage-Console': '1' } }).then((response) => response.json()).then(({ data }) => data.access_token)`,
  );
  const person = apiOf(api.url, token, owner);
  const eventIds: string[] = [];
  for (const name of hostile) {
    const body = {
      name: `Monitor ${eventIds.length}`,
      type: 'heartbeat',
      config: { interval_s: 86_400, grace_s: 3_600 },
    };
    const created = await person.call('POST', '/v1/monitors', { body });
    const monitor: string = created.body.data.id;
    await db('monitors').where({ id: monitor }).update({ name });
    const id = newId(idPrefixes.monitorEvent);
    await db('monitor_events').insert({ id, monitor_id: monitor, type: 'down', started_at: new Date(), reason: name });
    eventIds.push(id);
  }

  await t.test('sees the event and acknowledges it', async (t) => {
    await page.goto(`${api.url}/console/events`);
    await page.getByRole('link', { name: hostile[0] }).waitFor();
    t.equal(await page.getByRole('link', { name: 'Shop \\u{202e}gnp.exe' }).count(), 1, 'it turns no text around');
    t.equal(await page.locator('main img').count(), 0);
    await page.getByRole('link', { name: hostile[0] }).click();
    const answer = page.waitForResponse((response) => response.url().endsWith('/ack'));
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    t.equal((await answer).status(), 200);
    await page.getByText('Acknowledged', { exact: true }).waitFor();
    t.not((await db('monitor_events').where({ id: eventIds[0] }).first()).ack_at, null);
  });

  await t.test('creates a channel, whose test reaches the receiver', async (t) => {
    await page.goto(`${api.url}/console/alerts/channels/new?type=webhook`);
    await page.getByLabel('Name', { exact: true }).fill(hostile[1]);
    await page.getByLabel(/^url/).fill(`${receiver.url}/hook`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('accepted', { exact: true }).waitFor();
    t.match(receiver.requests, [{ method: 'POST', path: '/hook' }]);
    t.notMatch(await page.content(), receiver.url, 'its address is a secret');
    receiver.reply = () => ({ status: 500, body: hostile[0] });
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('not accepted', { exact: true }).waitFor();
    t.equal(await page.locator('main img').count(), 0);
  });

  await t.test('creates a silence and ends it', async (t) => {
    await page.goto(`${api.url}/console/alerts/silences`);
    await page.getByText('New silence').click();
    await page.getByLabel('Reason').fill(hostile[2]);
    await page.getByLabel('Only monitors').fill('prod');
    await page.getByRole('button', { name: 'Create the silence' }).click();
    await page.getByRole('cell', { name: 'tag prod' }).waitFor();
    t.match(await db('alert_silences').select(), [{ reason: hostile[2], scope_ids: ['prod'] }]);
    await page.getByRole('button', { name: 'End now' }).click();
    await page.locator('td', { hasText: 'ended' }).waitFor();
  });

  await t.test('can read every view, wide or narrow, light or dark', async (t) => {
    const { id: channel } = await db('alert_channels').where({ type: 'webhook' }).first();
    const parts = [
      'events',
      'channels',
      `channels/${channel}`,
      'policies',
      'policies/new',
      'silences',
      'deliveries',
      'webhooks',
    ];
    const views = ['events', `events/${eventIds[2]}`, ...parts.map((part) => `alerts/${part}`), 'lookups', 'diagnose'];
    for (const view of views) {
      await page.goto(`${api.url}/console/${view}`);
      await page.locator('main h1').waitFor();
      await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
      for (const width of [360, 1440])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          t.ok((await overflowOf(page)) <= 0, `${view} fits into ${width} pixels`);
          t.strictSame(await accessibilityFindings(page), [], `${view}, ${width}, ${colorScheme}`);
        }
    }
  });

  t.strictSame(complaints, [], 'the policy allows all that it does');
  t.strictSame(
    requests.filter((address) => !address.startsWith(`${api.url}/`)),
    [],
    'nothing comes from elsewhere',
  );
});
