import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { twilioAccount } from '@vantage/shared/_support/vendors/twilio.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { signatureOf } from '../src/modules/alerts/types/webhook.js';
import { knownConfigs } from './_support/channel-attempts.js';
import { asUser } from './_support/owners.js';
import { startReceiver } from './_support/receiver.js';
import { headerOf, readMail, startSmtpServer } from './_support/smtp-server.js';
import { createUserApi, type Stack, startStack, type TestApi } from './_support/stack.js';
import { startVendorOf } from './_support/vendors/index.js';

const path = '/v1/alert-channels';

// on a clock that stands still: the window of a limit does not end during a test
const clock = new FakeClock(Date.now());
const mailServer = await startSmtpServer(t);
const stack = await startStack(t, { VANTAGE_SMTP_URL: `smtp://${mailServer.host}` }, clock);
const vendors = { sms: await startVendorOf.sms(), wechat: await startVendorOf.wechat() };
for (const vendor of Object.values(vendors)) t.teardown(() => vendor.close());
const gateway = {
  kind: 'twilio',
  base_url: vendors.sms.origin,
  account_sid: twilioAccount.sid,
  auth_token: twilioAccount.token,
  from: twilioAccount.from,
};
/** With the operator's own vendors, whose addresses the policy refuses, and without a mail server. */
const operated = await startStack(
  t,
  {
    VANTAGE_SMS_GATEWAY: JSON.stringify(gateway),
    VANTAGE_CHANNEL_URLS: JSON.stringify({ wechat: vendors.wechat.origin }),
    VANTAGE_ALLOW_TARGETS: '',
  },
  clock,
);

let accounts = 0;
/** An account of its own. */
async function anAccount({ controlPlane, database }: Stack = stack) {
  const email = `owner-${++accounts}@ops.example.com`;
  return { email, database, controlPlane, api: await createUserApi(controlPlane, email, 'admin') };
}

const mailsTo = async (to: string) =>
  Promise.all(mailServer.mails.filter((mail) => mail.to.includes(to)).map(readMail));

/** Code and link of the newest mail to an address. */
async function verificationOf(to: string, count = 1) {
  await until('the mail', async () => (await mailsTo(to)).length >= count);
  const text = (await mailsTo(to)).at(-1)?.text ?? '';
  const code = /code is (\d{8})/.exec(text)?.[1] ?? '';
  const link = /https?:\S+\/alert-channels\/verify\/\S+/.exec(text.replace(/=\n/g, ''))?.[0] ?? '';
  return { code, path: link === '' ? '' : new URL(link).pathname };
}

