import { RateLimit } from './rate-limit.js';
import { type Answer, jsonBody, saysJson, startVendor, type Vendor, type VendorOptions } from './vendor-server.js';

// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
// https://docs.slack.dev/messaging/formatting-message-text, https://docs.slack.dev/reference/messaging/attachments
// https://docs.slack.dev/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks

/** Answers that Slack documents, by their word. */
export const slackErrors = {
  invalid_payload: { status: 400, body: 'invalid_payload' },
  user_not_found: { status: 400, body: 'user_not_found' },
  action_prohibited: { status: 403, body: 'action_prohibited' },
  channel_not_found: { status: 404, body: 'channel_not_found' },
  no_service: { status: 404, body: 'no_service' },
  no_team: { status: 404, body: 'no_team' },
  channel_is_archived: { status: 410, body: 'channel_is_archived' },
  rollup_error: { status: 500, body: 'rollup_error' },
} as const satisfies Readonly<Record<string, Answer>>;

/** Path of the hook that the stand-in knows. */
export const slackHook = '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX';

/** Starts the incoming webhooks of Slack. */
export async function startSlack(options: VendorOptions = {}): Promise<Vendor> {
  const { now = () => Date.now() } = options;
  const limit = new RateLimit(1, 1_000);
  return startVendor(options, (request, take) => {
    if (request.url.pathname !== slackHook) return slackErrors.no_service;
    if (request.method !== 'POST' || !saysJson(request)) return slackErrors.invalid_payload;
    const waitMs = limit.take(request.url.pathname, now());
    if (waitMs > 0)
      return { status: 429, headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) }, body: 'rate_limited' };
    const body = jsonBody(request);
    if (body === null || !isMessage(body)) return slackErrors.invalid_payload;
    const text = shownText(body);
    take({ text: unescaped(text), mentions: mentionsIn(text), body });
    return { status: 200, body: 'ok' };
  });
}

function isMessage(body: Record<string, unknown>): boolean {
  const { text, attachments = [] } = body;
  if (typeof text !== 'string' || text === '' || text.length > 40_000) return false;
  if (hasBadEscape(text)) return false;
  return Array.isArray(attachments) && attachments.length <= 20 && attachments.every(isAttachment);
}

function isAttachment({ color, text }: Record<string, unknown>): boolean {
  if (typeof color !== 'string' || !/^#[0-9a-f]{6}$/.test(color)) return false;
  return typeof text === 'string' && text !== '' && text.length <= 3_000 && !hasBadEscape(text);
}

/** `&`, `<` and `>` stand for themselves only as entities; `<…>` is a link or a mention. */
function hasBadEscape(text: string): boolean {
  return /[<>]|&(?!(?:amp|lt|gt);)/.test(text.replace(/<[^<>]*>/g, ''));
}

function shownText(body: Record<string, unknown>): string {
  const attachments = (body['attachments'] ?? []) as readonly { readonly text: string }[];
  return [String(body['text']), ...attachments.map(({ text }) => text)].join('\n');
}

/** Mentions of Slack, and those that Mattermost and Rocket.Chat read in the same text. */
function mentionsIn(text: string): string[] {
  const ofSlack = text.match(/<[!@#][^<>]*>/g) ?? [];
  const bare = text.replace(/<[^<>]*>/g, '').match(/(?<![A-Za-z0-9])@[A-Za-z0-9][\w.-]*/g) ?? [];
  return [...ofSlack, ...bare];
}

function unescaped(text: string): string {
  return text
    .replace(/<[^<>|]*\|([^<>]*)>/g, '$1')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}
