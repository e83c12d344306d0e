import { until } from '@vantage/shared/_support/until.js';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { CheckingNode } from './_support/checking-node.js';
import { asUser } from './_support/owners.js';
import { patientClock } from './_support/patient-clock.js';
import { createUserApi, startReplica, startStack, type TestApi } from './_support/stack.js';
import { type ReceivedEvent, status, WebhookReceiver } from './_support/webhook-receiver.js';

const { api: administrator, controlPlane, database } = await startStack(t, {}, patientClock);

const verified = (secret: string, { text, headers }: ReceivedEvent) =>
  new Webhook(secret).verify(text, headers as Record<string, string>);

async function create(api: TestApi, body: object, as = api.token) {
  const answer = await api.call('POST', '/v1/webhooks', { body: { events: ['*'], ...body }, as });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  const { endpoint, secret } = answer.body.data;
  return { id: endpoint.id as string, secret: secret as string, endpoint };
}

/** Pauses and resumes a heartbeat, each of which is an event. */
async function aHeartbeat(api: TestApi, name: string, as = api.token, fields: object = {}): Promise<string> {
  const { body } = await api.call('POST', '/v1/monitors', { body: { name, type: 'heartbeat', ...fields }, as });
  return body.data.id;
}

/** A new account and a receiver. */
async function aReceivingAccount(t: Test, name: string) {
  const api = await createUserApi(controlPlane, `${name}@test.example`, 'user');
  return { api, receiver: await WebhookReceiver.start(t) };
}

