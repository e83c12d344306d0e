import { dingtalkErrors, dingtalkRobot } from '@vantage/shared/_support/vendors/dingtalk.js';
import { feishuBot, feishuErrors } from '@vantage/shared/_support/vendors/feishu.js';
import { pagerdutyErrors } from '@vantage/shared/_support/vendors/pagerduty.js';
import { slackErrors } from '@vantage/shared/_support/vendors/slack.js';
import { telegramChats, telegramErrors } from '@vantage/shared/_support/vendors/telegram.js';
import { twilioAccount, twilioErrors } from '@vantage/shared/_support/vendors/twilio.js';
import type { Answer, Vendor } from '@vantage/shared/_support/vendors/vendor-server.js';
import { wechatAccount, wechatErrors } from '@vantage/shared/_support/vendors/wechat.js';
import { wecomErrors } from '@vantage/shared/_support/vendors/wecom.js';
import t, { type Test } from 'tap';
import type { Gateway } from '../src/config/channel-settings.js';
import type { ChannelType, Outcome } from '../src/modules/alerts/types/channel-type.js';
import { channelTypes } from '../src/modules/alerts/types/registry.js';
import { webhookType } from '../src/modules/alerts/types/webhook.js';
import { messageOf, messagesAtMs } from './_support/alert-messages.js';
import { type Delivering, deliver, knownConfigs, noSettings } from './_support/channel-attempts.js';
import { emailDeliverer } from './_support/email-attempts.js';
import { startReceiver } from './_support/receiver.js';
import { startSmtpServer } from './_support/smtp-server.js';
import { gatewayAccount, startGateway } from './_support/vendors/gateway.js';
import { settingsFor, startVendorOf, type VendorTypeName, vendorTypeNames } from './_support/vendors/index.js';

// Each type meets the stand-in of its vendor through the real outbound client.

const MINUTE_MS = 60_000;

/** A type at its stand-in, whose clock is the test's. */
interface Meeting {
  readonly vendor: Vendor;
  readonly type: ChannelType;
  readonly clock: { nowMs: number };
  /** Delivers the usual message with the configuration that the stand-in knows. */
  try(parts?: Partial<Delivering>): Promise<Outcome>;
  /** The same, where the vendor answers so. */
  tryWith(answer: Answer, parts?: Partial<Delivering>): Promise<Outcome>;
}

async function meet(t: Test, name: VendorTypeName): Promise<Meeting> {
  const clock = { nowMs: messagesAtMs };
  const vendor = await startVendorOf[name]({ now: () => clock.nowMs });
  t.teardown(() => vendor.close());
  const type = channelTypes(settingsFor(name, vendor))[name];
  const config = knownConfigs[name](vendor.origin);
  const attempt = (parts: Partial<Delivering> = {}) => {
    clock.nowMs += MINUTE_MS;
    return deliver(type, { config, nowMs: clock.nowMs, ...parts });
  };
  return {
    vendor,
    type,
    clock,
    try: attempt,
    tryWith: (answer, parts) => {
      vendor.answerNext(answer);
      return attempt(parts);
    },
  };
}

const retry = (retryAfterMs: number | null = null) => ({ kind: 'retry', retryAfterMs });
const refused = (of: 'message' | 'recipient' | 'channel') => ({ kind: 'refused', of });

/** Answers of a vendor, and what each is read as. */
type Rows = readonly (readonly [Answer, object])[];

async function expectRows(t: Test, meeting: Meeting, rows: Rows): Promise<void> {
  for (const [answer, expected] of rows) t.match(await meeting.tryWith(answer), expected, JSON.stringify(answer));
}

