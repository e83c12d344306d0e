import { RateLimit } from './rate-limit.js';
import { type Answer, jsonBody, member, startVendor, type Vendor, type VendorOptions } from './vendor-server.js';

// https://developer.work.weixin.qq.com/document/path/91770
// Codes: https://developer.work.weixin.qq.com/document/path/90313

/** Key that the stand-in knows. */
export const wecomKey = '693a91f6-7aaa-4bc4-97a0-0ec2sifa5aaa';

function answer(errcode: number, errmsg: string): Answer {
  return { status: 200, body: { errcode, errmsg } };
}

/** Answers that WeCom documents; all of them have status 200. */
export const wecomErrors = {
  busy: answer(-1, 'system busy'),
  invalid_key: answer(93000, 'invalid webhook url, hint: [1609303740_19_abc], from ip: 192.0.2.1'),
  too_often: answer(45009, 'api freq out of limit'),
  robot_stopped: answer(93004, 'robot is disabled'),
  not_in_group: answer(93008, 'not in group'),
  empty_content: answer(44004, 'empty content'),
  bad_parameter: answer(40058, 'markdown.content exceed max length 4096. invalid Request Parameter'),
} as const satisfies Readonly<Record<string, Answer>>;

/** Starts the group robots of WeCom. */
export async function startWecom(options: VendorOptions = {}): Promise<Vendor> {
  const { now = () => Date.now() } = options;
  const limit = new RateLimit(20, 60_000);
  return startVendor(options, (request, take) => {
    if (request.url.pathname !== '/cgi-bin/webhook/send') return { status: 404, body: '<html>404 Not Found</html>' };
    const key = request.url.searchParams.get('key') ?? '';
    if (request.method !== 'POST') return answer(43002, 'require POST method');
    if (key !== wecomKey) return wecomErrors.invalid_key;
    if (limit.take(key, now()) > 0) return wecomErrors.too_often;
    const body = jsonBody(request);
    if (body === null) return answer(47001, 'data format error');
    const type = body['msgtype'];
    if (type !== 'markdown' && type !== 'text') return answer(40008, 'invalid message type');
    const content = member(body, type)['content'];
    if (typeof content !== 'string' || content === '') return wecomErrors.empty_content;
    const bytes = Buffer.byteLength(content);
    if (bytes > (type === 'markdown' ? 4_096 : 2_048)) return wecomErrors.bad_parameter;
    const listed = member(body, 'text')['mentioned_mobile_list'];
    const inText = type === 'markdown' ? (content.match(/<@[^>]*>/g) ?? []) : [];
    take({
      text: type === 'markdown' ? shownMarkdown(content) : content,
      mentions: [...(Array.isArray(listed) ? listed.map(String) : []), ...inText],
      body,
    });
    return answer(0, 'ok');
  });
}

function shownMarkdown(content: string): string {
  return content
    .replace(/<\/?font[^>]*>/g, '')
    .replace(/\*\*([^*]*)\*\*/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[>#]+ /gm, '');
}
