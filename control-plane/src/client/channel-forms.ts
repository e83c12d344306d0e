import { nearestOf } from '@vantage/shared/nearest.js';
import { Mistake } from './mistake.js';

/** Type and settings of a channel as the API takes them. */
interface ChannelBody {
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
}

interface ChannelForm {
  /** Words that follow the type, for help. */
  readonly takes: string;
  /** Number of words, or null for one or more. */
  readonly count: number | null;
  /** Null if the words are not what it takes. */
  of(...words: string[]): ChannelBody | null;
}

/** Bodies of chat services that take webhooks of their own form; docs/alert-channels.md explains them. */
const discordBody =
  '{"embeds": [{"title": "{{title|truncate:200}}", "url": "{{link}}", "description": "{{text|truncate:3000}}", "color": "{{color}}"}], "allowed_mentions": {"parse": []}}';
const teamsBody =
  '{"type": "message", "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": {"type": "AdaptiveCard", "version": "1.4", "body": [{"type": "Container", "style": "{{style}}", "items": [{"type": "TextBlock", "weight": "Bolder", "wrap": true, "text": "{{title}}"}]}, {"type": "TextBlock", "wrap": true, "text": "{{text|truncate:4000}}"}], "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": "{{link}}"}]}}]}';

const ntfyBody = (topic: string) =>
  `{"topic": "${topic}", "title": "{{title|truncate:200}}", "message": "{{text|truncate:1200}}", "priority": 4, "click": "{{link}}"}`;
const gotifyBody = '{"title": "{{title}}", "message": "{{text|truncate:4000}}\\n{{link}}", "priority": 8}';

/** Channels that a few words define, by the type that the command takes. */
export const channelForms: Readonly<Record<string, ChannelForm>> = {
  email: recipients('email', 'ADDRESS…'),
  slack: hook('slack', {}),
  discord: hook('webhook', { body: discordBody }),
  teams: hook('webhook', { body: teamsBody }),
  telegram: {
    takes: 'BOT_TOKEN CHAT_ID',
    count: 2,
    of: (bot_token, chat_id) => ({ type: 'telegram', config: { bot_token, chat_id } }),
  },
  webhook: hook('webhook', {}),
  pagerduty: { takes: 'ROUTING_KEY', count: 1, of: (routing_key) => ({ type: 'pagerduty', config: { routing_key } }) },
  wecom: robot('wecom', 'key'),
  dingtalk: robot('dingtalk', 'access_token'),
  feishu: robot('feishu', 'token'),
  lark: robot('lark', 'token'),
  wechat: { takes: 'APP_ID APP_SECRET TEMPLATE_ID OPENID… FIELD=TEXT…', count: null, of: wechat },
  ntfy: { takes: 'URL of the topic', count: 1, of: ntfy },
  gotify: { takes: 'URL TOKEN', count: 2, of: gotify },
  sms: recipients('sms', 'NUMBER…'),
  voice: recipients('voice', 'NUMBER…'),
};

/** Body of a channel. @throws Mistake */
export function channelBody(type: string, words: readonly string[]): ChannelBody {
  const form = Object.hasOwn(channelForms, type) ? channelForms[type] : undefined;
  if (form === undefined) {
    const meant = nearestOf(type, Object.keys(channelForms));
    const hint = meant === null ? `; use ${Object.keys(channelForms).join(', ')}` : `, did you mean "${meant}"?`;
    throw new Mistake(`no such type of channel: "${type}"${hint}`);
  }
  const isEnough = form.count === null ? words.length > 0 : words.length === form.count;
  const body = isEnough ? form.of(...words) : null;
  if (body === null) throw new Mistake(`a channel of type ${type} takes ${form.takes}`);
  return body;
}

function recipients(type: string, takes: string): ChannelForm {
  return { takes, count: null, of: (...to) => ({ type, config: { to } }) };
}

function hook(type: string, more: ChannelBody['config']): ChannelForm {
  return { takes: 'URL', count: 1, of: (url) => ({ type, config: { url, ...more } }) };
}

/** Robot of a chat, by the address that the vendor shows or the secret part of it. */
function robot(type: string, field: string): ChannelForm {
  const of = (word = '') => ({ type, config: { [/^https?:/i.test(word) ? 'url' : field]: word } });
  return { takes: `URL, or its ${field.toUpperCase()}`, count: 1, of };
}

/** Template messages; docs/alert-channels.md has the placeholders of a field. */
function wechat(app_id = '', app_secret = '', template_id = '', ...words: string[]): ChannelBody | null {
  const to = words.filter((word) => !word.includes('='));
  const fields = words.filter((word) => word.includes('=')).map((word) => word.split(/=(.*)/s).slice(0, 2));
  if (to.length === 0 || fields.length === 0) return null;
  return { type: 'wechat', config: { app_id, app_secret, template_id, to, fields: Object.fromEntries(fields) } };
}

function ntfy(url = ''): ChannelBody | null {
  const [, server, topic] = /^(https?:\/\/.+\/)([\w-]{1,64})\/?$/i.exec(url) ?? [];
  return topic === undefined ? null : { type: 'webhook', config: { url: server, body: ntfyBody(topic) } };
}

function gotify(server = '', token = ''): ChannelBody {
  const url = `${server.replace(/\/(?:message)?$/, '')}/message`;
  return { type: 'webhook', config: { url, headers: { 'X-Gotify-Key': token }, body: gotifyBody } };
}
