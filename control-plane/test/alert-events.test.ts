import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { AcknowledgeLinks } from '../src/modules/alerts/links/acknowledge-links.js';
import { type AlertOfStack, startAlertedStack } from './_support/alerted-stack.js';
import { patientClock } from './_support/patient-clock.js';
import { SECRET_KEY, startStack, type TestApi } from './_support/stack.js';

const DAY_MS = 86_400_000;

const stack = await startStack(t, {}, patientClock);

/** Alerts of a new account. */
const alertsOf = (t: Test, name: string, monitors?: readonly string[]) =>
  startAlertedStack(t, monitors, { stack, email: `${name}@test.example` });

async function anAlert(t: Test, name: string) {
  const { alerts, ...account } = await alertsOf(t, name);
  return { ...account, alert: alerts[0] as AlertOfStack };
}

async function visit({ url }: TestApi, method: string, path: string, locale = 'en', form?: URLSearchParams) {
  const headers = { 'accept-language': locale };
  const response = await fetch(new URL(path, url), { method, headers, ...(form === undefined ? {} : { body: form }) });
  return { status: response.status, text: await response.text(), headers: Object.fromEntries(response.headers) };
}

async function statusOf(db: Knex, id: string): Promise<string> {
  return (await db('alerts').where({ id }).first()).status;
}

t.test('alert events are listed, read, acknowledged and resolved', async (t) => {
  const { api, policyId, alert, kinds } = await anAlert(t, 'lists');
  const { id, monitorId } = alert;
  const list = async (query: string) => (await api.call('GET', `/v1/alert-events?${query}`)).body.data;
  t.match(await list(''), {
    items: [
      {
        id,
        monitor_id: monitorId,
        policy_id: policyId,
        type: 'down',
        status: 'firing',
        metadata: { reason: 'tcp_refused' },
      },
    ],
    page: 1,
    page_size: 20,
    total: 1,
    has_more: false,
  });
  for (const query of [
    'status=resolved',
    'severity=info',
    'type=no_data',
    'policy_id=ap_x',
    'monitor_id=m_x',
    'to=-1h',
  ])
    t.equal((await list(query)).total, 0, query);
  for (const query of ['status=firing', 'severity=critical', 'type=down', `monitor_id=${monitorId}`, 'from=-1h'])
    t.equal((await list(query)).total, 1, query);
  const one = (await api.call('GET', `/v1/alert-events/${id}`)).body.data;
  t.same(
    one.timeline.map(({ what }: { what: string }) => what),
    ['opened', 'notified'],
  );
  t.match(one.deliveries, [{ kind: 'firing', channel_name: 'Hook' }]);
  const acknowledge = () => api.call('POST', `/v1/alert-events/${id}/acknowledge`, { body: { note: 'I look at it.' } });
  const acknowledged = (await acknowledge()).body.data;
  t.match(acknowledged, { status: 'acknowledged', acknowledged_by: api.userId, metadata: { acknowledged_via: 'api' } });
  t.same((await acknowledge()).body.data, acknowledged, 'again: nothing changes');
  t.match((await api.call('GET', `/v1/alert-events/${id}`)).body.data.timeline, [
    {},
    {},
    { what: 'acknowledged', details: { note: 'I look at it.' } },
  ]);
  // one about an acknowledgement is not sent once the alert has ended
  await until('the message about the acknowledgement', () => kinds().length === 2);
  const resolve = () => api.call('POST', `/v1/alert-events/${id}/resolve`);
  t.match((await resolve()).body.data, { status: 'resolved', metadata: { resolution: 'person' } });
  t.match(await resolve(), { status: 200 });
  t.match(await acknowledge(), { status: 409, body: { error: { code: 'CONFLICT' } } });
  await until('all messages', () => kinds().length === 3);
  t.same(kinds(), ['firing', 'acknowledged', 'resolved']);
  t.match(await api.call('GET', '/v1/alert-events/ae_1111111111111111111111'), { status: 404 });
});

t.test('pages read by cursor contain each alert once, and a cursor of another list is refused', async (t) => {
  const { api, alerts } = await alertsOf(t, 'pages', ['Shop', 'Depot', 'Office']);
  const list = (query: string) => api.call('GET', `/v1/alert-events?page_size=2${query}`);
  const { body: first } = await list('');
  t.match(first.data, { total: 3, has_more: true });
  const cursor = first.meta.pagination.next_cursor;
  const { body: second } = await list(`&cursor=${cursor}`);
  t.match(second, { data: { page: 1, has_more: false }, meta: { pagination: { next_cursor: null } } });
  const read = [...first.data.items, ...second.data.items].map(({ id }: { id: string }) => id);
  t.same(read.toSorted(), alerts.map(({ id }) => id).toSorted());
  const { body: others } = await api.call('GET', '/v1/probe/tasks?limit=1');
  for (const wrong of ['x', others.meta.pagination.next_cursor ?? 'eyJ4IjoxfQ'])
    t.match(await list(`&cursor=${wrong}`), { status: 400, body: { error: { details: { cursor: Array } } } });
});