for (const name of vendorTypeNames) {
  t.test(`${name}: the vendor accepts messages of every kind, with markup and plain`, async (t) => {
    const meeting = await meet(t, name);
    for (const kind of ['firing', 'resolved', 'digest', 'notice', 'test'] as const) {
      const outcome = await meeting.try({ message: messageOf(kind, 'zh-CN') });
      t.match(outcome, { kind: 'accepted' }, `${kind}: ${JSON.stringify(outcome)}`);
    }
    t.match(await meeting.try({ isPlain: true }), { kind: 'accepted' }, 'plain');
    t.equal(meeting.vendor.taken.length, 6);
  });

  t.test(`${name}: a 200 that the body does not confirm is retried`, async (t) => {
    const meeting = await meet(t, name);
    const long = `{"errcode":0,"code":0,"ok":true,"sid":"x","pad":"${'x'.repeat(70_000)}"}`;
    for (const body of [long, '<html>200 OK</html>', '', '[]', 'null', '{"errcode":"0","code":"0","ok":"true"}', '{}'])
      t.match(await meeting.tryWith({ status: 200, body }), retry(), body);
    t.equal(meeting.vendor.taken.length, 0);
  });

  t.test(`${name}: an overloaded vendor is retried at the time that it states`, async (t) => {
    const meeting = await meet(t, name);
    await expectRows(t, meeting, [
      [{ status: 500, body: 'oops' }, retry()],
      [{ status: 503, headers: { 'retry-after': '120' }, body: '' }, retry(120_000)],
      [{ status: 503, headers: { 'retry-after': 'yesterday' }, body: '' }, retry()],
      [{ status: 429, headers: { 'retry-after': '9' }, body: '' }, retry(9_000)],
      [{ status: 408, body: '' }, retry()],
    ]);
  });

  t.test(`${name}: a vendor that cannot be reached is an error of the connection, not a refusal`, async (t) => {
    const meeting = await meet(t, name);
    await meeting.vendor.close();
    await t.rejects(meeting.try(), { name: 'OutboundError', reason: 'unreachable' });
  });
}