t.test('events of a monitor that goes down and up are sent to the endpoint of its owner, signed', async (t) => {
  const { api, receiver } = await aReceivingAccount(t, 'shop');
  const { secret } = await create(api, { url: receiver.url, events: ['monitor.down', 'monitor.up'] });
  const node = await CheckingNode.join(t, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9', tags: ['production'] };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await node.waitForAssignment(id);
  for (const [index, [outcome, type]] of (
    [
      ['failed', 'monitor.down'],
      ['ok', 'monitor.up'],
    ] as const
  ).entries()) {
    node.check(id, outcome);
    await until(type, () => receiver.events.length === index + 1);
    const event = receiver.events[index] as ReceivedEvent;
    t.match(verified(secret, event), {
      id: event.headers['webhook-id'],
      type,
      version: 1,
      test: false,
      data: {
        monitor: { id, name: 'Shop', type: 'tcp', target: '127.0.0.1:9', tags: ['production'], group: null },
        event: { type: 'down', ended_at: type === 'monitor.up' ? String : null, affected_nodes: [node.nodeId] },
        is_flapping: false,
        url: `${api.url}/v1/monitors/${id}`,
      },
    });
    t.match(event.headers['user-agent'], /^Vantage\//);
  }
  const [down, up] = receiver.events;
  t.ok(up?.body.sequence > down?.body.sequence);
});

t.test('settings of an endpoint are read back as given, can be changed, and are refused by field', async (t) => {
  const { api, receiver } = await aReceivingAccount(t, 'settings');
  const filter = { tags_any: ['Production'] };
  const headers = { authorization: 'Bearer s3cret-token' };
  const { id, secret, endpoint } = await create(api, { url: receiver.url, description: 'bot', filter, headers });
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const shown = {
    url: receiver.url,
    events: ['*'],
    description: 'bot',
    status: 'active',
    disabled_reason: null,
    failing_since: null,
    payload: 'full',
    version: 1,
    filter: { tags_any: ['production'] },
    headers: { authorization: '********' },
    previous_secret_expires_at: null,
    is_test: false,
  };
  t.match(endpoint, shown);
  const path = `/v1/webhooks/${id}`;
  t.same((await api.call('GET', path)).body.data, endpoint);
  t.same((await api.call('GET', '/v1/webhooks')).body.data.items, [endpoint]);
  const change = (body: object) => api.call('PATCH', path, { body });
  t.match((await change({ payload: 'thin', filter: null, description: null })).body.data, {
    ...shown,
    payload: 'thin',
    filter: null,
    description: null,
  });
  t.match((await change({ headers: { authorization: '********', 'X-Extra': '1' } })).status, 200);
  await api.call('POST', `${path}/test`, { body: {} });
  t.match(receiver.events[0]?.headers, { authorization: 'Bearer s3cret-token', 'x-extra': '1' });

  const refusals: readonly (readonly [string, object, number, string, string])[] = [
    ['a private network', { url: 'https://10.0.0.1/' }, 422, 'url', 'refused'],
    ['another private one', { url: 'https://[fd00::1]/' }, 422, 'url', 'refused'],
    ['cloud metadata', { url: 'http://169.254.169.254/' }, 422, 'url', 'refused'],
    ['a user name', { url: 'https://ada:pw@hooks.example/' }, 422, 'url', 'refused'],
    ['the port of mail', { url: 'https://hooks.example:25/' }, 422, 'url', 'refused'],
    ['the port of PostgreSQL', { url: 'https://hooks.example:5432/' }, 422, 'url', 'refused'],
    ['another scheme', { url: 'ftp://hooks.example/' }, 422, 'url', 'refused'],
    ['no URL', { url: 'hooks.example' }, 400, 'url', 'format'],
    ['an unknown kind', { events: ['monitor.exploded'] }, 400, 'events.0', 'enum'],
    ['a later kind', { events: ['monitor.up', 'certificate.issued'] }, 422, 'events.1', 'not_supported'],
    ['no kind', { events: [] }, 400, 'events', 'length'],
    [
      'a signature of one’s own',
      { headers: { 'Webhook-Signature': 'v1,x' } },
      422,
      'headers.Webhook-Signature',
      'refused',
    ],
    ['Host', { headers: { Host: 'x' } }, 422, 'headers.Host', 'refused'],
    ['a line break', { headers: { 'X-A': 'a\r\nb: c' } }, 400, 'headers.X-A', 'format'],
    ['a value that is not there', { headers: { 'X-A': '********' } }, 400, 'headers.X-A', 'required'],
    [
      'eleven headers',
      { headers: Object.fromEntries([...'abcdefghijk'].map((name) => [name, '1'])) },
      400,
      'headers',
      'length',
    ],
    ['values for another server', { url: 'http://127.0.0.2:8099/' }, 422, 'headers.authorization', 'refused'],
    ['a status of its own', { status: 'disabled' }, 400, 'status', 'enum'],
  ];
  for (const [name, body, code, field, complaint] of refusals) {
    const answer = await change(body);
    t.equal(answer.status, code, `${name}: ${JSON.stringify(answer.body)}`);
    t.equal(answer.body.error.details[field]?.[0].code, complaint, name);
  }
  const { rows } = await database.db.raw<{ rows: object[] }>(
    'SELECT e::text FROM webhook_endpoints e UNION ALL SELECT a::text FROM audit_log a',
  );
  const stored = JSON.stringify(rows);
  const raw = Buffer.from(secret.slice(6), 'base64').toString('hex');
  for (const hidden of ['s3cret-token', secret, raw]) t.notOk(stored.includes(hidden), 'sealed');

  t.equal((await api.call('DELETE', path)).status, 200);
  t.equal((await api.call('GET', path)).status, 404);
  const actions = await database.db('audit_log').where({ subject: id }).orderBy('at').pluck('action');
  t.same(new Set(actions), new Set(['webhook.created', 'webhook.changed', 'webhook.deleted']));
});

t.test('an account has at most 20 endpoints', async (t) => {
  const { api, receiver } = await aReceivingAccount(t, 'collector');
  for (let n = 0; n < 20; n += 1) await create(api, { url: receiver.url });
  const { status: code, body } = await api.call('POST', '/v1/webhooks', { body: { url: receiver.url, events: ['*'] } });
  t.match({ code, details: body.error.details }, { code: 422, details: { webhooks: [{ code: 'refused' }] } });
});

t.test('a secret is rotated without a failed request, and the oldest secret ends at the next rotation', async (t) => {
  const { api, receiver } = await aReceivingAccount(t, 'rotation');
  const { id, secret: oldest } = await create(api, { url: receiver.url });
  const rotate = async (body: object) =>
    (await api.call('POST', `/v1/webhooks/${id}/rotate-secret`, { body })).body.data;
  const send = async () => {
    const answer = await api.call('POST', `/v1/webhooks/${id}/test`, { body: {} });
    t.equal(answer.body.data.ok, true);
    return receiver.events.at(-1) as ReceivedEvent;
  };
  const { secret: newer, previous_secret_expires_at: endsAt } = await rotate({});
  t.ok(Math.abs(Date.parse(endsAt) - Date.now() - 86_400_000) < 60_000, 'a day');
  const both = await send();
  t.ok(verified(oldest, both));
  t.ok(verified(newer, both));
  const { secret: newest } = await rotate({ overlap_hours: 1 });
  const next = await send();
  t.throws(() => verified(oldest, next));
  t.ok(verified(newer, next));
  t.ok(verified(newest, next));
  t.match(await rotate({ overlap_hours: 0 }), { previous_secret_expires_at: null });
  const last = await send();
  t.throws(() => verified(newest, last));
  t.equal((await api.call('POST', `/v1/webhooks/${id}/rotate-secret`, { body: { overlap_hours: 169 } })).status, 400);
});

t.test(
  'a test event is sent at once, whatever the status of the endpoint, and the response of the receiver is shown',
  async (t) => {
    const { api, receiver } = await aReceivingAccount(t, 'trial');
    const { id } = await create(api, { url: receiver.url, headers: { 'x-token': 's3cret-token' } });
    receiver.reply = status(500, { 'x-echo': 'got s3cret-token' }, 'cannot use s3cret-token \0');
    const { body } = await api.call('POST', `/v1/webhooks/${id}/test`, { body: { type: 'monitor.down' } });
    t.match(body.data, {
      ok: false,
      delivery: {
        type: 'monitor.down',
        status: 'failed',
        next_attempt_at: null,
        attempts: [
          {
            status_code: 500,
            error: 'status 500',
            response: 'cannot use ******** \ufffd',
            response_headers: { 'x-echo': 'got ********' },
          },
        ],
        request: { url: receiver.url, headers: { 'x-token': '********' } },
      },
    });
    t.equal(body.data.delivery.request.body, receiver.events[0]?.text);
    t.equal(receiver.events[0]?.body.test, true);
    receiver.reply = status(200);
    await api.call('PATCH', `/v1/webhooks/${id}`, { body: { status: 'paused' } });
    const again = await api.call('POST', `/v1/webhooks/${id}/test`, { body: {} });
    t.match(again.body.data, { ok: true, delivery: { type: 'webhook.test', status: 'delivered' } });
    t.strictSame(receiver.events[1]?.body.data.endpoint, { id, url: receiver.url });
    t.match((await api.call('GET', `/v1/webhooks/${id}`)).body.data, { failing_since: null, status: 'paused' });
    t.equal((await api.call('POST', `/v1/webhooks/${id}/test`, { body: { type: 'certificate.issued' } })).status, 400);
  },
);

t.test('endpoints of test keys receive events of test resources, other endpoints all others', async (t) => {
  const { api, receiver } = await aReceivingAccount(t, 'keys');
  const testReceiver = await WebhookReceiver.start(t);
  const request = { name: 'test', type: 'test', scopes: ['read', 'write'] } as const;
  const { key } = await controlPlane.services.tokens.apiKeys.create(
    asUser(api.userId),
    { ...request, scopes: [...request.scopes] },
    commandLine,
  );
  await create(api, { url: receiver.url });
  t.match((await create(api, { url: testReceiver.url }, key)).endpoint, { is_test: true });
  for (const as of [api.token, key]) {
    const id = await aHeartbeat(api, as === key ? 'tried' : 'real', as);
    await api.call('POST', `/v1/monitors/${id}/pause`, { as });
  }
  await until('both events', () => receiver.events.length + testReceiver.events.length === 2);
  t.match(receiver.events, [{ body: { test: false, data: { monitor: { name: 'real' } } } }]);
  t.match(testReceiver.events, [{ body: { test: true, data: { monitor: { name: 'tried' } } } }]);
  t.equal((await api.call('GET', '/v1/webhooks', { as: key })).body.data.items.length, 1);
});

t.test(
  'events that a paused endpoint missed are skipped, shown in its log, and recovered once it is active',
  async (t) => {
    const { api, receiver } = await aReceivingAccount(t, 'paused');
    const { id } = await create(api, { url: receiver.url });
    const path = `/v1/webhooks/${id}`;
    const list = async (query = '') => (await api.call('GET', `${path}/deliveries${query}`)).body.data.items;
    await api.call('PATCH', path, { body: { status: 'paused' } });
    const monitor = await aHeartbeat(api, 'Job');
    await api.call('POST', `/v1/monitors/${monitor}/pause`);
    await api.call('POST', `/v1/monitors/${monitor}/resume`);
    await until('both events', async () => (await list()).length === 2);
    for (const delivery of await list())
      t.match(delivery, {
        type: /^monitor\.(?:paused|resumed)$/,
        status: 'skipped',
        attempts: [],
        next_attempt_at: null,
      });
    const recover = (body: object) => api.call('POST', `${path}/recover`, { body });
    t.equal((await recover({ since: '-1h' })).status, 409, 'while it is paused');
    await api.call('PATCH', path, { body: { status: 'active' } });
    t.match(await recover({ since: '-1h' }), { status: 202, body: { data: { count: 2 } } });
    await until('both requests', () => receiver.events.length === 2);
    t.same(new Set(receiver.events.map(({ body }) => body.type)), new Set(['monitor.paused', 'monitor.resumed']));
    await until('both are delivered', async () => (await list('?status=delivered')).length === 2);
    t.match(await recover({ since: '-1h' }), { body: { data: { count: 0 } } }, 'nothing is missing');
    t.match(await recover({ since: '-1h', status: 'all' }), { body: { data: { count: 2 } } });
    await until('both once more', () => receiver.events.length === 4);
    t.equal(new Set(receiver.events.map(({ headers }) => headers['webhook-id'])).size, 2, 'under the same ids');
    for (const [body, code, field] of [
      [{ since: '-31d' }, 422, 'since'],
      [{ since: '-1h', until: '-2h' }, 400, 'since'],
      [{ since: 'yesterday' }, 400, 'since'],
      [{ since: '-1h', until: 'tomorrow' }, 400, 'until'],
      [{}, 400, 'since'],
    ] as const) {
      const { status, body: refusal } = await recover(body);
      t.strictSame([status, Object.keys(refusal.error.details)], [code, [field]], JSON.stringify(body));
    }

    const skipped = (await list('?status=skipped&type=monitor.paused')).at(-1);
    t.equal((await list(`?event_id=${skipped.event_id}`)).length, 3);
    const page = await api.call('GET', `${path}/deliveries?limit=4`);
    const rest = await api.call('GET', `${path}/deliveries?limit=4&cursor=${page.body.meta.pagination.next_cursor}`);
    t.same([page.body.data.items.length, rest.body.data.items.length], [4, 2]);
    t.equal((await list('?to=-1h')).length, 0);
    const again = await api.call('POST', `/v1/webhooks/deliveries/${skipped.id}/redeliver`);
    t.match(again, { status: 202, body: { data: { redelivery_of: skipped.id, event_id: skipped.event_id } } });
    await until('it', () => receiver.events.length === 5);
    const detail = await api.call('GET', `/v1/webhooks/deliveries/${again.body.data.id}`);
    t.equal(detail.body.data.request.body, receiver.events.at(-1)?.text);
  },
);

t.test('the kinds of events are listed with schemas and examples', async (t) => {
  const api = administrator;
  const { items } = (await api.call('GET', '/v1/webhooks/event-types')).body.data;
  const down = items.find(({ type }: { type: string }) => type === 'monitor.down');
  t.match(down, { recipient: 'owner of the monitor', example: { type: 'monitor.down' }, schema: { type: 'object' } });
  const document = (await api.call('GET', '/v1/openapi.json')).body;
  t.same(
    Object.keys(document.webhooks),
    items.map(({ type }: { type: string }) => type),
  );
});

t.test('two control planes send every event once', async (t) => {
  const { api, receiver } = await aReceivingAccount(t, 'twin');
  await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url }, patientClock);
  await create(api, { url: receiver.url, events: ['monitor.paused'] });
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) ids.push(await aHeartbeat(api, `Job ${n}`));
  await Promise.all(ids.map((id) => api.call('POST', `/v1/monitors/${id}/pause`)));
  const delivered = () => database.db('webhook_deliveries').where({ owner_id: api.userId, status: 'delivered' });
  await until('all of them', async () => (await delivered()).length === 20);
  t.equal(receiver.events.length, 20);
  t.same(new Set(receiver.events.map(({ body }) => body.data.monitor.id)), new Set(ids));
});
