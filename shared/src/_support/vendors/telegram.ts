import { RateLimit } from './rate-limit.js';
import {
  type Answer,
  jsonBody,
  member,
  saysJson,
  startVendor,
  type Vendor,
  type VendorOptions,
} from './vendor-server.js';

// https://core.telegram.org/bots/api#sendmessage, #inlinekeyboardbutton, #making-requests, #html-style, #responseparameters
// Limits: https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this

/** Token that the stand-in knows. */
export const telegramToken = '123456789:AAExampleExampleExampleExampleExample';

function failed(code: number, description: string, parameters?: object): Answer {
  const body = { ok: false, error_code: code, description, ...(parameters === undefined ? {} : { parameters }) };
  return { status: code, body };
}

/** Answers that Telegram documents. */
export const telegramErrors = {
  unauthorized: failed(401, 'Unauthorized'),
  not_found: failed(404, 'Not Found'),
  blocked: failed(403, 'Forbidden: bot was blocked by the user'),
  kicked: failed(403, 'Forbidden: bot was kicked from the supergroup chat'),
  chat_not_found: failed(400, 'Bad Request: chat not found'),
  no_rights: failed(400, 'Bad Request: not enough rights to send text messages to the chat'),
  cannot_parse: failed(400, 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0'),
  too_long: failed(400, 'Bad Request: message is too long'),
  bad_button: failed(400, "Bad Request: inline keyboard button URL 'http://localhost/' is invalid: Wrong HTTP URL"),
  too_many: failed(429, 'Too Many Requests: retry after 7', { retry_after: 7 }),
  internal: failed(500, 'Internal Server Error'),
  bad_gateway: failed(502, 'Bad Gateway'),
} as const satisfies Readonly<Record<string, Answer>>;

/** Chats of the stand-in. */
export const telegramChats = { group: '-100200300', moved: '-44', movedTo: '-100440044', gone: '-1' } as const;

/** Starts the Bot API of Telegram. */
export async function startTelegram(options: VendorOptions = {}): Promise<Vendor> {
  const { now = () => Date.now() } = options;
  const perMinute = new RateLimit(20, 60_000);
  const perSecond = new RateLimit(1, 1_000);
  let lastId = 100;
  return startVendor(options, (request, take) => {
    const token = /^\/bot([^/]+)\/sendMessage$/.exec(request.url.pathname)?.[1];
    if (token === undefined) return telegramErrors.not_found;
    if (token !== telegramToken) return telegramErrors.unauthorized;
    const body = request.method === 'POST' && saysJson(request) ? jsonBody(request) : null;
    if (body === null) return failed(400, 'Bad Request: message text is empty');
    const chat = String(body['chat_id']);
    if (chat === telegramChats.moved)
      return failed(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: Number(telegramChats.movedTo),
      });
    if (chat !== telegramChats.group && chat !== telegramChats.movedTo) return telegramErrors.chat_not_found;
    const waitMs = Math.max(perMinute.take(chat, now()), perSecond.take(chat, now()));
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      return failed(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
    }
    const parsed = parsedText(String(body['text'] ?? ''), body['parse_mode']);
    if (typeof parsed !== 'string') return parsed;
    if (parsed.length > 4_096) return telegramErrors.too_long;
    if (parsed.trim() === '') return failed(400, 'Bad Request: message text is empty');
    const buttons = buttonsIn(body);
    if (buttons === null) return telegramErrors.bad_button;
    const reply = member(body, 'reply_parameters');
    if (reply['message_id'] !== undefined && typeof reply['message_id'] !== 'number')
      return failed(400, 'Bad Request: field "message_id" must be a Number');
    take({ text: [parsed, ...buttons].join('\n'), mentions: parsed.match(/(?<!\w)@\w{3,}/g) ?? [], body });
    lastId += 1;
    return { status: 200, body: { ok: true, result: { message_id: lastId, chat: { id: Number(chat) }, date: 0 } } };
  });
}

/** Texts of the buttons; null if an address is not one that the vendor accepts. */
function buttonsIn(body: Record<string, unknown>): string[] | null {
  const rows = member(body, 'reply_markup')['inline_keyboard'];
  const buttons: { readonly text?: unknown; readonly url?: unknown }[] = Array.isArray(rows) ? rows.flat() : [];
  const isGood = (url: unknown) => URL.canParse(String(url)) && new URL(String(url)).hostname.includes('.');
  return buttons.every(({ url }) => isGood(url)) ? buttons.map(({ text }) => String(text)) : null;
}

const tags = new Set([
  'b',
  'strong',
  'i',
  'em',
  'u',
  'ins',
  's',
  'strike',
  'del',
  'a',
  'code',
  'pre',
  'tg-spoiler',
  'blockquote',
]);

/** Text without markup; an answer if the markup is wrong. */
function parsedText(text: string, mode: unknown): string | Answer {
  if (mode === undefined) return text;
  if (mode !== 'HTML') return failed(400, 'Bad Request: unsupported parse_mode');
  const open: string[] = [];
  for (const [, slash, name = '', rest = ''] of text.matchAll(/<(\/?)([^\s<>]*)([^<>]*)>?/g)) {
    if (!tags.has(name)) return failed(400, `Bad Request: can't parse entities: Unsupported start tag "${name}"`);
    if (slash === '') {
      if (rest !== '' && !(name === 'a' && /^ href="[^"<>]*"$/.test(rest))) return telegramErrors.cannot_parse;
      open.push(name);
    } else if (open.pop() !== name) return telegramErrors.cannot_parse;
  }
  const bare = text.replace(/<[^<>]*>/g, '');
  if (open.length > 0 || /[<>]|&(?!(?:amp|lt|gt|quot|#\d+|#x[\da-f]+);)/i.test(bare))
    return telegramErrors.cannot_parse;
  return bare
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}