t.test('the link of a message shows the alert, and its button acknowledges it', async (t) => {
  const { api, db, alert, kinds, messages } = await anAlert(t, 'link');
  const { id, link } = alert;
  for (const [locale, label] of [
    ['en', 'Acknowledge'],
    ['zh-CN', '确认告警'],
    ['zh-TW', '確認告警'],
  ] as const) {
    const page = await visit(api, 'GET', link, locale);
    t.match(page, { status: 200, headers: { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' } });
    t.match(page.text, new RegExp(`<button>${label}</button>`));
    t.match(page.text, /<h1>Shop &lt;b&gt;<\/h1>/);
    t.match(page.text, `<input name="note" maxlength="500"`);
    t.notMatch(page.text, /<script/);
  }
  t.equal(await statusOf(db, id), 'firing', 'a visit changes nothing');
  const note = 'On it <b>\nBcc: x';
  const done = await visit(api, 'POST', link, 'en', new URLSearchParams({ note }));
  t.match(done, { status: 200, text: /<dt>Note<\/dt><dd>On it &lt;b&gt; Bcc: x<\/dd>/ });
  t.match((await api.call('GET', `/v1/alert-events/${id}`)).body.data, {
    status: 'acknowledged',
    acknowledged_by: 'channel:Hook',
    metadata: { acknowledged_via: 'link' },
  });
  t.match((await visit(api, 'POST', link)).text, /acknowledged/, 'again: nothing changes');
  t.notMatch((await visit(api, 'GET', link)).text, /<button>/);
  await until('the message', () => kinds().length === 2);
  t.same(kinds(), ['firing', 'acknowledged']);
  t.match(messages()[1]?.text, /^Hook acknowledged: Shop <b> is down: tcp_refused\n[^]*^Note: On it <b> Bcc: x$/m);
  const { timeline } = (await api.call('GET', `/v1/alert-events/${id}`)).body.data;
  t.equal(timeline.filter(({ what }: { what: string }) => what === 'acknowledged').length, 1);
  await api.call('POST', `/v1/alert-events/${id}/resolve`);
  t.match((await visit(api, 'POST', link)).text, /ended/);
});

t.test('a link that ten programs open changes nothing', async (t) => {
  const { api, db, alert, kinds } = await anAlert(t, 'programs');
  const statuses: number[] = [];
  for (let opened = 0; opened < 10; opened += 1) statuses.push((await visit(api, 'GET', alert.link)).status);
  t.same([...new Set(statuses)], [200]);
  t.equal(await statusOf(db, alert.id), 'firing');
  t.same(await db('alert_timeline').where({ alert_id: alert.id }).orderBy('id').pluck('what'), ['opened', 'notified']);
  t.same(kinds(), ['firing']);
});

t.test('a link gives access to its own alert until it expires; all other links get the same page', async (t) => {
  const { api, db, alerts } = await alertsOf(t, 'others', ['Shop', 'Depot']);
  const [shop, depot] = alerts as [AlertOfStack, AlertOfStack];
  const altered = {
    'of another alert': shop.link.replace(shop.id, depot.id),
    'with another channel': shop.link.replace(/ch_\w/, 'ch_'),
    'that lasts longer': shop.link.replace(/\.(\w+)\.\./, '.zzzzzzz..'),
    'with another signature': shop.link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    'without a signature': shop.link.replace(/\.[^.]*$/, ''),
    'of eight days ago': shop.linkOf(8 * DAY_MS),
    'that is none': '/a/x',
  };
  for (const [what, path] of Object.entries(altered)) {
    t.not(path, shop.link, what);
    for (const method of ['GET', 'POST']) {
      const page = await visit(api, method, path);
      t.match(page, { status: 404, headers: { 'content-type': /^text\/html/ } }, `${method} ${what}`);
      t.match(page.text, 'not valid');
      t.notMatch(page.text, /Shop|Depot/);
    }
  }
  t.equal(await statusOf(db, shop.id), 'firing');
  t.equal(await statusOf(db, depot.id), 'firing');
  t.match(await visit(api, 'POST', shop.linkOf(6 * DAY_MS)), { status: 200 }, 'of six days ago');
  t.equal(await statusOf(db, shop.id), 'acknowledged');
  t.equal(await statusOf(db, depot.id), 'firing', 'and no other alert');
});

t.test(
  'the link of a message about several alerts shows those that fire, and its button acknowledges them',
  async (t) => {
    const { api, db, alert } = await anAlert(t, 'digest');
    const { id } = alert;
    const delivery = await db('alert_deliveries').where({ owner_id: api.userId }).first();
    const secretKey = Buffer.from(SECRET_KEY, 'base64');
    const links = new AcknowledgeLinks({ secretKey, publicUrl: api.url, clock: systemClock });
    const { pathname } = new URL(links.url(delivery.id, { id: delivery.channel_id, recipient: null }));
    const open = async (method: string, locale?: string) => {
      const page = await visit(api, method, pathname, locale);
      t.equal(page.status, 200);
      return page.text;
    };
    for (const [locale, label] of [
      ['en', 'Acknowledge all \\(1\\)'],
      ['zh-CN', '确认全部告警（1）'],
      ['zh-TW', '確認全部告警（1）'],
    ] as const)
      t.match(await open('GET', locale), new RegExp(`Shop &lt;b&gt;[^]*<button>${label}</button>`));
    t.match(await db('alerts').where({ id }).first(), { status: 'firing' }, 'a visit changes nothing');
    t.match(await open('POST'), /The alerts are acknowledged/);
    t.match(await db('alerts').where({ id }).first(), {
      status: 'acknowledged',
      state: { acknowledgedBy: 'channel:Hook', acknowledgedVia: 'link' },
    });
    t.notMatch(await open('GET'), /<button>/);
  },
);

t.test('acknowledging the event of a monitor acknowledges its alerts', async (t) => {
  const { api, db, alert, kinds } = await anAlert(t, 'event');
  const { id, eventId } = alert;
  t.match(await api.call('POST', `/v1/monitor-events/${eventId}/ack`), { status: 200 });
  await until('the message', () => kinds().length === 2);
  t.match(await db('alerts').where({ id }).first(), {
    status: 'acknowledged',
    state: { acknowledgedVia: 'monitor_event', acknowledgedBy: api.userId },
  });
});

t.test('each message about an alert links to its page, which shows the alert after its end too', async (t) => {
  const { api, alert, messages } = await anAlert(t, 'page');
  const { id } = alert;
  await api.call('POST', `/v1/alert-events/${id}/acknowledge`);
  await until('the acknowledgement', () => messages().length === 2);
  await api.call('POST', `/v1/alert-events/${id}/resolve`);
  await until('the end', () => messages().length === 3);
  t.same(
    messages().map(({ kind }) => kind),
    ['firing', 'acknowledged', 'resolved'],
  );
  for (const { kind, link, monitor_url: monitorUrl } of messages()) {
    t.equal(monitorUrl, link, kind);
    const page = await visit(api, 'GET', new URL(link).pathname);
    t.match(page, { status: 200, text: /Shop &lt;b&gt;[^]*ended/ }, kind);
  }
});

t.test('people are named in messages and on pages, and have their ids in the API', async (t) => {
  const { api, db, alert, messages } = await anAlert(t, 'names');
  const { id, link, monitorId } = alert;
  const group = await api.call('POST', '/v1/monitor-groups', { body: { name: 'Europe' } });
  await db('monitors').where({ id: monitorId }).update({ group_id: group.body.data.id });
  const acknowledged = await api.call('POST', `/v1/alert-events/${id}/acknowledge`);
  t.match(acknowledged.body.data, { acknowledged_by: api.userId });
  await until('the acknowledgement', () => messages().length === 2);
  const masked = 'n***@t***e';
  t.match(messages()[1], {
    by: masked,
    group: 'Europe',
    text: new RegExp(`^${masked.replaceAll('*', '\\*')} acknowledged: `),
  });
  t.notMatch(JSON.stringify(messages()[1]), api.userId);
  t.match((await visit(api, 'GET', link)).text, `by ${masked}`);
  await db('users').where({ id: api.userId }).update({ display_name: 'Ada' });
  t.match((await visit(api, 'GET', link)).text, 'by Ada');
  await api.call('POST', `/v1/alert-events/${id}/resolve`);
  await until('the end', () => messages().length === 3);
  t.match(messages()[2], { by: 'Ada', text: /Acknowledged by: Ada/ });
});

t.test('a message names the channel whose link acknowledged the alert', async (t) => {
  const { api, alert, messages } = await anAlert(t, 'channel-name');
  await visit(api, 'POST', alert.link);
  await until('the message', () => messages().length === 2);
  t.match(messages()[1], { by: 'Hook', text: /^Hook acknowledged: / });
});