for (const name of vendorTypeNames) {
  t.test(`${name}: a status that the vendor does not document as final is retried`, async (t) => {
    const meeting = await meet(t, name);
    const statuses = [
      301, 302, 304, 307, 308, 401, 402, 404, 405, 406, 407, 409, 410, 411, 412, 415, 418, 422, 451, 499,
    ];
    await expectRows(
      t,
      meeting,
      statuses.map((status) => [{ status, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, retry()]),
    );
    t.match(await meeting.tryWith({ status: 401, body: '<html>Sign in to the proxy</html>' }), retry());
  });
}

t.test('slack: another host that refuses a body gets it in plain form, and then again', async (t) => {
  const meeting = await meet(t, 'slack');
  const elsewhere = channelTypes(noSettings).slack;
  const delivering = { config: knownConfigs.slack(meeting.vendor.origin), allow: ['127.0.0.1/32'] };
  meeting.vendor.answerNext({ status: 400, body: '' }, { status: 400, body: '' });
  t.match(await deliver(elsewhere, delivering), refused('message'));
  t.match(await deliver(elsewhere, { ...delivering, isPlain: true }), retry());
});

t.test('telegram: unknown words of a refusal do not end the message', async (t) => {
  const meeting = await meet(t, 'telegram');
  const strange = { status: 400, body: { ok: false, error_code: 400, description: 'Bad Request: something new' } };
  t.match(await meeting.tryWith(strange), refused('message'), 'its plain form follows');
  meeting.vendor.answerNext(strange);
  t.match(await meeting.try({ isPlain: true }), retry());
});

t.test('slack: the body decides if the message or the channel is at fault', async (t) => {
  const meeting = await meet(t, 'slack');
  await expectRows(t, meeting, [
    [slackErrors.rollup_error, retry()],
    [slackErrors.no_service, refused('channel')],
    [slackErrors.no_team, refused('channel')],
    [slackErrors.channel_not_found, refused('channel')],
    [slackErrors.channel_is_archived, refused('channel')],
    [slackErrors.action_prohibited, refused('channel')],
    [slackErrors.invalid_payload, refused('message')],
  ]);
  await meeting.try();
  meeting.clock.nowMs -= MINUTE_MS;
  t.match(await meeting.try(), retry(1_000), 'the second one within a second');
});

t.test('slack: other hosts get the same body, and their status decides', async (t) => {
  const meeting = await meet(t, 'slack');
  const elsewhere = channelTypes(noSettings).slack;
  const delivering = { config: knownConfigs.slack(meeting.vendor.origin), allow: ['127.0.0.1/32'] };
  meeting.vendor.answerNext(
    { status: 200, body: '{"success":true}' },
    { status: 204, body: '' },
    { status: 404, body: '' },
  );
  t.match(await deliver(elsewhere, delivering), { kind: 'accepted' }, 'Rocket.Chat');
  t.match(await deliver(elsewhere, delivering), { kind: 'accepted' }, 'no body');
  t.match(await deliver(elsewhere, delivering), retry(), 'no word of Slack');
  t.match(JSON.parse(String(meeting.vendor.requests[0]?.body)), { text: /down/, attachments: Array });
});

t.test('slack: an origin of the operator is exempt from the target policy, and no other one is used', async (t) => {
  const meeting = await meet(t, 'slack');
  const config = knownConfigs.slack(meeting.vendor.origin);
  t.match(await meeting.try({ allow: [] }), { kind: 'accepted' });
  await t.rejects(deliver(channelTypes(noSettings).slack, { config }), { name: 'OutboundError', reason: 'refused' });
  const other = { url: 'https://hooks.slack.com/services/T0/B0/X' };
  t.match(await meeting.try({ config: other }), { ...refused('channel'), error: /must begin with http/ });
});

t.test('telegram: code and description decide if the message, the recipient or the channel is at fault', async (t) => {
  const meeting = await meet(t, 'telegram');
  await expectRows(t, meeting, [
    [telegramErrors.too_many, retry(7_000)],
    [telegramErrors.internal, retry()],
    [telegramErrors.bad_gateway, retry()],
    [telegramErrors.unauthorized, refused('channel')],
    [telegramErrors.not_found, retry()],
    [telegramErrors.blocked, refused('channel')],
    [telegramErrors.kicked, refused('channel')],
    [telegramErrors.chat_not_found, refused('channel')],
    [telegramErrors.no_rights, refused('channel')],
    [telegramErrors.cannot_parse, refused('message')],
    [telegramErrors.too_long, refused('message')],
  ]);
});

t.test('telegram: a group that moved gets the message at once, and its new id is stored', async (t) => {
  const meeting = await meet(t, 'telegram');
  const config = { ...knownConfigs.telegram(), chat_id: telegramChats.moved };
  const outcome = await meeting.try({ config });
  t.match(outcome, { kind: 'accepted', providerId: /^\d+$/, config: { chat_id: telegramChats.movedTo } });
  t.match(meeting.vendor.taken, [{ body: { chat_id: telegramChats.movedTo } }]);
});

t.test('telegram: later messages reply to the first one, and the end of an alert may be silent', async (t) => {
  const meeting = await meet(t, 'telegram');
  const config = { ...knownConfigs.telegram(), silent_recovery: true, thread_id: 7 };
  const first = await meeting.try({ config });
  const firstProviderId = first.kind === 'accepted' ? first.providerId : null;
  await meeting.try({ config, message: messageOf('resolved', 'en'), firstProviderId });
  const [firing, resolved] = meeting.vendor.taken.map(({ body }) => body as Record<string, unknown>);
  t.match(firing, { message_thread_id: 7 });
  t.notOk('disable_notification' in (firing ?? {}) || 'reply_parameters' in (firing ?? {}));
  t.match(resolved, {
    disable_notification: true,
    reply_parameters: { message_id: Number(firstProviderId), allow_sending_without_reply: true },
  });
});

t.test('wecom: the code in a response with status 200 decides', async (t) => {
  const meeting = await meet(t, 'wecom');
  await expectRows(t, meeting, [
    [wecomErrors.busy, retry()],
    [wecomErrors.too_often, retry(65_000)],
    [wecomErrors.invalid_key, refused('channel')],
    [wecomErrors.robot_stopped, refused('channel')],
    [wecomErrors.not_in_group, refused('channel')],
    [wecomErrors.bad_parameter, refused('message')],
    [wecomErrors.empty_content, refused('message')],
    [{ status: 200, body: { errcode: 12345, errmsg: 'new' } }, retry()],
  ]);
  t.match(await meeting.try({ config: { key: 'another-key-0123' } }), refused('channel'));
});

t.test('wecom: members are mentioned while something is wrong', async (t) => {
  const meeting = await meet(t, 'wecom');
  const config = { ...knownConfigs.wecom(), mentioned_mobiles: ['13800000000'] };
  await meeting.try({ config });
  await meeting.try({ config, message: messageOf('resolved', 'en') });
  t.strictSame(
    meeting.vendor.taken.map(({ mentions }) => mentions),
    [['13800000000'], []],
  );
});

t.test('dingtalk: the code in a response with status 200 decides', async (t) => {
  const meeting = await meet(t, 'dingtalk');
  await expectRows(t, meeting, [
    [dingtalkErrors.busy, retry()],
    [dingtalkErrors.too_often, retry(10 * MINUTE_MS)],
    [dingtalkErrors.throttled, retry(10 * MINUTE_MS)],
    [dingtalkErrors.bad_sign, refused('channel')],
    [dingtalkErrors.bad_timestamp, refused('channel')],
    [dingtalkErrors.no_keyword, refused('channel')],
    [dingtalkErrors.bad_address, refused('channel')],
    [dingtalkErrors.unknown_token, refused('channel')],
    [dingtalkErrors.documented_unknown_token, refused('channel')],
    [dingtalkErrors.group_dissolved, refused('channel')],
    [dingtalkErrors.robot_stopped, refused('channel')],
    [dingtalkErrors.no_robot, refused('channel')],
    [dingtalkErrors.missing_token, refused('channel')],
    [dingtalkErrors.too_long, refused('message')],
    [dingtalkErrors.unsafe_link, refused('message')],
    [dingtalkErrors.improper_text, refused('message')],
    [dingtalkErrors.improper_content, refused('message')],
    [dingtalkErrors.wrong_type, refused('message')],
    [{ status: 200, body: { errcode: 90030, errmsg: 'webhook over limit' } }, retry()],
  ]);
});

t.test('dingtalk: each attempt is signed at its own time, and has the keyword and the mentions', async (t) => {
  const meeting = await meet(t, 'dingtalk');
  const config = { ...knownConfigs.dingtalk(), at_mobiles: ['13800000000'] };
  t.match(await meeting.try({ config }), { kind: 'accepted' });
  meeting.clock.nowMs += 3 * 60 * MINUTE_MS;
  t.match(
    await meeting.try({ config, message: messageOf('resolved', 'en') }),
    { kind: 'accepted' },
    'three hours later',
  );
  t.strictSame(
    meeting.vendor.taken.map(({ mentions }) => mentions),
    [['13800000000'], []],
  );
  t.ok(meeting.vendor.taken.every(({ text }) => text.includes(dingtalkRobot.keyword)));
  const twoHoursOff = meeting.clock.nowMs - 120 * MINUTE_MS;
  t.match(await meeting.try({ nowMs: twoHoursOff }), refused('channel'), 'a clock that is wrong by two hours');
  t.match(await meeting.try({ config: { ...config, secret: 'SECother' } }), refused('channel'), 'another secret');
  t.match(await meeting.try({ config: { ...config, keyword: 'other' } }), refused('channel'), 'another keyword');
});

for (const name of ['feishu', 'lark'] as const) {
  t.test(`${name}: the code in the body decides`, async (t) => {
    const meeting = await meet(t, name);
    await expectRows(t, meeting, [
      [{ status: 200, body: { StatusCode: 0, StatusMessage: 'success' } }, { kind: 'accepted' }],
      [feishuErrors.too_often, retry()],
      [feishuErrors.tenant_too_often, retry()],
      [feishuErrors.bad_sign, refused('channel')],
      [feishuErrors.bad_address, refused('channel')],
      [feishuErrors.no_keyword, refused('channel')],
      [feishuErrors.invalid_token, refused('channel')],
      [feishuErrors.not_enabled, refused('channel')],
      [feishuErrors.bad_request, refused('message')],
      [feishuErrors.bad_card, refused('message')],
      [feishuErrors.overloaded, retry()],
    ]);
  });

  t.test(`${name}: each attempt is signed at its own time, and has the keyword`, async (t) => {
    const meeting = await meet(t, name);
    const config = knownConfigs[name]();
    t.match(await meeting.try(), { kind: 'accepted' });
    meeting.clock.nowMs += 3 * 60 * MINUTE_MS;
    t.match(await meeting.try(), { kind: 'accepted' }, 'three hours later');
    t.ok(meeting.vendor.taken.every(({ text }) => text.includes(feishuBot.keyword)));
    const twoHoursOff = meeting.clock.nowMs - 120 * MINUTE_MS;
    t.match(await meeting.try({ nowMs: twoHoursOff }), refused('channel'), 'a clock that is wrong by two hours');
    t.match(await meeting.try({ config: { ...config, secret: 'other' } }), refused('channel'), 'another secret');
    t.match(await meeting.try({ config: { ...config, keyword: 'other' } }), refused('channel'), 'another keyword');
  });
}

t.test('wechat: errors of the token and of the message are handled in the same way', async (t) => {
  const meeting = await meet(t, 'wechat');
  const config = knownConfigs.wechat();
  await expectRows(t, meeting, [
    [wechatErrors.busy, retry()],
    [wechatErrors.invalid_app_id, refused('channel')],
    [wechatErrors.invalid_secret, refused('channel')],
    [wechatErrors.bad_address, refused('channel')],
  ]);
  const tokenThen = (answer: Answer) => {
    meeting.vendor.answerNext({ status: 200, body: { access_token: 'TOKEN-1', expires_in: 7200 } });
    return meeting.tryWith(answer);
  };
  t.match(await tokenThen(wechatErrors.invalid_template), refused('channel'));
  t.match(await tokenThen(wechatErrors.bad_value), refused('message'));
  t.match(await tokenThen(wechatErrors.busy), retry());
  const recipients = [
    [wechatAccount.left, refused('recipient')],
    ['oUnknownUnknownUnknownUnknow', refused('recipient')],
    [wechatAccount.follower, { kind: 'accepted', providerId: /^\d+$/ }],
  ] as const;
  for (const [recipient, expected] of recipients)
    t.match(await meeting.try({ config, recipient }), expected, recipient);
});

t.test('wechat: a token that is refused is renewed once, and then waits', async (t) => {
  const meeting = await meet(t, 'wechat');
  const stale: Answer = { status: 200, body: { access_token: 'TOKEN-0', expires_in: 7200 } };
  meeting.vendor.answerNext(stale);
  t.match(await meeting.try(), { kind: 'accepted' }, 'the second token is right');
  meeting.vendor.answerNext(stale, wechatErrors.expired_token, stale, wechatErrors.expired_token);
  const before = meeting.vendor.requests.length;
  t.match(await meeting.try(), retry());
  const asked = meeting.vendor.requests.slice(before).map(({ body }) => JSON.parse(body.toString()).force_refresh);
  t.strictSame(asked, [false, undefined, true, undefined]);
});

t.test('wechat: a spent daily quota waits for five past midnight in Shanghai', async (t) => {
  const meeting = await meet(t, 'wechat');
  const answers = [{ status: 200, body: { access_token: 'TOKEN-1' } }, wechatErrors.daily_quota];
  for (const [now, expected] of [
    ['2026-11-21T09:20:00Z', '2026-11-21T16:05:00Z'],
    ['2026-11-21T16:00:00Z', '2026-11-21T16:05:00Z'],
    ['2026-11-21T16:05:00Z', '2026-11-22T16:05:00Z'],
    ['2026-11-21T15:59:59Z', '2026-11-21T16:05:00Z'],
  ] as const) {
    meeting.vendor.answerNext(...answers);
    const waits = { ...retry(Date.parse(expected) - Date.parse(now)), isOfVendor: true };
    t.match(await meeting.try({ nowMs: Date.parse(now) }), waits, now);
  }
});

for (const name of ['sms', 'voice'] as const) {
  t.test(`${name}: the gateway's errors end the recipient or wait, and never the channel`, async (t) => {
    const meeting = await meet(t, name);
    await expectRows(t, meeting, [
      [twilioErrors.too_many, retry()],
      [twilioErrors.internal, retry()],
      [twilioErrors.unauthorized, retry()],
      [twilioErrors.invalid_number, refused('recipient')],
      [twilioErrors.invalid_callee, refused('recipient')],
      [twilioErrors.opted_out, refused('recipient')],
      [twilioErrors.not_mobile, refused('recipient')],
      [twilioErrors.too_long, refused('message')],
      [{ status: 201, body: '' }, retry()],
    ]);
    t.match(await meeting.try({ recipient: twilioAccount.invalid }), refused('recipient'));
    t.match(await meeting.try(), { kind: 'accepted', providerId: name === 'sms' ? /^SM/ : /^CA/ });
  });

  t.test(`${name}: a generic gateway gets number, text and id, and the id that it returns is stored`, async (t) => {
    const gateway = await startGateway();
    t.teardown(() => gateway.close());
    const generic: Gateway = {
      kind: 'generic',
      url: `${gateway.origin}/send`,
      headers: { Authorization: gatewayAccount.key },
      id_path: 'data.id',
      success_status: [202],
    };
    const type = channelTypes({ ...noSettings, smsGateway: generic, voiceGateway: generic })[name];
    const config = knownConfigs[name]();
    const accepted = await deliver(type, { config });
    t.match(accepted, { kind: 'accepted', providerId: 'gw-1' });
    t.match(gateway.taken, [{ body: { to: config.to[0], text: /^Shop has been down/, id: 'ad_01' } }]);
    t.match(await deliver(type, { config, recipient: gatewayAccount.invalid }), refused('recipient'));
    for (const answer of [
      { status: 200, body: '{"data":{"id":1}}' },
      { status: 202, body: '{"data":{}}' },
      { status: 403, body: '' },
    ]) {
      gateway.answerNext(answer);
      t.match(await deliver(type, { config }), retry(), JSON.stringify(answer));
    }
  });

  t.test(
    `${name}: without a gateway the type is not configured, and a delivery that waits continues to wait`,
    async (t) => {
      const type = channelTypes(noSettings)[name];
      t.match(type.missingSetting, /^VANTAGE_(?:SMS|VOICE)_GATEWAY$/);
      t.match(await deliver(type, { config: knownConfigs[name]() }), retry());
    },
  );
}

t.test('sms: values of a generic gateway do not leave their string or their field', async (t) => {
  const gateway = await startGateway();
  t.teardown(() => gateway.close());
  const bodies = [
    ['application/json', '{"to": "{{to}}", "text": "say {{text}}", "nested": ["{{id}}", 1], "{{to}}": "{{other}}"}'],
    ['application/x-www-form-urlencoded', 'to={{to}}&text={{text}}'],
    ['application/json; charset=utf-8', '{"text": "{{text}}"}\n{"to": "{{to}}"}'],
    ['text/xml; charset=UTF-8', '<sms to="{{to}}"><text>{{text}}</text></sms>'],
    ['text/plain', 'id: {{id}}\n\n{{text}}'],
  ] as const;
  const message = { ...messageOf('firing', 'en'), headline: '", "to": "+1", & to=+1 {{id}}</text>\u0000\uffff' };
  for (const [type, body] of bodies) {
    const smsGateway = { kind: 'generic', url: gateway.origin, body, headers: { 'Content-Type': type } } as const;
    gateway.answerNext({ status: 200, body: '' });
    await deliver(channelTypes({ ...noSettings, smsGateway }).sms, { config: knownConfigs.sms(), message });
  }
  const [json, form, lines, xml, text] = gateway.requests.map(({ body }) => body.toString());
  t.match(JSON.parse(json ?? ''), {
    to: '+8613800000000',
    text: /^say ", "to": "\+1", & to=\+1 \{\{id\}\}/,
    nested: ['ad_01', 1],
  });
  t.equal(new URLSearchParams(form).getAll('to').join(), '+8613800000000');
  t.match(new URLSearchParams(form).get('text'), /^", "to": "\+1", & to=\+1 \{\{id\}\}/);
  t.match(
    lines?.split('\n').map((line) => JSON.parse(line)),
    [{ text: /^", "to": "\+1"/ }, { to: '+8613800000000' }],
  );
  t.match(
    xml,
    /^<sms to="\+8613800000000"><text>&quot;, [^<]* \{\{id\}\}&lt;\/text&gt;\ufffd&#10;[^<\n\0\uffff]*<\/text><\/sms>$/,
  );
  t.match(text, /^id: ad_01\n\n", "to": [^\0]*$/);
});

t.test('webhook: a stored channel with a body of a type without a rule sends nothing, and ends', async (t) => {
  const receiver = await startReceiver(t);
  const settings = { url: `${receiver.url}/`, method: 'POST', headers: {}, sign: false };
  const deliverAs = (config: object) =>
    deliver(webhookType, { config: { ...settings, ...config }, allow: ['127.0.0.1/32'] });
  t.match(await deliverAs({ content_type: 'text/html', body: '<b>{{title}}</b>' }), {
    ...refused('channel'),
    error: /content_type must be application\/json, .*, not "text\/html"/,
  });
  t.equal(receiver.requests.length, 0);
  t.match(await deliverAs({ content_type: 'application/x-event' }), { kind: 'accepted' }, 'the event has no values');
  t.match(await deliverAs({ content_type: 'application/xml', body: '<t>{{title}}</t>' }), { kind: 'accepted' });
  t.match(receiver.requests.at(-1)?.body, /^<t>Down: [^<]*<\/t>$/);
});

t.test('email: what the mail server refuses for ever ends the recipient or the form, and the rest waits', async (t) => {
  const server = await startSmtpServer(t);
  const send = emailDeliverer(server.host);
  const message = messageOf('firing', 'en');
  t.match(await send(message), { kind: 'accepted', providerId: /^<ad_01@/ });
  const rows = [
    ['toRecipient', '550 5.1.1 no such user', refused('recipient')],
    ['toRecipient', '450 4.2.1 mailbox busy', retry()],
    ['toMessage', '554 5.6.0 no markup here', refused('message')],
    ['toMessage', '452 4.3.1 no space', retry()],
    ['toSender', '421 4.3.2 shutting down', retry()],
  ] as const;
  for (const [step, answer, expected] of rows) {
    server[step] = () => answer;
    const outcome = await send(message);
    t.match(outcome, { ...expected, error: answer.slice(0, 9) }, `${step}: ${JSON.stringify(outcome)}`);
    server[step] = () => null;
  }
  t.match(await emailDeliverer('127.0.0.1:1')(message), retry(), 'no connection');
});

t.test('webhook: 2xx is success, 410 ends the channel, and the rest waits', async (t) => {
  const receiver = await startReceiver(t);
  const config = {
    url: `${receiver.url}/`,
    method: 'POST',
    headers: {},
    content_type: 'application/json',
    sign: false,
  };
  const rows = [
    [{ status: 204 }, { kind: 'accepted' }],
    [{ status: 200, body: '<html>' }, { kind: 'accepted' }],
    [{ status: 410 }, refused('channel')],
    [{ status: 404 }, retry()],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, retry()],
    [{ status: 408 }, retry()],
    [{ status: 425 }, retry()],
    [{ status: 429, headers: { 'retry-after': '7' } }, retry(7_000)],
    [{ status: 503, headers: { 'retry-after': 'yesterday' } }, retry()],
    [{ status: 500 }, retry()],
  ] as const;
  for (const [reply, expected] of rows) {
    receiver.reply = () => reply;
    const sent = receiver.requests.length;
    t.match(await deliver(webhookType, { config, allow: ['127.0.0.1/32'] }), expected, String(reply.status));
    t.equal(receiver.requests.length, sent + 1, 'one request: redirects are not followed');
  }
});

t.test('pagerduty: 202 alone is success, 429 waits half a minute, 400 and 403 end the channel', async (t) => {
  const meeting = await meet(t, 'pagerduty');
  await expectRows(t, meeting, [
    [{ status: 200, body: '{"status":"success"}' }, retry()],
    [pagerdutyErrors.too_often, retry(30_000)],
    [pagerdutyErrors.internal, retry()],
    [pagerdutyErrors.invalid_event, refused('channel')],
    [pagerdutyErrors.forbidden, refused('channel')],
    [{ status: 413, body: '' }, refused('message')],
  ]);
});

t.test('pagerduty: an alert is one incident from its first message to its end', async (t) => {
  const meeting = await meet(t, 'pagerduty');
  for (const kind of ['firing', 'reminder', 'acknowledged', 'resolved'] as const)
    await meeting.try({ message: messageOf(kind, 'en') });
  const over = { ...messageOf('digest', 'en'), isOver: true };
  await meeting.try({ message: over });
  const long = 'x'.repeat(300);
  await meeting.try({ message: { ...over, thread: long } });
  const bodies = meeting.vendor.taken.map(({ body }) => body as Record<string, string>);
  t.strictSame(
    bodies.map(({ event_action }) => event_action),
    ['trigger', 'trigger', 'acknowledge', 'resolve', 'resolve', 'resolve'],
  );
  t.strictSame([...new Set(bodies.slice(0, 5).map(({ dedup_key }) => dedup_key))], ['ae_01']);
  t.match(bodies[5]?.['dedup_key'], /^sha256-[0-9a-f]{64}$/);
});

t.test('no credential appears in the recorded response of a vendor', async (t) => {
  const gateway = [twilioAccount.token, Buffer.from(`${twilioAccount.sid}:${twilioAccount.token}`).toString('base64')];
  const others: Readonly<Partial<Record<VendorTypeName, readonly string[]>>> = {
    wechat: ['TOKEN-1'],
    sms: gateway,
    voice: gateway,
  };
  for (const name of vendorTypeNames) {
    const meeting = await meet(t, name);
    const config = knownConfigs[name](meeting.vendor.origin) as Readonly<Record<string, string>>;
    const secrets = [...meeting.type.sealed.flatMap((field) => config[field] ?? []), ...(others[name] ?? [])];
    t.ok(secrets.length > 0, name);
    const echo = { status: 500, body: `you sent ${secrets.join(' and ')}` };
    if (name === 'wechat') meeting.vendor.answerNext({ status: 200, body: { access_token: 'TOKEN-1' } });
    const outcome = JSON.stringify(await meeting.tryWith(echo));
    t.match(outcome, /you sent \*{8}/, name);
    for (const secret of secrets) t.notOk(outcome.includes(secret), `${name}: ${secret}`);
  }
});

t.test('credentials inside a URL are masked like separate ones', async (t) => {
  const configs = {
    wecom: (origin: string) => ({ url: `${origin}/cgi-bin/webhook/send?key=${knownConfigs.wecom().key}` }),
    dingtalk: (origin: string) => ({
      ...knownConfigs.dingtalk(),
      access_token: undefined,
      url: `${origin}/robot/send?access_token=${dingtalkRobot.token}`,
    }),
    feishu: (origin: string) => ({
      ...knownConfigs.feishu(),
      token: undefined,
      url: `${origin}/open-apis/bot/v2/hook/${feishuBot.token}`,
    }),
  } as const;
  for (const name of ['wecom', 'dingtalk', 'feishu'] as const) {
    const meeting = await meet(t, name);
    const config = configs[name](meeting.vendor.origin);
    const credential = meeting.type.credential(config as never);
    t.match(await meeting.try({ config }), { kind: 'accepted' }, name);
    const outcome = JSON.stringify(await meeting.tryWith({ status: 500, body: `you sent ${credential}` }, { config }));
    t.match(outcome, /you sent \*{8}/, name);
  }
});
