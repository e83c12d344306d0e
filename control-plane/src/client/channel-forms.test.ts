import { readFileSync } from 'node:fs';
import t from 'tap';
import { channelBody } from './channel-forms.js';

/** Settings of a channel of the document. */
interface Config extends Record<'url' | 'app_id' | 'app_secret' | 'template_id', string> {
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly to: readonly string[];
}

t.test('a channel is its type and a few words', async (t) => {
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
    ['wechat', ['wx1', 's', 't', 'OPENID'], /^a channel of type wechat takes APP_ID .* FIELD=TEXT…$/],
    ['ntfy', ['https://ntfy.sh/'], 'a channel of type ntfy takes URL of the topic'],
    ['slak', ['x'], 'no such type of channel: "slak", did you mean "slack"?'],
    ['pigeon', ['x'], /no such type of channel: "pigeon"; use email, slack, /],
  ] as const)
    t.throws(() => channelBody(type, words), { message }, type);
});

t.test('words make the channels of docs/alert-channels.md', async (t) => {
  const document = readFileSync(new URL('../../../../docs/alert-channels.md', import.meta.url), 'utf8');
  const examples = [...document.matchAll(/```json\n([^]*?)```/g)].map(([, json = '']) => JSON.parse(json));
  for (const [name, wordsOf] of Object.entries<(config: Config) => string[]>({
    Discord: ({ url }) => [url],
    Teams: ({ url }) => [url],
    ntfy: () => ['https://ntfy.sh/vantage-f81d4fae'],
    Gotify: ({ headers }) => ['https://gotify.example.com/', headers['X-Gotify-Key'] ?? ''],
    WeChat: ({ app_id, app_secret, template_id, to, fields }) => [
      app_id,
      app_secret,
      template_id,
      ...to,
      ...Object.entries(fields).map(([field, text]) => `${field}=${text}`),
    ],
  })) {
    const { type, config } = examples.find((example) => example.name === name);
    t.strictSame(channelBody(name.toLowerCase(), wordsOf(config)), { type, config }, name);
  }
});
