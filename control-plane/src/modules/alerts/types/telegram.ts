import { type Static, Type } from 'typebox';
import type { OutboundResponse } from '../../../deliver/index.js';
import { accepted, jsonOf, objectAt, outcomeOfStatus, refused, retry } from './answers.js';
import { type Attempt, type ChannelType, defineChannelType, type Outcome } from './channel-type.js';
import { plainText } from './formats/plain-text.js';
import { telegramHtml, telegramLink } from './formats/telegram-html.js';
import { bodyLines, type Format, fitted, linkLines, plainFormat, sentenceOf } from './lines.js';
import type { Message } from './message.js';
import { type Base, baseOf, type ChannelSettings, judgedUrls } from './settings.js';
import { isAboutEnd, withCircle } from './tone.js';

// https://core.telegram.org/bots/api#sendmessage, https://core.telegram.org/bots/api#inlinekeyboardbutton, https://core.telegram.org/bots/api#responseparameters

/** Greatest length of a text after its entities are parsed; the escaped text is no shorter. */
const MAX_TEXT = 4_096;

const Config = Type.Object(
  {
    bot_token: Type.String({
      pattern: '^[0-9]{1,20}:[A-Za-z0-9_-]{20,100}$',
      description: 'Token of the bot, from @BotFather.',
      example: '123456789:AAExampleExampleExampleExampleExample',
    }),
    chat_id: Type.String({
      pattern: '^(?:-?[0-9]{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31})$',
      description: 'Chat to send to: its number, negative for groups, or `@name` of a public channel.',
      example: '-1001234567890',
    }),
    thread_id: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Topic of a forum to send to.', example: 42 }),
    ),
    silent_recovery: Type.Optional(
      Type.Boolean({
        description: 'True: messages about the end of an alert make no sound. Default: false.',
        example: true,
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'TelegramChannelConfig',
    description: 'Configuration of a channel of type telegram.',
  },
);
type Config = Static<typeof Config>;

const format: Format = {
  title: (text) => `<b>${telegramHtml(text)}</b>`,
  fact: (label, value) => `${telegramHtml(label)}: ${telegramHtml(value)}`,
  item: (text) => telegramHtml(`• ${text}`),
  note: (text) => `<i>${telegramHtml(text)}</i>`,
  custom: telegramHtml,
  link: telegramLink,
};

/** Type `telegram`: a bot that writes to one chat. */
export function telegram(settings: ChannelSettings): ChannelType {
  const base = baseOf(settings, 'telegram', 'https://api.telegram.org');
  return defineChannelType({
    name: 'telegram',
    config: Config,
    sealed: ['bot_token'],
    // https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
    buckets: [
      { count: 18, perMs: 60_000, of: 'credential' },
      { count: 1, perMs: 1_000, of: 'credential' },
    ],
    // the vendor counts by chat
    credential: ({ bot_token, chat_id }) => `${bot_token} ${chat_id}`,
    urls: () => judgedUrls(base),
    deliver: async (attempt, isPlain) => {
      const { config, nowMs } = attempt;
      const response = await sendTo(config.chat_id, { attempt, base, isPlain });
      const moved = movedTo(response);
      if (moved === null) return outcomeOf(response, { nowMs, isPlain });
      const outcome = outcomeOf(await sendTo(moved, { attempt, base, isPlain }), { nowMs, isPlain });
      return outcome.kind === 'accepted' ? { ...outcome, config: { chat_id: moved } } : outcome;
    },
  });
}

interface Sending {
  readonly attempt: Attempt<Config>;
  readonly base: Base;
  readonly isPlain: boolean;
}

function sendTo(chatId: string, { attempt, base, isPlain }: Sending): Promise<OutboundResponse> {
  const { config, message, firstProviderId, send } = attempt;
  return send({
    method: 'POST',
    url: `${base.origin}/bot${config.bot_token}/sendMessage`,
    isExempt: base.isOwn,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chat_id: chatId,
      ...(config.thread_id === undefined ? {} : { message_thread_id: config.thread_id }),
      text: textOf(message, isPlain),
      ...(isPlain ? {} : { parse_mode: 'HTML', ...buttonsOf(message) }),
      link_preview_options: { is_disabled: true },
      ...(config.silent_recovery === true && isAboutEnd(message) ? { disable_notification: true } : {}),
      ...replyTo(firstProviderId),
    }),
  });
}

function replyTo(firstProviderId: string | null): object {
  if (firstProviderId === null || !/^\d{1,15}$/.test(firstProviderId)) return {};
  return { reply_parameters: { message_id: Number(firstProviderId), allow_sending_without_reply: true } };
}

/** Buttons below the message. The vendor refuses addresses such as those of localhost: the plain form has them in its text. */
function buttonsOf({ links }: Message): object {
  if (links.length === 0) return {};
  return { reply_markup: { inline_keyboard: links.map(({ label, url }) => [{ text: label, url }]) } };
}

function textOf(message: Message, isPlain: boolean): string {
  const used = isPlain ? plainFormat(plainText) : format;
  const write = (shorter: Message) => [
    used.title(withCircle(sentenceOf(shorter), message)),
    ...bodyLines(shorter, used),
    ...(isPlain ? linkLines(shorter, used) : []),
  ];
  return fitted(
    message,
    (shorter) => write(shorter).join('\n'),
    (text) => text.length <= MAX_TEXT,
  );
}

/** Id that a group got when it became a supergroup; null if it did not. */
function movedTo(response: OutboundResponse): string | null {
  const json = jsonOf(response);
  if (json === null || json['ok'] !== false) return null;
  const id = objectAt(json, 'parameters')['migrate_to_chat_id'];
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : null;
}

const ofChat =
  /chat not found|thread not found|not enough rights|chat_write_forbidden|group chat was deactivated|TOPIC_CLOSED/i;
const ofMessage = /can't parse entities|too long|text is empty/i;

function outcomeOf(
  response: OutboundResponse,
  { nowMs, isPlain }: { readonly nowMs: number; readonly isPlain: boolean },
): Outcome<Config> {
  const json = jsonOf(response);
  // a proxy answers for the vendor: its 4xx says nothing about the chat
  if (json === null || typeof json['ok'] !== 'boolean') return outcomeOfStatus(response, nowMs);
  if (json['ok']) {
    const id = objectAt(json, 'result')['message_id'];
    return accepted(typeof id === 'number' ? String(id) : null);
  }
  const code = json['error_code'];
  const waitSeconds = objectAt(json, 'parameters')['retry_after'];
  if (code === 429) return retry(response, typeof waitSeconds === 'number' ? waitSeconds * 1_000 : null);
  if (code === 401 || code === 403) return refused('channel', response);
  if (code !== 400) return retry(response, null);
  const words = String(json['description']);
  if (ofChat.test(words)) return refused('channel', response);
  // words that are not known may be about the markup, but do not end the message
  return ofMessage.test(words) || !isPlain ? refused('message', response) : retry(response, null);
}
