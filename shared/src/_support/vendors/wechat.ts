import { RateLimit } from './rate-limit.js';
import { type Answer, jsonBody, startVendor, type Vendor, type VendorOptions } from './vendor-server.js';

// https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Template_Message_Interface.html
// https://developers.weixin.qq.com/doc/offiaccount/Basic_Information/getStableAccessToken.html
// Codes: https://developers.weixin.qq.com/doc/offiaccount/Getting_Started/Global_Return_Code.html

/** Account, template and followers that the stand-in knows. */
export const wechatAccount = {
  appId: 'wx0123456789abcdef',
  secret: '0123456789abcdef0123456789abcdef',
  templateId: 'ngqIpbwh8bUfcSsECmogfXcV14J0tQlEpBO27izEYtY',
  follower: 'oGZUI0egBJY1zhBYw2KhdUfwVJJE',
  left: 'oLeftLeftLeftLeftLeftLeftLef',
} as const;

function answer(errcode: number, errmsg: string): Answer {
  return { status: 200, body: { errcode, errmsg } };
}

/** Answers that WeChat documents; all of them have status 200. */
export const wechatErrors = {
  busy: answer(-1, 'system error'),
  invalid_token: answer(40001, 'invalid credential, access_token is invalid or not latest'),
  expired_token: answer(42001, 'access_token expired'),
  daily_quota: answer(45009, 'reach max api daily quota limit'),
  invalid_app_id: answer(40013, 'invalid appid'),
  invalid_secret: answer(40125, 'invalid appsecret'),
  bad_address: answer(40164, 'invalid ip 192.0.2.1, not in whitelist'),
  invalid_template: answer(40037, 'invalid template_id'),
  invalid_openid: answer(40003, 'invalid openid'),
  not_follower: answer(43004, 'require subscribe'),
  bad_value: answer(47003, 'argument invalid! data.first.value invalid'),
} as const satisfies Readonly<Record<string, Answer>>;

/** Starts the API of official accounts. A fresh token makes the earlier one invalid. */
export async function startWechat(options: VendorOptions = {}): Promise<Vendor> {
  const { now = () => Date.now() } = options;
  const limit = new RateLimit(100_000, 86_400_000);
  let generation = 1;
  let lastId = 200_000_000;
  const token = () => `TOKEN-${generation}`;
  return startVendor(options, (request, take) => {
    const body = request.method === 'POST' ? jsonBody(request) : null;
    if (body === null) return answer(47001, 'data format error');
    if (request.url.pathname === '/cgi-bin/stable_token') {
      const { grant_type, appid, secret, force_refresh } = body;
      if (grant_type !== 'client_credential') return answer(40002, 'invalid grant_type');
      if (appid !== wechatAccount.appId) return wechatErrors.invalid_app_id;
      if (secret !== wechatAccount.secret) return wechatErrors.invalid_secret;
      if (force_refresh === true) generation += 1;
      return { status: 200, body: { access_token: token(), expires_in: 7200 } };
    }
    if (request.url.pathname !== '/cgi-bin/message/template/send') return { status: 404, body: '' };
    if (request.url.searchParams.get('access_token') !== token()) return wechatErrors.invalid_token;
    if (limit.take('account', now()) > 0) return wechatErrors.daily_quota;
    const { touser, template_id, data } = body;
    if (template_id !== wechatAccount.templateId) return wechatErrors.invalid_template;
    if (touser === wechatAccount.left) return wechatErrors.not_follower;
    if (touser !== wechatAccount.follower) return wechatErrors.invalid_openid;
    const values = Object.values((data ?? {}) as Record<string, { readonly value?: unknown }>).map(
      ({ value }) => value,
    );
    const isValid = (value: unknown) => typeof value === 'string' && value.length <= 200 && !/\p{Cc}/u.test(value);
    if (values.length === 0 || !values.every(isValid)) return wechatErrors.bad_value;
    take({ text: values.join('\n'), mentions: [], body });
    lastId += 1;
    return { status: 200, body: { errcode: 0, errmsg: 'ok', msgid: lastId } };
  });
}