/** Data of a response. @throws Error for an error */
async function data(api: TestApi, method: string, url: string, body?: object) {
  const answer = await api.call(method, url, body === undefined ? {} : { body });
  if (answer.status > 202) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

t.test('a webhook channel is created, and a test message arrives at its server, signed', async (t) => {
  const receiver = await startReceiver(t);
  const { api } = await anAccount();
  const url = `${receiver.url}/hook?key=geheim-123`;
  const config = { url, sign: true, headers: { 'X-Own': 'own-secret' } };
  const made = await data(api, 'POST', path, { name: 'Hook', type: 'webhook', config });
  t.match(made, { id: /^ch_/, type: 'webhook', verified: false, is_default: false, health: { status: 'unknown' } });
  t.match(made.config, { url: '********', headers: { 'X-Own': '********' }, method: 'POST', secret: '********' });
  t.match(made.secret, /^whsec_/);
  const test = await data(api, 'POST', `${path}/${made.id}/test`, {});
  t.match(test, {
    ok: true,
    delivery: { kind: 'test', status: 'sent', attempts: [{ outcome: 'accepted', status_code: 200 }] },
  });
  const [request] = receiver.requests;
  t.match(request, { method: 'POST', path: '/hook?key=geheim-123', headers: { 'x-own': 'own-secret' } });
  t.equal(request?.headers['webhook-id'], test.delivery.id);
  const timestamp = String(request?.headers['webhook-timestamp']);
  const signed = { id: test.delivery.id, timestamp, body: request?.body ?? '', secret: made.secret };
  t.equal(request?.headers['webhook-signature'], signatureOf(signed));
  t.match(JSON.parse(request?.body ?? ''), { type: 'alert.firing', test: true, version: 1 });
  t.match(await data(api, 'GET', `${path}/${made.id}`), { verified: true, health: { status: 'ok' } });
});

t.test(
  'channels are listed, changed and deleted; secrets are kept by a change that has none or asterisks',
  async (t) => {
    const receiver = await startReceiver(t);
    const { api, database } = await anAccount();
    clock.advance(1);
    const config = { url: `${receiver.url}/one`, headers: { 'X-A': 'first', 'X-B': 'second' } };
    const made = await data(api, 'POST', path, { name: 'Hook', type: 'webhook', config });
    const send = async () => {
      t.match(await data(api, 'POST', `${path}/${made.id}/test`, {}), { ok: true });
      return receiver.requests.at(-1);
    };
    const headers = { 'X-A': '********', 'X-C': 'third' };
    const changed = await data(api, 'PATCH', `${path}/${made.id}`, {
      name: 'Hook 2',
      config: { url: '********', headers },
    });
    t.match(changed, {
      name: 'Hook 2',
      config: { url: '********', headers: { 'X-A': '********', 'X-C': '********' } },
    });
    t.match(await send(), { path: '/one', headers: { 'x-a': 'first', 'x-b': undefined, 'x-c': 'third' } });
    await data(api, 'PATCH', `${path}/${made.id}`, { config: { method: 'PUT' } });
    t.match(await send(), { method: 'PUT', path: '/one', headers: { 'x-a': 'first' } });
    t.match(await data(api, 'GET', `${path}/${made.id}`), { verified: true });
    t.match(
      await data(api, 'PATCH', `${path}/${made.id}`, { config: { url: `${receiver.url}/two` } }),
      { verified: false },
      'another credential is not verified',
    );
    const names = async (query: string) =>
      (await data(api, 'GET', `${path}${query}`)).items.map(({ name }: { name: string }) => name);
    t.same(await names(''), ['Hook 2', 'Account e-mail']);
    t.same(await names('?type=email'), ['Account e-mail']);
    t.same(await names('?health=ok'), ['Hook 2']);
    t.same(await names('?verified=false'), ['Hook 2']);
    await data(api, 'DELETE', `${path}/${made.id}`);
    t.match(await api.call('GET', `${path}/${made.id}`), {
      status: 404,
      body: { error: { code: 'ALERT_CHANNEL_NOT_FOUND' } },
    });
    const acts = await database.db('audit_log').where({ subject: made.id }).orderBy('id').pluck('action');
    t.same(
      new Set(acts),
      new Set(['alert_channel.created', 'alert_channel.tested', 'alert_channel.changed', 'alert_channel.deleted']),
    );
  },
);

t.test('a new channel joins the default policy unless it is not to, and a test of an unused one says so', async (t) => {
  const receiver = await startReceiver(t);
  const { api } = await anAccount();
  const hook = { type: 'webhook', config: { url: `${receiver.url}/`, body: '{"text": "{{text}}"}' } };
  const policy = async () => (await data(api, 'GET', '/v1/alert-policies')).items[0];
  const { id: policyId, channel_ids: usual } = await policy();
  const joined = await data(api, 'POST', path, { name: 'Joined', ...hook });
  const used = [{ id: policyId, name: 'Default' }];
  t.strictSame([joined.used_by, (await policy()).channel_ids], [used, [...usual, joined.id]]);
  t.match(await data(api, 'POST', `${path}/${joined.id}/test`, {}), { ok: true, used_by: used, advice: null });
  t.notMatch(receiver.requests[0]?.body, /no alert policy/);
  const alone = await data(api, 'POST', path, { name: 'Alone', use: 'none', ...hook });
  t.strictSame(alone.used_by, []);
  const test = await data(api, 'POST', `${path}/${alone.id}/test`, {});
  t.match(test, { ok: true, used_by: [], advice: /channel_ids .* PATCH \/v1\/alert-policies/ });
  t.match(receiver.requests[1]?.body, /no alert policy uses this channel/);
  await data(api, 'PATCH', `/v1/alert-policies/${policyId}`, { channel_ids: [...usual, alone.id] });
  const isUsed = async ({ id }: { id: string }) =>
    (await data(api, 'GET', path)).items.find((one: { id: string }) => one.id === id).used_by.length > 0;
  t.strictSame([await isUsed(alone), await isUsed(joined)], [true, false]);
  await data(api, 'PATCH', `/v1/alert-policies/${policyId}`, { enabled: false });
  t.equal(await isUsed(alone), false, 'a policy that is disabled sends nothing');
  await data(api, 'DELETE', `${path}/${alone.id}`);
  t.strictSame((await policy()).channel_ids, usual, 'the default policy keeps no channel from being deleted');
});

t.test('a channel that cannot be used as written is refused with the field and the reason', async (t) => {
  const { api } = await anAccount();
  const hook = { name: 'Hook', type: 'webhook', config: { url: 'https://hooks.example.com/' } };
  const cases: readonly (readonly [body: object, status: number, code: string, field: string])[] = [
    [{ ...hook, type: 'pigeon' }, 400, 'VALIDATION_FAILED', 'type'],
    [{ ...hook, config: {} }, 400, 'VALIDATION_FAILED', 'config.url'],
    [{ ...hook, config: { ...hook.config, extra: 1 } }, 400, 'VALIDATION_FAILED', 'config.extra'],
    [{ ...hook, config: { url: '********' } }, 400, 'VALIDATION_FAILED', 'config.url'],
    [
      { ...hook, config: { url: 'http://hooks.example.com/', method: 'GET' } },
      400,
      'VALIDATION_FAILED',
      'config.method',
    ],
    [{ ...hook, config: { ...hook.config, headers: { Host: 'x' } } }, 400, 'VALIDATION_FAILED', 'config.headers'],
    [{ ...hook, config: { ...hook.config, body: '{{nonsense}}' } }, 400, 'VALIDATION_FAILED', 'config.body'],
    [{ name: 'Text', type: 'sms', config: { to: ['+8613800000000'] } }, 422, 'ALERT_CHANNEL_INVALID', 'type'],
    [{ name: 'Call', type: 'voice', config: { to: ['+8613800000000'] } }, 422, 'ALERT_CHANNEL_INVALID', 'type'],
    [{ name: 'WeCom', type: 'wecom', config: {} }, 400, 'VALIDATION_FAILED', 'config.key'],
    [{ ...hook, config: { url: 'https://user:pass@hooks.example.com/' } }, 422, 'ALERT_CHANNEL_INVALID', 'config.url'],
    [{ ...hook, config: { url: 'https://10.0.0.1/' } }, 422, 'ALERT_CHANNEL_INVALID', 'config.url'],
    [{ ...hook, config: { url: 'https://hooks.example.com:25/' } }, 422, 'ALERT_CHANNEL_INVALID', 'config.url'],
    [{ ...hook, config: { url: 'https://localhost/' } }, 422, 'ALERT_CHANNEL_INVALID', 'config.url'],
    ...['169.254.169.254', '[fe80::1]', '[::ffff:10.0.0.1]', '0x0a000001', '100.64.0.1', 'hooks.example.com:5432'].map(
      (host) => [{ ...hook, config: { url: `https://${host}/` } }, 422, 'ALERT_CHANNEL_INVALID', 'config.url'] as const,
    ),
    ...['10.0.0.1', 'hooks.example.com:5432'].map(
      (host) =>
        [
          { name: 'Chat', type: 'slack', config: { url: `https://${host}/` } },
          422,
          'ALERT_CHANNEL_INVALID',
          'config.url',
        ] as const,
    ),
    [{ ...hook, timezone: 'Mars/Olympus' }, 400, 'VALIDATION_FAILED', 'timezone'],
    [{ ...hook, max_per_minute: 61 }, 400, 'VALIDATION_FAILED', 'max_per_minute'],
    [
      { name: 'Chat', type: 'telegram', config: knownConfigs.telegram(), max_per_minute: 19 },
      400,
      'VALIDATION_FAILED',
      'max_per_minute',
    ],
    [{ ...hook, template: { title: 'ok', text: 'a\n{{nope}}' } }, 400, 'VALIDATION_FAILED', 'template.text'],
    [{ ...hook, template: { title: '{{title|reverse}}' } }, 400, 'VALIDATION_FAILED', 'template.title'],
    [{ ...hook, template: { body: '{"a": "{{nope}}"}' } }, 400, 'VALIDATION_FAILED', 'template.body'],
    ...['text/html', 'application/x-yaml', 'text/plain; charset=utf-7'].map((content_type): (typeof cases)[number] => [
      { ...hook, config: { ...hook.config, content_type, body: '{{title}}' } },
      400,
      'VALIDATION_FAILED',
      'config.content_type',
    ]),
    [{ ...hook, template: {} }, 400, 'VALIDATION_FAILED', 'template'],
    [{ ...hook, template: { subject: 'x' } }, 400, 'VALIDATION_FAILED', 'template.subject'],
    [
      { ...hook, config: { ...hook.config, body: '{{title}}' }, template: { body: '{{title}}' } },
      400,
      'VALIDATION_FAILED',
      'template.body',
    ],
    [
      { name: 'Mail', type: 'email', config: { to: ['ops@example.com'] }, template: { body: '{{title}}' } },
      400,
      'VALIDATION_FAILED',
      'template.body',
    ],
    [{ name: 'Mail', type: 'email', config: { to: ['no address'] } }, 400, 'VALIDATION_FAILED', 'config.to'],
    [{ name: 'Mail', type: 'email', config: { to: ['ops@[127.0.0.1]'] } }, 400, 'VALIDATION_FAILED', 'config.to'],
    [{ name: 'Account e-mail', type: 'webhook', config: hook.config }, 409, 'DUPLICATE', 'name'],
  ];
  for (const [body, status, code, field] of cases) {
    const answer = await api.call('POST', path, { body });
    t.match([answer.status, answer.body.error?.code], [status, code], JSON.stringify(body));
    t.ok(answer.body.error?.details?.[field], `${field}: ${JSON.stringify(answer.body.error?.details)}`);
  }
  const { id } = await data(api, 'POST', path, hook);
  const change = await api.call('PATCH', `${path}/${id}`, { body: { config: { content_type: 'text/html' } } });
  t.match(change, {
    status: 400,
    body: {
      error: { details: { 'config.content_type': [{ message: /application\/x-www-form-urlencoded.*text\/html/ }] } },
    },
  });
});

t.test(
  'a channel of followers is verified by its first accepted message, and the token of the vendor appears nowhere',
  async (t) => {
    const vendor = vendors.wechat;
    const { api } = await anAccount(operated);
    const made = await data(api, 'POST', path, { name: 'Followers', type: 'wechat', config: knownConfigs.wechat() });
    t.match(made, { verified: false, recipients: [{ verified: false }], config: { app_secret: '********' } });
    const listed = async (verified: boolean) =>
      (await data(api, 'GET', `${path}?verified=${verified}&type=wechat`)).items;
    t.match([await listed(true), await listed(false)], [{ length: 0 }, [{ id: made.id }]]);
    vendor.answerNext(
      { status: 200, body: { access_token: 'TOKEN-secret' } },
      { status: 500, body: 'you sent TOKEN-secret' },
    );
    const failed = await data(api, 'POST', `${path}/${made.id}/test`, {});
    t.match(failed, { ok: false, delivery: { attempts: [{ status_code: 500, response: 'you sent ********' }] } });
    t.notMatch(JSON.stringify(failed), 'TOKEN-secret');
    t.match(await data(api, 'GET', `${path}/${made.id}`), { verified: false }, 'nothing was accepted');
    t.match(await data(api, 'POST', `${path}/${made.id}/test`, {}), { ok: true });
    t.equal(vendor.taken.length, 1);
    t.match(await data(api, 'GET', `${path}/${made.id}`), { verified: true, recipients: [{ verified: true }] });
    t.match([await listed(true), await listed(false)], [[{ id: made.id }], { length: 0 }]);
    const shown = await data(api, 'POST', `${path}/${made.id}/test`, { dry_run: true });
    t.match(shown.request, { url: /message\/template\/send\?access_token=\*{8}$/ });
    // needs no code: the vendor's acceptance of a test is all there is to verify
    await data(api, 'POST', `${path}/${made.id}/verify`, {});
    t.equal(vendor.taken.length, 2);
    const config = { to: [...knownConfigs.wechat().to, 'oUnknownUnknownUnknownUnknow'] };
    const changed = await data(api, 'PATCH', `${path}/${made.id}`, { config });
    t.match(changed, { verified: false }, 'another follower');
  },
);

t.test('a phone number gets only its code, through the gateway of the operator, until the code is used', async (t) => {
  const vendor = vendors.sms;
  const { api } = await anAccount(operated);
  const config = { to: ['+8613800000000'] };
  const made = await data(api, 'POST', path, { name: 'Phone', type: 'sms', config });
  t.match(made, { verified: false, recipients: [{ verified: false }] });
  await until('the code', async () => vendor.taken.length === 1);
  const code = /\d{6}/.exec(vendor.taken[0]?.text ?? '')?.[0] ?? '';
  t.notMatch(vendor.taken[0]?.text, /http/, 'a text message has no room for a link');
  t.match(await data(api, 'POST', `${path}/${made.id}/verify`, { code }), { verified: true });
  const shown = JSON.stringify(await data(api, 'POST', `${path}/${made.id}/test`, { dry_run: true }));
  t.match(shown, '/2010-04-01/Accounts/********/Messages.json', 'the account of the operator is not shown');
  t.notMatch(shown, twilioAccount.sid);
});

t.test('a plan without text messages refuses such channels', async (t) => {
  const { api, database } = await anAccount(operated);
  await database.db('owners').where({ id: api.userId }).update({ plan: 'free' });
  const body = { name: 'Phone', type: 'sms', config: { to: ['+8613800000001'] } };
  const answer = await api.call('POST', path, { body });
  t.match(
    [answer.status, answer.body.error],
    [403, { code: 'FEATURE_LOCKED', details: { type: [{ code: 'refused' }] } }],
  );
  t.equal(
    answer.body.error.details.type[0].message,
    'sms_per_month: 0 are used this month, and the plan free allows 0',
    'limit, used and plan',
  );
});

t.test('an address that is no URL is 400 for each type, when created and when changed', async (t) => {
  const { api } = await startStack(t, { VANTAGE_CHANNEL_URLS: '{"lark": "https://lark.example"}' });
  const malformed = [
    'hooks.example.com/x',
    '//hooks.example.com/x',
    'http//hooks.example.com',
    'https://',
    'https:///x',
    'https://hooks example.com/',
    'https://hooks.example.com\n/',
    'https://hooks.example.com:99999/',
    'https://[::1/',
    'https://hooks.example.com\\x',
    '',
  ];
  const own = { type: 'webhook', config: { url: 'https://hooks.example.com/' } };
  const { id } = await data(api, 'POST', path, { name: 'Own', ...own });
  for (const url of malformed) {
    for (const type of ['webhook', 'slack', 'wecom', 'wechatwork', 'dingtalk', 'feishu', 'lark']) {
      const answer = await api.call('POST', path, { body: { name: 'Malformed', type, config: { url } } });
      t.match([answer.status, answer.body.error.code], [400, 'VALIDATION_FAILED'], `${type} ${JSON.stringify(url)}`);
      t.ok(answer.body.error.details['config.url'], type);
    }
    const change = await api.call('PATCH', `${path}/${id}`, { body: { config: { url } } });
    t.equal(change.status, 400, `change to ${JSON.stringify(url)}`);
  }
});

t.test('a type may be given by its alias, and is shown by its own name', async (t) => {
  const { api } = await startStack(t);
  const body = { name: 'Group', type: 'wechatwork', config: { key: '693a91f6-7aaa-4bc4-97a0-0ec2fa5aaaaa' } };
  const made = await api.call('POST', path, { body });
  t.match(made, { status: 201, body: { data: { type: 'wecom' } } });
  for (const type of ['wecom', 'wechatwork'])
    t.match((await data(api, 'GET', `${path}?type=${type}`)).items, [{ id: made.body.data.id, type: 'wecom' }], type);
});

t.test('custom texts are stored, shown, changed and removed', async (t) => {
  const { api } = await anAccount();
  const body = { name: 'Hook', type: 'webhook', config: { url: 'https://hooks.example.com/' } };
  const template = { title: 'P1 {{monitor.name}}', body: '{"text": "{{title}}"}' };
  const made = await data(api, 'POST', path, { ...body, template });
  t.strictSame(made.template, template);
  const change = (fields: object) => api.call('PATCH', `${path}/${made.id}`, { body: fields });
  const conflict = await change({ config: { body: '{{title}}' } });
  t.match([conflict.status, conflict.body.error.details], [400, { 'template.body': [{ code: 'conflict' }] }]);
  t.equal((await change({ template: { title: '{{nope}}' } })).status, 400);
  t.strictSame((await data(api, 'GET', `${path}/${made.id}`)).template, template);
  t.strictSame((await change({ template: { text: '{{text}}' } })).body.data.template, { text: '{{text}}' });
  t.strictSame((await change({ template: null })).body.data.template, null);
});

t.test('signing that is turned on later shows its secret once', async (t) => {
  const { api } = await anAccount();
  const body = { name: 'Hook', type: 'webhook', config: { url: 'https://hooks.example.com/' } };
  const made = await data(api, 'POST', path, body);
  t.notOk('secret' in made);
  const changed = await data(api, 'PATCH', `${path}/${made.id}`, { config: { sign: true } });
  t.match(changed, { secret: /^whsec_/, config: { secret: '********' } });
  t.notOk('secret' in (await data(api, 'PATCH', `${path}/${made.id}`, { config: { method: 'PUT' } })));
});

t.test('a mailbox gets three codes an hour from all accounts together, however its address is written', async (t) => {
  const { api, database } = await anAccount(operated);
  const { api: other } = await anAccount(operated);
  const tagged = Array.from({ length: 10 }, (_, tag) => `ada+${tag}@ops.example.com`);
  const spelled = [
    'ada@gmail.com',
    'a.d.a@gmail.com',
    'AD.A+x@googlemail.com',
    'a.da@Gmail.com.',
    'ada@ops.example.com',
  ];
  await data(api, 'POST', path, { name: 'One', type: 'email', config: { to: tagged.slice(0, 2) } });
  await data(api, 'POST', path, { name: 'Two', type: 'email', config: { to: tagged.slice(2) } });
  await data(other, 'POST', path, { name: 'Three', type: 'email', config: { to: spelled } });
  const sent = await database
    .db('alert_deliveries')
    .where({ kind: 'verification' })
    .whereIn('owner_id', [api.userId, other.userId])
    .pluck('recipient');
  t.same(sent.sort(), [
    'a.d.a@gmail.com',
    'ad.a+x@googlemail.com',
    'ada+0@ops.example.com',
    'ada+1@ops.example.com',
    'ada+2@ops.example.com',
    'ada@gmail.com',
  ]);
});

t.test('an account has at most a hundred codes sent within an hour', async (t) => {
  const { api, database } = await anAccount(operated);
  for (let index = 0; index < 6; index += 1) {
    const to = Array.from({ length: 20 }, (_, one) => `person-${index}-${one}@ops.example.com`);
    await data(api, 'POST', path, { name: `Ops ${index}`, type: 'email', config: { to } });
  }
  const [codes] = await database.db('alert_deliveries').where({ kind: 'verification', owner_id: api.userId }).count();
  t.equal(Number(codes?.['count']), 100);
});

t.test('the name of a channel with line breaks, markup and mentions is text in a mail', async (t) => {
  const { api, email } = await anAccount();
  const [{ id }] = (await data(api, 'GET', path)).items;
  const name = 'Ops\r\nBcc: thief@ops.example.com\r\n\r\n</p><script>x</script> @all <!channel> \u202egnp.exe';
  await data(api, 'PATCH', `${path}/${id}`, { name });
  t.match(await data(api, 'POST', `${path}/${id}/test`, {}), { ok: true });
  const [mail] = await mailsTo(email);
  t.notMatch(JSON.stringify(mail?.headers), /thief/);
  t.match(mail?.text, /Ops Bcc: thief@ops\.example\.com <\/p><script>x<\/script> @all <!channel> gnp\.exe/);
  t.notMatch(mail?.html, /<script>|\u202e/);
});

t.test('an account has at most 50 channels', async (t) => {
  const { api, database } = await anAccount();
  const owned = { owner_id: api.userId, created_by: api.userId, is_test: false, type: 'webhook', config: '{}' };
  await database
    .db('alert_channels')
    .insert(Array.from({ length: 49 }, (_, index) => ({ ...owned, id: `ch_${index}`, name: `n${index}` })));
  const body = { name: 'One more', type: 'webhook', config: { url: 'https://hooks.example.com/' } };
  const answer = await api.call('POST', path, { body });
  t.match([answer.status, answer.body.error.details], [422, { alert_channels: [{ code: 'refused' }] }]);
});

t.test('the default channel follows the address of the account, and can be disabled, not deleted', async (t) => {
  const { api, database, email } = await anAccount();
  const [channel] = (await data(api, 'GET', path)).items;
  t.match(channel, { is_default: true, type: 'email', verified: true, config: { to: [email] } });
  await database.db('users').where({ id: api.userId }).update({ email: 'other@test.example' });
  t.match(await data(api, 'GET', `${path}/${channel.id}`), {
    recipients: [{ to: 'other@test.example', verified: true }],
  });
  t.match(await data(api, 'POST', `${path}/${channel.id}/test`, {}), { ok: true, delivery: { to: ['o***@t***e'] } });
  t.match(await mailsTo('other@test.example'), [{ subject: 'Test: alert' }]);
  t.equal((await api.call('DELETE', `${path}/${channel.id}`)).status, 409);
  const change = await api.call('PATCH', `${path}/${channel.id}`, { body: { config: { to: ['x@test.example'] } } });
  t.match([change.status, change.body.error.code], [422, 'ALERT_CHANNEL_INVALID']);
  t.match(await data(api, 'PATCH', `${path}/${channel.id}`, { enabled: false }), { enabled: false });
});

t.test(
  'a recipient gets nothing until it confirms by code or link, and codes cannot be guessed or used twice',
  async (t) => {
    const { api, database, email } = await anAccount();
    const [ada, bob] = ['ada@ops.example.com', 'bob@ops.example.com'];
    const made = await data(api, 'POST', path, {
      name: 'Ops',
      type: 'email',
      config: { to: [ada, bob, email] },
    });
    t.match(made, {
      verified: false,
      recipients: [{ verified: false }, { verified: false }, { to: email, verified: true }],
    });
    const verify = (body: object) => api.call('POST', `${path}/${made.id}/verify`, { body });
    const first = await verificationOf(ada);
    const wrong = first.code === '00000000' ? '00000001' : '00000000';
    for (let tries = 0; tries < 5; tries += 1)
      t.match(await verify({ to: ada, code: wrong }), {
        status: 422,
        body: { error: { code: 'ALERT_CHANNEL_INVALID' } },
      });
    t.equal(
      (await verify({ to: ada, code: first.code })).status,
      422,
      'after five wrong codes the right one is refused',
    );
    t.equal((await verify({ to: ada })).status, 200, 'a new one is sent');
    const { code } = await verificationOf(ada, 2);
    t.equal((await verify({ to: bob, code })).status, 422, 'a code is for its recipient alone');
    t.match((await verify({ to: ada, code })).body.data.recipients[0], { to: ada, verified: true });
    t.equal((await verify({ to: ada, code })).status, 422, 'a code works once');
    await verify({ to: ada });
    t.equal((await verify({ to: ada })).status, 422, 'three codes an hour');
    const link = await verificationOf(bob);
    const page = await fetch(new URL(link.path, api.url));
    t.match([page.status, await page.text()], [200, /bob@ops\.example\.com/]);
    t.match(
      (await data(api, 'GET', `${path}/${made.id}`)).recipients[1],
      { verified: false },
      'opening the link does nothing',
    );
    t.equal((await fetch(new URL(link.path, api.url), { method: 'POST' })).status, 200);
    t.match(await data(api, 'GET', `${path}/${made.id}`), { verified: true });
    t.equal((await fetch(new URL(link.path, api.url), { method: 'POST' })).status, 404, 'a link works once');
    t.equal(
      (await fetch(new URL(`${link.path}x`, api.url), { method: 'POST' })).status,
      404,
      'an altered link is refused',
    );
    const stored = JSON.stringify(await database.db('alert_recipients').select('*'));
    const log = JSON.stringify((await data(api, 'GET', '/v1/alert-deliveries')).items);
    const rows = JSON.stringify(await database.db('alert_deliveries').select('title', 'text', 'attempts'));
    for (const secret of [first.code, code, link.code])
      for (const text of [stored, log, rows]) t.notOk(text.includes(secret), 'no code is stored or shown');
    await verificationOf(ada, 3);
    t.equal((await mailsTo(email)).length, 0, 'the own address needs no code');
  },
);

t.test('a code ends after a day', async (t) => {
  const { api, database } = await anAccount();
  const to = 'cleo@ops.example.com';
  const made = await data(api, 'POST', path, { name: 'Ops', type: 'email', config: { to: [to] } });
  const { code } = await verificationOf(to);
  const recipient = database.db('alert_recipients').where({ channel_id: made.id });
  t.strictSame(await recipient.clone().pluck('code_expires_at'), [new Date(clock.now() + 86_400_000)]);
  await recipient.update({ code_expires_at: new Date(clock.now()) });
  t.equal((await api.call('POST', `${path}/${made.id}/verify`, { body: { code } })).status, 422);
});

t.test(
  'a recipient unsubscribes with one click, and gets nothing until it comes back or is verified again',
  async (t) => {
    const { api } = await anAccount();
    const to = 'dora@ops.example.com';
    const made = await data(api, 'POST', path, { name: 'Ops', type: 'email', config: { to: [to] } });
    const { code } = await verificationOf(to);
    await data(api, 'POST', `${path}/${made.id}/verify`, { code });
    const { delivery } = await data(api, 'POST', `${path}/${made.id}/test`, {});
    const mail = (await mailsTo(to)).at(-1);
    if (mail === undefined) throw new Error('no mail');
    t.ok(mail.messageId?.startsWith(`<${delivery.id}@`), `the Message-ID is ${mail.messageId}`);
    t.match(mail.html, 'Test: alert');
    t.equal(headerOf(mail, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    const url = headerOf(mail, 'list-unsubscribe')?.slice(1, -1) ?? '';
    const page = await fetch(url);
    t.match(
      [page.status, page.headers.get('x-robots-tag'), await page.text()],
      [200, 'noindex', /<form method="post">/],
    );
    const state = async () => (await data(api, 'GET', `${path}/${made.id}`)).recipients[0];
    t.match(await state(), { unsubscribed: false }, 'opening the page does nothing');
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    t.equal((await fetch(url, { method: 'POST', body })).status, 200);
    t.match(await state(), { unsubscribed: true });
    const again = await (await fetch(url)).text();
    const back = new URL(/<form method="post" action="([^"]*)"/.exec(again)?.[1] ?? '', url);
    t.equal((await fetch(back)).status, 200);
    t.match(await state(), { unsubscribed: true }, 'opening the way back does nothing');
    t.equal((await fetch(back, { method: 'POST' })).status, 200);
    t.match(await state(), { unsubscribed: false, verified: true });
    await fetch(url, { method: 'POST', body });
    t.match(await data(api, 'POST', `${path}/${made.id}/test`, {}), {
      ok: false,
      delivery: { status: 'dropped', reason: 'unsubscribed' },
    });
    await data(api, 'POST', `${path}/${made.id}/verify`, {});
    const { code: newCode } = await verificationOf(to, 3);
    await data(api, 'POST', `${path}/${made.id}/verify`, { code: newCode });
    t.match(await data(api, 'POST', `${path}/${made.id}/test`, {}), { ok: true });
  },
);

t.test('the page of the own address says that every alert goes there, and asks before it unsubscribes', async (t) => {
  const { api, email } = await anAccount();
  const [{ id }] = (await data(api, 'GET', path)).items;
  await data(api, 'POST', `${path}/${id}/test`, {});
  const [mail] = await mailsTo(email);
  const url = mail === undefined ? '' : (headerOf(mail, 'list-unsubscribe')?.slice(1, -1) ?? '');
  const page = await (await fetch(url)).text();
  t.match(page, `${email} is the address of your account: every alert without another channel goes there`);
  t.match(page, '<form method="post"><p><button>Unsubscribe</button>');
});

t.test(
  'a mail whose markup is refused is sent at once as plain text, and a refused recipient is disabled',
  async (t) => {
    const { api, email, database } = await anAccount();
    const [{ id }] = (await data(api, 'GET', path)).items;
    mailServer.toMessage = (source) => (source.includes('text/html') ? '554 5.6.0 no markup' : null);
    t.match(await data(api, 'POST', `${path}/${id}/test`, {}), {
      ok: true,
      delivery: { attempts: [{ outcome: 'refused' }, { outcome: 'accepted' }] },
    });
    const [mail] = await mailsTo(email);
    t.notOk(mail?.html);
    mailServer.toMessage = () => null;
    let refusals = 1;
    mailServer.toRecipient = () => (refusals-- > 0 ? '550 5.1.1 no such user' : null);
    t.match(await data(api, 'POST', `${path}/${id}/test`, {}), {
      ok: false,
      delivery: { status: 'dead', reason: 'refused' },
    });
    t.match(await data(api, 'GET', `${path}/${id}`), { health: { status: 'failing', last_error: /550/ } });
    const isMailed = async () => (await database.db('vantage_jobs.jobs')).length === 0;
    // the mail is there before its job is over
    await until('the warning', async () => (await mailsTo(email)).length === 2 && (await isMailed()));
    t.match((await mailsTo(email))[1], { subject: 'Alert channel is failing: Account e-mail' });
    refusals = 1;
    await data(api, 'POST', `${path}/${id}/test`, {});
    await data(api, 'POST', `${path}/${id}/test`, {});
    t.match(await data(api, 'GET', `${path}/${id}`), { health: { status: 'ok', last_error: null } });
    await until('all mails', isMailed);
    const warnings = (await mailsTo(email)).filter(({ subject }) => subject?.includes('is failing'));
    t.equal(warnings.length, 1, 'one warning a day');
  },
);

t.test('a failed test returns 200 with the response of the receiver, and a dry run sends nothing', async (t) => {
  const receiver = await startReceiver(t);
  receiver.reply = () => ({ status: 410, body: 'gone for good' });
  const { api, controlPlane } = await anAccount();
  const config = { url: `${receiver.url}/geheim?key=abcdef`, sign: true };
  const made = await data(api, 'POST', path, { name: 'Hook', type: 'webhook', config });
  const dry = await data(api, 'POST', `${path}/${made.id}/test`, { dry_run: true });
  t.match(dry, { ok: true, delivery: null, request: { method: 'POST', url: '********' } });
  t.match(Object.keys(dry.request.headers), ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature']);
  const digest = await data(api, 'POST', `${path}/${made.id}/test`, { dry_run: true, kind: 'digest' });
  t.match(JSON.parse(digest.request.body), { data: { kind: 'digest', count: 1, alerts: [{ monitor: Object }] } });
  t.equal(receiver.requests.length, 0);
  const failed = await data(api, 'POST', `${path}/${made.id}/test`, {});
  t.match(failed, {
    ok: false,
    delivery: { status: 'dead', reason: 'refused', attempts: [{ status_code: 410, response: 'gone for good' }] },
  });
  t.match(await data(api, 'GET', `${path}/${made.id}`), { health: { status: 'failing', last_error: 'HTTP 410' } });
  const request = { name: 'test', type: 'test', scopes: ['alert:read', 'alert:write'] } as const;
  const { key } = await controlPlane.services.tokens.apiKeys.create(
    asUser(api.userId),
    { ...request, scopes: [...request.scopes] },
    commandLine,
  );
  const own = await api.call('POST', path, { body: { name: 'Test hook', type: 'webhook', config }, as: key });
  t.match(await api.call('POST', `${path}/${own.body.data.id}/test`, { body: {}, as: key }), {
    body: { data: { ok: true, delivery: null, request: { method: 'POST' }, used_by: [] } },
  });
  const joining = { name: 'Joining', type: 'webhook', config, use: 'default' };
  t.equal((await api.call('POST', path, { body: joining, as: key })).status, 422, 'nor the default policy');
  t.equal((await api.call('GET', `${path}/${made.id}`, { as: key })).status, 404);
  t.equal(receiver.requests.length, 1);
  const answers = [];
  for (let index = 0; index < 5; index += 1)
    answers.push((await api.call('POST', `${path}/${made.id}/test`, { body: { dry_run: true } })).status);
  t.ok(answers.includes(429), 'at most six a minute');
  const unread = await api.call('POST', `${path}/ch_nothing/test`, { body: { dry_run: 1 } });
  t.equal(unread.status, 429, 'before the request is read');
});

t.test(
  'the request of a delivery is the one that was sent, also after its channel has changed or is gone',
  async (t) => {
    const receiver = await startReceiver(t);
    const { api } = await anAccount();
    const config = { url: `${receiver.url}/first`, body: '{"old": "{{title}}"}', headers: { 'X-Key': 'first-key' } };
    const made = await data(api, 'POST', path, { name: 'Hook', type: 'webhook', config });
    const { delivery } = await data(api, 'POST', `${path}/${made.id}/test`, {});
    const read = () => data(api, 'GET', `/v1/alert-deliveries/${delivery.id}`);
    const { request } = await read();
    t.match(request, { url: '********', headers: { 'X-Key': '********' }, body: receiver.requests[0]?.body });
    await data(api, 'PATCH', `${path}/${made.id}`, {
      config: { url: `${receiver.url}/second`, body: '{"new": "{{title}}"}', headers: { 'X-Key': 'second-key' } },
    });
    t.same((await read()).request, request);
    await api.call('DELETE', `${path}/${made.id}`);
    t.same((await read()).request, request);
  },
);

t.test('deliveries are listed, read with their request, and retried once they are dead', async (t) => {
  const receiver = await startReceiver(t);
  receiver.reply = () => ({ status: 410 });
  const { api } = await anAccount();
  const made = await data(api, 'POST', path, { name: 'Hook', type: 'webhook', config: { url: `${receiver.url}/` } });
  for (let index = 0; index < 3; index += 1) await data(api, 'POST', `${path}/${made.id}/test`, {});
  const page = await api.call('GET', `/v1/alert-deliveries?limit=2&status=dead&channel_id=${made.id}`);
  t.equal(page.body.data.items.length, 2);
  const cursor = page.body.meta.pagination.next_cursor;
  const rest = await api.call('GET', `/v1/alert-deliveries?limit=2&cursor=${cursor}`);
  t.equal(rest.body.data.items.length, 1);
  t.same((await data(api, 'GET', '/v1/alert-deliveries?kind=firing')).items, []);
  const [{ id }] = page.body.data.items;
  t.match(await data(api, 'GET', `/v1/alert-deliveries/${id}`), { id, request: { method: 'POST', url: '********' } });
  receiver.reply = () => ({ status: 200 });
  const retried = await api.call('POST', `/v1/alert-deliveries/${id}/retry`);
  t.match([retried.status, retried.body.data], [202, { status: 'pending', kind: 'test' }]);
  t.not(retried.body.data.id, id);
  const read = () => data(api, 'GET', `/v1/alert-deliveries/${retried.body.data.id}`);
  await until('it is sent', async () => (await read()).status === 'sent');
  t.equal((await api.call('POST', `/v1/alert-deliveries/${retried.body.data.id}/retry`)).status, 409);
});

t.test(
  'messages that wait for a channel are dropped when it is deleted, and a deleted account leaves none',
  async (t) => {
    const receiver = await startReceiver(t);
    receiver.reply = () => ({ status: 410 });
    const { api, controlPlane, database } = await anAccount();
    const { api: user } = await anAccount();
    const made = await data(user, 'POST', path, { name: 'Hook', type: 'webhook', config: { url: `${receiver.url}/` } });
    const { delivery } = await data(user, 'POST', `${path}/${made.id}/test`, {});
    const waits = { status: 'retrying', finished_at: null, next_attempt_at: new Date(Date.now() + 3_600_000) };
    await database.db('alert_deliveries').where({ id: delivery.id }).update(waits);
    await data(user, 'DELETE', `${path}/${made.id}`);
    const dropped = await data(user, 'GET', `/v1/alert-deliveries/${delivery.id}`);
    t.match(dropped, { status: 'dropped', reason: 'channel_deleted', request: { method: 'POST' } });
    await controlPlane.services.accounts.users.delete(user.userId, commandLine);
    for (const table of ['alert_channels', 'alert_deliveries', 'alert_lanes'])
      t.same(await database.db(table).where({ owner_id: user.userId }), [], table);
    t.equal((await data(api, 'GET', path)).items.length, 1);
  },
);
