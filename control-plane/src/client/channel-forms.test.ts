import { readFileSync } from 'node:fs';
import t from 'tap';
import { channelBody } from './channel-forms.js';

t.test('a channel is its type and one or two words', async (t) => {
  for (const [type, words, body] of [
    [
      'slack',
      ['https://hooks.slack.com/services/T/B/X'],
      { type: 'slack', config: { url: 'https://hooks.slack.com/services/T/B/X' } },
    ],
    [
      'email',
      ['a@example.com', 'b@example.com'],
      { type: 'email', config: { to: ['a@example.com', 'b@example.com'] } },
    ],
    ['telegram', ['1:A', '-100'], { type: 'telegram', config: { bot_token: '1:A', chat_id: '-100' } }],
    ['dingtalk', ['c5e0cf1e'], { type: 'dingtalk', config: { access_token: 'c5e0cf1e' } }],
    [
      'wecom',
      ['https://qyapi.weixin.qq.com/x?key=1'],
      { type: 'wecom', config: { url: 'https://qyapi.weixin.qq.com/x?key=1' } },
    ],
  ] as const)
    t.strictSame(channelBody(type, words), body, type);
});

t.test('a type that takes other words is refused with what it takes', async (t) => {
  for (const [type, words, message] of [
    ['slack', [], 'a channel of type slack takes URL'],
    ['telegram', ['1:A'], 'a channel of type telegram takes BOT_TOKEN CHAT_ID'],
    ['wechat', ['x'], /wechat needs more settings: .*docs\/alert-channels\.md/],
    ['pigeon', ['x'], /no such type of channel: "pigeon"; use email, slack, /],
  ] as const)
    t.throws(() => channelBody(type, words), { message }, type);
});

t.test('webhooks of chat services have the bodies of docs/alert-channels.md', async (t) => {
  const document = readFileSync(new URL('../../../../docs/alert-channels.md', import.meta.url), 'utf8');
  const examples = [...document.matchAll(/```json\n([^]*?)```/g)].map(([, json = '']) => JSON.parse(json));
  for (const name of ['Discord', 'Teams']) {
    const { type, config } = examples.find((example) => example.name === name);
    t.strictSame(channelBody(name.toLowerCase(), [config.url]), { type, config }, name);
  }
});
