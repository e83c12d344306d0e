import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { partitionName } from '../src/db/partitions.js';
import { CheckingNode } from './_support/checking-node.js';
import { DeadlySteps } from './_support/deadly-steps.js';
import { keepEvents, monitorEvents } from './_support/kept-events.js';
import { asUser } from './_support/owners.js';
import { readMail, startSmtpServer } from './_support/smtp-server.js';
import { startReplica, startStack } from './_support/stack.js';

t.test(
  'the owner gets two mails for every event of a monitor, and none if notify_owner is false or a test key created it',
  async (t) => {
    const server = await startSmtpServer(t);
    const { api, controlPlane, database } = await startStack(t, { VANTAGE_SMTP_URL: `smtp://${server.host}` });
    const { db } = database;
    await keepEvents(db);
    await db('users').update({ email_verified_at: new Date() });
    const { key } = await controlPlane.services.tokens.apiKeys.create(
      asUser(api.userId),
      { name: 'test', type: 'test', scopes: ['write', 'read'] },
      commandLine,
    );
    const node = await CheckingNode.join(t, api);
    const make = async (name: string, fields: object, as = api.token) => {
      const body = { name, type: 'tcp', target: '127.0.0.1:9', ...fields };
      const { id } = (await api.call('POST', '/v1/monitors', { body, as })).body.data;
      await node.waitForAssignment(id);
      return id as string;
    };
    const silent = [await make('Silent', { notify_owner: false }), await make('Tried', {}, key)];
    const ids = [...silent, await make('Shop', {})];
    const subjects: string[] = [];
    for (const outcome of ['failed', 'degraded'] as const) {
      for (const says of [outcome, 'ok'] as const) {
        for (const id of ids) node.check(id, says);
        subjects.push(`${says === 'ok' ? 'Up again' : outcome === 'failed' ? 'Down' : 'Degraded'}: Shop`);
        await until('events of all', async () => (await monitorEvents(db)).length === ids.length * subjects.length);
        await until('all are handled', async () => (await waitingMarks(db)).length === 0);
        await until('mails', () => server.mails.length >= subjects.length);
        t.same(
          server.mails.flatMap(({ to }) => to),
          subjects.map(() => 'admin@test.example'),
        );
      }
    }
    t.same(
      (await Promise.all(server.mails.map(readMail))).map(({ subject }) => subject),
      subjects,
    );
    t.match(
      (await readMail(server.mails[0] as never)).text,
      /^Shop is down: nobody listens there \(1 of 1 node\)\n[^]*127\.0\.0\.1:9/,
    );
    const tried = await db('alert_deliveries').where({ is_test: true }).distinct('status', 'reason');
    t.same(tried, [{ status: 'dropped', reason: 'test_mode' }]);
  },
);

t.test('the link of a mail stops the mails about its monitor alone, until the account resumes them', async (t) => {
  const server = await startSmtpServer(t);
  const { api, database } = await startStack(t, { VANTAGE_SMTP_URL: `smtp://${server.host}` });
  await database.db('users').update({ email_verified_at: new Date() });
  const node = await CheckingNode.join(t, api);
  const make = async (name: string) => {
    const body = { name, type: 'tcp', target: '127.0.0.1:9' };
    const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
    await node.waitForAssignment(id);
    return id as string;
  };
  const [shop, blog] = [await make('Shop'), await make('Blog')];
  let sent = 0;
  /** The next delivery, and the newest mail, after a check of a monitor. */
  const next = async (id: string, outcome: 'failed' | 'ok') => {
    node.check(id, outcome);
    sent += 1;
    await until('the delivery', async () => {
      const { items } = (await api.call('GET', '/v1/alert-deliveries')).body.data;
      return items.length === sent && ['sent', 'dropped'].includes(items[0].status);
    });
    const [{ status, reason }] = (await api.call('GET', '/v1/alert-deliveries')).body.data.items;
    const { subject, text } = await readMail(server.mails.at(-1) as never);
    return { status, reason, subject, text: text ?? '' };
  };
  const down = await next(shop, 'failed');
  t.match(down, { status: 'sent', subject: 'Down: Shop' });
  const [link = ''] = /https?:\S+\/alert-channels\/stop\/\S+/.exec(down.text) ?? [];
  const page = await fetch(link);
  t.match([page.status, await page.text()], [200, /Mails about “Shop” are sent to admin@test\.example/]);
  const [{ id: channel, recipients }] = (await api.call('GET', '/v1/alert-channels')).body.data.items;
  t.strictSame(recipients[0].stopped_monitors, [], 'opening the page does nothing');
  for (const time of ['once', 'twice']) t.equal((await fetch(link, { method: 'POST' })).status, 200, time);
  t.match(await next(shop, 'ok'), { status: 'dropped', reason: 'monitor_stopped' });
  t.match(await next(blog, 'failed'), { status: 'sent', subject: 'Down: Blog' }, 'other mails continue');

  const path = `/v1/alert-channels/${channel}`;
  t.strictSame((await api.call('GET', path)).body.data.recipients[0].stopped_monitors, [shop]);
  const resume = () => api.call('POST', `${path}/resume-monitor`, { body: { monitor_id: shop } });
  t.match((await resume()).body.data.recipients, [{ stopped_monitors: [] }]);
  t.match(await resume(), { status: 422, body: { error: { details: { monitor_id: [{ code: 'not_found' }] } } } });
  t.match(await next(shop, 'failed'), { status: 'sent', subject: 'Down: Shop' });
});

t.test('an event is mailed once, even if a replica dies between the event and its mail', async (t) => {
  const server = await startSmtpServer(t);
  const settings = { VANTAGE_SMTP_URL: `smtp://${server.host}` };
  const { api, database } = await startStack(t, settings, systemClock);
  const { db } = database;
  await startReplica(t, database.url, { ...settings, VANTAGE_PUBLIC_URL: api.url }, systemClock);
  await keepEvents(db);
  await db('users').update({ email_verified_at: new Date() });
  const node = await CheckingNode.join(t, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9' };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await node.waitForAssignment(id);
  const deadly = await DeadlySteps.prepare(db, ['alert_deliveries']);
  for (const [index, outcome] of (['failed', 'ok'] as const).entries()) {
    await deadly.arm(partitionName({ name: 'alert_deliveries' }, Date.now()));
    node.check(id, outcome);
    await deadly.waitForDeath();
    t.equal((await monitorEvents(db)).length, index + 1, 'the judgment is kept');
    t.equal(server.mails.length, index);
    await deadly.disarm();
    await until('its mail', () => server.mails.length > index);
    await until('nothing to be left', async () => (await waitingMarks(db)).length === 0);
    // The mark of a sent mail is a write to the armed table too: it must not be what dies in the next round.
    await until('all to be marked as sent', async () => {
      const delivered = await db('alert_deliveries').select('status');
      return delivered.length === index + 1 && delivered.every(({ status }) => status === 'sent');
    });
  }
  const ids: string[] = await db('alert_deliveries').orderBy('created_at').pluck('id');
  const mails = await Promise.all(server.mails.map(readMail));
  t.same(
    mails.map(({ messageId }) => messageId?.replace(/@.*/, '')),
    ids.map((id) => `<${id}`),
  );
});

function waitingMarks(db: Knex): Promise<object[]> {
  return db('outbox_marks').where({ consumer: 'alerts.monitors' });
}
