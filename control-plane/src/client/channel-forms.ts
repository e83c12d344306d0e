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
  of(...words: string[]): ChannelBody;
}

/** Bodies of chat services that take webhooks of their own form; docs/alert-channels.md explains them. */
const discordBody =
  '{"embeds": [{"title": "{{title|truncate:200}}", "url": "{{link}}", "description": "{{text|truncate:3000}}", "color": "{{color}}"}], "allowed_mentions": {"parse": []}}';
const teamsBody =
  '{"type": "message", "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": {"type": "AdaptiveCard", "version": "1.4", "body": [{"type": "Container", "style": "{{style}}", "items": [{"type": "TextBlock", "weight": "Bolder", "wrap": true, "text": "{{title}}"}]}, {"type": "TextBlock", "wrap": true, "text": "{{text|truncate:4000}}"}], "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": "{{link}}"}]}}]}';

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
  sms: recipients('sms', 'NUMBER…'),
  voice: recipients('voice', 'NUMBER…'),
};

/** Types and services that need more than a few words. */
const elsewhere: ReadonlySet<string> = new Set(['wechat', 'ntfy', 'gotify']);

/** Body of a channel. @throws Mistake */
export function channelBody(type: string, words: readonly string[]): ChannelBody {
  if (elsewhere.has(type))
    throw new Mistake(
      `${type} needs more settings: send them to POST /v1/alert-channels, as docs/alert-channels.md shows`,
    );
  const form = Object.hasOwn(channelForms, type) ? channelForms[type] : undefined;
  if (form === undefined)
    throw new Mistake(`no such type of channel: "${type}"; use ${Object.keys(channelForms).join(', ')}`);
  if (form.count === null ? words.length === 0 : words.length !== form.count)
    throw new Mistake(`a channel of type ${type} takes ${form.takes}`);
  return form.of(...words);
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
