import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { Type } from 'typebox';
import type { ChannelType } from './channel-type.js';
import { type ChannelTypeName, channelTypeNames, channelTypes } from './registry.js';

const settings = { channelUrls: {}, smsGateway: null, voiceGateway: null };
const types = channelTypes(settings);
const token = '123456789:AAExampleExampleExampleExampleExample';

/** Configurations that are valid, at least one of each type. */
const valid: readonly (readonly [ChannelTypeName, object])[] = [
  ['email', { to: ['ops@example.com'] }],
  ['webhook', { url: 'https://hooks.example.com/', body: '{"message": "{{title}}", "at": "{{time|date}}"}' }],
  ['slack', { url: 'https://hooks.slack.com/services/T0/B0/X' }],
  ['slack', { url: 'https://chat.example/hooks/abc' }],
  ['telegram', { bot_token: token, chat_id: '-1001234567890', thread_id: 4, silent_recovery: true }],
  ['telegram', { bot_token: token, chat_id: '@channel_name' }],
  ['wecom', { key: '693a91f6-7aaa', mentioned_mobiles: ['13800000000'] }],
  ['wecom', { url: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7aaa' }],
  ['dingtalk', { access_token: 'c5e0cf1e1c5e', secret: 'SECx', keyword: '告警', at_mobiles: ['+86-13800000000'] }],
  ['dingtalk', { url: 'https://oapi.dingtalk.com/robot/send?access_token=c5e0cf1e1c5e' }],
  ['feishu', { token: '1d3c5e7f-aaaa', secret: 'x', keyword: 'k' }],
  ['feishu', { url: 'https://open.feishu.cn/open-apis/bot/v2/hook/1d3c5e7f-aaaa' }],
  ['lark', { url: 'https://open.larksuite.com/open-apis/bot/v2/hook/1d3c5e7f-aaaa' }],
  ['wechat', wechat({ first: '{{title}}', keyword1: 'at {{alert.started_at|date}}' })],
  ['sms', { to: ['+8613800000000'] }],
  ['voice', { to: ['+8613800000000'], repeats: 3 }],
  ['pagerduty', { routing_key: 'R0123456789ABCDEF0123456789ABCDE', region: 'eu' }],
];

const invalid: readonly (readonly [ChannelTypeName, object, string])[] = [
  ['email', { to: [] }, 'to'],
  ['webhook', { url: 'https://hooks.example.com/', body: '{{nonsense}}' }, 'body'],
  ['webhook', { url: 'https://hooks.example.com/', body: '{"a": ["{{title|upper"]}' }, 'body'],
  ['webhook', { url: 'https://hooks.example.com/', headers: { Host: 'x' } }, 'headers'],
  ['slack', {}, 'url'],
  ['slack', { url: 'ftp://hooks.slack.com/' }, 'url'],
  ['slack', { url: 'https://hooks.slack.com/', channel: '#ops' }, 'channel'],
  ['telegram', { bot_token: 'x', chat_id: '1' }, 'bot_token'],
  ['telegram', { bot_token: token, chat_id: 'a chat' }, 'chat_id'],
  ['wecom', {}, 'key'],
  ['wecom', { key: '693a91f6-7aaa', url: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7aaa' }, 'url'],
  ['wecom', { url: 'https://evil.example/cgi-bin/webhook/send?key=693a91f6-7aaa' }, 'url'],
  ['wecom', { url: 'https://qyapi.weixin.qq.com.evil.example/cgi-bin/webhook/send?key=x' }, 'url'],
  ['wecom', { url: 'https://qyapi.weixin.qq.com/cgi-bin/token?key=693a91f6-7aaa' }, 'url'],
  ['wecom', { url: 'http://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7aaa' }, 'url'],
  ['dingtalk', { access_token: 'c5e0cf1e1c5e', keyword: ' ' }, 'keyword'],
  ['dingtalk', { access_token: 'c5e0cf1e1c5e', at_mobiles: ['@all'] }, 'at_mobiles.0'],
  ['feishu', { url: 'https://open.larksuite.com/open-apis/bot/v2/hook/1d3c5e7f-aaaa' }, 'url'],
  ['feishu', { url: 'https://open.feishu.cn/open-apis/bot/v2/hook/a/../../x' }, 'url'],
  ['lark', { token: '../../x' }, 'token'],
  ['wechat', { ...wechat({ first: 'x' }), to: [] }, 'to'],
  ['wechat', wechat({ first: '{{secret}}' }), 'fields.first'],
  ['wechat', wechat({ first: 'ok', second: '{{title|reverse}}' }), 'fields.second'],
  ['wechat', wechat({}), 'fields'],
  ['wechat', wechat({ 'not a name': 'x' }), 'fields.not a name'],
  ['sms', { to: ['013800000000'] }, 'to.0'],
  ['sms', { to: Array.from({ length: 11 }, (_, index) => `+861380000000${index}`) }, 'to'],
  ['voice', { to: ['+8613800000000'], repeats: 4 }, 'repeats'],
  ['pagerduty', { routing_key: 'short' }, 'routing_key'],
  ['pagerduty', { routing_key: 'R0123456789ABCDEF0123456789ABCDE', region: 'cn' }, 'region'],
];

function wechat(fields: object): object {
  const template_id = 'ngqIpbwh8bUfcSsECmogfXcV14J0tQlEpBO27izEYtY';
  return {
    app_id: 'wx0123456789abcdef',
    app_secret: '0123456789abcdef0123456789abcdef',
    template_id,
    to: ['oGZUI0egBJY1zhBYw2KhdUfwVJJE'],
    fields,
  };
}

/** First field that is wrong, or null. */
function wrongField(type: ChannelType, config: object): string | null {
  const validation = compileSchema(type.config)(structuredClone(config));
  if (!validation.ok) return Object.keys(validation.details)[0] ?? null;
  return type.problem?.(validation.value as never)?.field ?? null;
}

t.test('each type accepts its valid configurations', async (t) => {
  for (const [name, config] of valid)
    t.equal(wrongField(types[name], config), null, `${name} ${JSON.stringify(config)}`);
  t.strictSame(new Set(valid.map(([name]) => name)), new Set(channelTypeNames));
});

t.test('a refused configuration names the field', async (t) => {
  for (const [name, config, field] of invalid)
    t.equal(wrongField(types[name], config), field, `${name} ${JSON.stringify(config)}`);
});

t.test('every field has a description and an example that its schema takes, and sealed fields exist', async (t) => {
  for (const name of channelTypeNames) {
    const { config, sealed } = types[name];
    const fields = Object.entries(config.properties as Record<string, { description?: string; example?: unknown }>);
    for (const [field, schema] of fields) {
      t.type(schema.description, 'string', `${name}.${field}`);
      const whole = Type.Object({ [field]: schema as never });
      t.match(
        compileSchema(whole)({ [field]: schema.example }),
        { ok: true },
        `${name}.${field}: ${JSON.stringify(schema.example)}`,
      );
    }
    t.strictSame(
      sealed.filter((field) => !(field in config.properties)),
      [],
    );
    t.equal(Object(config).additionalProperties, false, name);
    t.equal(types[name].name, name);
  }
});

t.test('an origin of the operator is the only one that a type may name, and is exempt from the policy', async (t) => {
  const own = channelTypes({
    ...settings,
    channelUrls: { slack: 'http://chat.internal:8065', wecom: 'http://wecom.internal' },
  });
  t.equal(wrongField(own.slack, { url: 'https://hooks.slack.com/services/T0/B0/X' }), 'url');
  t.equal(wrongField(own.slack, { url: 'http://chat.internal:8065/hooks/x' }), null);
  t.equal(wrongField(own.wecom, { url: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7aaa' }), 'url');
  t.strictSame(own.slack.urls({ url: 'http://chat.internal:8065/hooks/x' } as never), []);
  t.strictSame(types.slack.urls({ url: 'https://a.example/x' } as never), ['https://a.example/x']);
  t.strictSame(types.wecom.urls({ key: 'x' } as never), ['https://qyapi.weixin.qq.com']);
  t.strictSame(types.pagerduty.urls({ routing_key: 'x', region: 'eu' } as never), ['https://events.eu.pagerduty.com']);
});

t.test('a URL and its credential alone count as one credential', async (t) => {
  const pairs = [
    [
      'wecom',
      { key: '693a91f6-7aaa' },
      { url: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?debug=1&key=693a91f6-7aaa' },
    ],
    [
      'dingtalk',
      { access_token: 'c5e0cf1e1c5e' },
      { url: 'https://oapi.dingtalk.com/robot/send?access_token=c5e0cf1e1c5e' },
    ],
    ['feishu', { token: '1d3c5e7f-aaaa' }, { url: 'https://open.feishu.cn/open-apis/bot/v2/hook/1d3c5e7f-aaaa' }],
  ] as const;
  for (const [name, alone, inside] of pairs)
    t.equal(types[name].credential(inside as never), types[name].credential(alone as never), name);
});
