import { createHmac } from 'node:crypto';
import { RateLimit } from './rate-limit.js';
import { type Answer, jsonBody, member, startVendor, type Vendor, type VendorOptions } from './vendor-server.js';

// https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot; Lark is the same at another address:
// https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot

/** Token, secret and keyword that the stand-in knows. */
export const feishuBot = {
  token: '1d3c5e7f-aaaa-bbbb-cccc-0123456789ab',
  secret: 'exampleexampleexample',
  keyword: 'Vantage',
} as const;

const HOUR_S = 3_600;
const MAX_BODY_BYTES = 20 * 1_024;

function answer(code: number, msg: string, status = 200): Answer {
  return { status, body: { code, msg, data: {} } };
}

/** Answers that Feishu documents. */
export const feishuErrors = {
  bad_sign: answer(19021, 'sign match fail or timestamp is not within one hour from current time'),
  bad_address: answer(19022, 'Ip Not Allowed'),
  no_keyword: answer(19024, 'Key Words Not Found'),
  invalid_token: answer(19001, 'param invalid: incoming webhook access token invalid'),
  too_often: answer(11232, 'frequency limited psm[lark.oapi.app_platform_runtime]appID[1500]'),
  tenant_too_often: answer(99991400, 'request trigger frequency limit', 429),
  bad_request: answer(9499, 'Bad Request'),
  // the same code, as senders in public repositories report it
  overloaded: answer(9499, 'too many request'),
  not_enabled: answer(19007, 'Bot Not Enabled'),
  bad_card: answer(11246, 'parse card json err'),
} as const satisfies Readonly<Record<string, Answer>>;

/** Starts the custom bots of Feishu. */
export async function startFeishu(options: VendorOptions = {}): Promise<Vendor> {
  const { now = () => Date.now() } = options;
  const perMinute = new RateLimit(100, 60_000);
  const perSecond = new RateLimit(5, 1_000);
  return startVendor(options, (request, take) => {
    const token = /^\/open-apis\/bot\/v2\/hook\/([^/]+)$/.exec(request.url.pathname)?.[1];
    if (token === undefined || request.method !== 'POST') return { status: 404, body: '404 page not found' };
    if (token !== feishuBot.token) return feishuErrors.invalid_token;
    const body = jsonBody(request);
    if (body === null || request.body.length > MAX_BODY_BYTES) return feishuErrors.bad_request;
    if (!isSigned(body, now())) return feishuErrors.bad_sign;
    if (perMinute.take(token, now()) > 0 || perSecond.take(token, now()) > 0) return feishuErrors.too_often;
    const shown = shownText(body);
    if (shown === null) return feishuErrors.bad_request;
    if (!shown.text.includes(feishuBot.keyword)) return feishuErrors.no_keyword;
    take({ ...shown, body });
    return { status: 200, body: { StatusCode: 0, StatusMessage: 'success', code: 0, data: {}, msg: 'success' } };
  });
}

function isSigned({ timestamp, sign }: Record<string, unknown>, nowMs: number): boolean {
  if (typeof timestamp !== 'string' || !/^\d{10}$/.test(timestamp)) return false;
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > HOUR_S) return false;
  return sign === createHmac('sha256', `${timestamp}\n${feishuBot.secret}`).digest('base64');
}

/** Text of a message, and the tags of mentions in it: `text` and `lark_md` read them, `plain_text` does not. */
function shownText(
  body: Record<string, unknown>,
): { readonly text: string; readonly mentions: readonly string[] } | null {
  if (body['msg_type'] === 'text') {
    const text = member(body, 'content')['text'];
    return typeof text === 'string' && text !== '' ? { text, mentions: atTags(text) } : null;
  }
  if (body['msg_type'] !== 'interactive') return null;
  const { header, elements } = member(body, 'card');
  const title = member(header, 'title')['content'];
  if (typeof title !== 'string' || title === '' || !Array.isArray(elements)) return null;
  const texts = elements.filter(({ tag }) => tag === 'div').map(({ text }) => text as { tag: string; content: string });
  const marked = texts.filter(({ tag }) => tag === 'lark_md').map(({ content }) => content);
  return {
    text: [title, ...texts.map(({ tag, content }) => (tag === 'lark_md' ? shownMarkdown(content) : content))].join(
      '\n',
    ),
    mentions: marked.flatMap(atTags),
  };
}

function atTags(text: string): readonly string[] {
  return text.match(/<at\b[^>]*>/gi) ?? [];
}

function shownMarkdown(content: string): string {
  return content
    .replace(/\*\*([^*]*)\*\*/g, '$1')
    .replace(/&#(\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code)));
}
