import { createHmac } from 'node:crypto';
import { RateLimit } from './rate-limit.js';
import { type Answer, jsonBody, member, startVendor, type Vendor, type VendorOptions } from './vendor-server.js';

// https://open.dingtalk.com/document/orgapp/custom-robot-access
// https://open.dingtalk.com/document/orgapp/customize-robot-security-settings
// Codes: https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages; senders in public repositories report 130101 and
// 300005 (for an unknown token) in place of 410100 and 300001 there.

/** Token, secret and keyword that the stand-in knows. */
export const dingtalkRobot = {
  token: 'c5e0cf1e1c5e0cf1e1c5e0cf1e1c5e0cf1e1c5e0cf1e1c5e0cf1e1c5e0cf1e1c',
  secret: 'SECexampleexampleexampleexampleexample',
  keyword: 'Vantage',
} as const;

const HOUR_MS = 3_600_000;
const BLOCKED_MS = 600_000;
const MAX_BODY_BYTES = 20_000;

function answer(errcode: number, errmsg: string): Answer {
  return { status: 200, body: { errcode, errmsg } };
}

/** Answers that DingTalk documents; all of them have status 200. */
export const dingtalkErrors = {
  busy: answer(-1, '系统繁忙'),
  too_often: answer(130101, 'send too fast, exceed 20 times per minute'),
  bad_sign: answer(310000, 'sign not match'),
  bad_timestamp: answer(310000, 'invalid timestamp'),
  no_keyword: answer(310000, 'keywords not in content'),
  bad_address: answer(310000, 'ip 192.0.2.1 not in whitelist'),
  throttled: answer(410100, '发送速度太快而限流'),
  unknown_token: answer(300005, 'token is not exist'),
  documented_unknown_token: answer(300001, 'token is not exist'),
  missing_token: answer(400101, 'access_token不存在'),
  too_long: answer(460101, 'message too long, exceed 20000 bytes'),
  group_dissolved: answer(400013, '群已被解散'),
  robot_stopped: answer(400102, '机器人已停用'),
  no_robot: answer(400106, '机器人不存在'),
  unsafe_link: answer(430101, '含有不安全的外链'),
  improper_text: answer(430102, '含有不合适的文本'),
  improper_content: answer(430104, '含有不合适的内容'),
  wrong_type: answer(400105, '不支持的消息类型'),
} as const satisfies Readonly<Record<string, Answer>>;

/** Starts the group robots of DingTalk. `isSigned`: the robot demands signatures; `hasKeyword`: and its keyword. */
export async function startDingtalk(
  options: VendorOptions & { readonly isSigned?: boolean; readonly hasKeyword?: boolean } = {},
): Promise<Vendor> {
  const { now = () => Date.now(), isSigned = true, hasKeyword = true } = options;
  const limit = new RateLimit(20, 60_000);
  let blockedUntilMs = 0;
  return startVendor(options, (request, take) => {
    const { pathname, searchParams } = request.url;
    if (pathname !== '/robot/send') return { status: 404, body: '<html>404 Not Found</html>' };
    if (request.method !== 'POST') return answer(43002, 'require POST method');
    const token = searchParams.get('access_token');
    if (token === null) return dingtalkErrors.missing_token;
    if (token !== dingtalkRobot.token) return dingtalkErrors.unknown_token;
    const signing = isSigned ? signatureError(searchParams, now()) : null;
    if (signing !== null) return signing;
    if (now() < blockedUntilMs) return dingtalkErrors.too_often;
    if (limit.take(token, now()) > 0) {
      blockedUntilMs = now() + BLOCKED_MS;
      return dingtalkErrors.too_often;
    }
    const body = jsonBody(request);
    if (body === null) return answer(40035, '缺少参数 json');
    if (request.body.length > MAX_BODY_BYTES) return dingtalkErrors.too_long;
    const shown = shownText(body);
    if (shown === null) return dingtalkErrors.wrong_type;
    if (hasKeyword && !shown.includes(dingtalkRobot.keyword)) return dingtalkErrors.no_keyword;
    take({ text: shown, mentions: mentionsIn(body, shown), body });
    return answer(0, 'ok');
  });
}

function signatureError(parameters: URLSearchParams, nowMs: number): Answer | null {
  const timestamp = parameters.get('timestamp') ?? '';
  if (!/^\d{13}$/.test(timestamp) || Math.abs(nowMs - Number(timestamp)) > HOUR_MS) return dingtalkErrors.bad_timestamp;
  const { secret } = dingtalkRobot;
  const expected = createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64');
  return parameters.get('sign') === expected ? null : dingtalkErrors.bad_sign;
}

function shownText(body: Record<string, unknown>): string | null {
  if (body['msgtype'] === 'text') return textOrNull(member(body, 'text')['content']);
  if (body['msgtype'] !== 'markdown' && body['msgtype'] !== 'actionCard') return null;
  const { title, text, btns = [] } = member(body, body['msgtype']);
  const written = textOrNull(text);
  if (typeof title !== 'string' || title === '' || written === null) return null;
  if (!Array.isArray(btns) || !btns.every(({ actionURL }) => URL.canParse(actionURL))) return null;
  return `${[title, ...btns.map((button) => button.title)].join('\n')}\n${written.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/^(?:#+|>|-) /gm, '')}`;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A number is mentioned if `at` lists it and the text has it. */
function mentionsIn(body: Record<string, unknown>, shown: string): string[] {
  const { atMobiles, isAtAll } = member(body, 'at');
  const listed = (Array.isArray(atMobiles) ? atMobiles : [])
    .map(String)
    .filter((mobile) => shown.includes(`@${mobile}`));
  return isAtAll === true ? ['all', ...listed] : listed;
}
