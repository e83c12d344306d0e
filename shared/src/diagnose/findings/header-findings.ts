import { type HeaderCode, headerRules } from '../../headers/header-grades.js';
import { capped, type FindingRule, warning } from '../finding-rule.js';

const of = (code: HeaderCode, en: string, zhCn: string, zhTw: string) => capped(headerRules[code].cap, en, zhCn, zhTw);

/** Findings of section `security_headers`. */
export const headerFindings: Readonly<Record<HeaderCode, FindingRule>> = {
  plain_http: of(
    'plain_http',
    'The final response came over plain http.',
    '最终响应通过明文 http 返回。',
    '最終回應以明文 http 傳回。',
  ),
  https_downgrade: of(
    'https_downgrade',
    'A redirect leads from https to plain http.',
    '有重定向从 https 转到明文 http。',
    '有重新導向從 https 轉到明文 http。',
  ),
  no_https_redirect: of(
    'no_https_redirect',
    'Plain http does not redirect to https.',
    '明文 http 未重定向到 https。',
    '明文 http 未重新導向至 https。',
  ),
  no_hsts: of(
    'no_hsts',
    'No valid Strict-Transport-Security with max-age above 0 on the https response.',
    'https 响应没有 max-age 大于 0 的有效 Strict-Transport-Security。',
    'https 回應沒有 max-age 大於 0 的有效 Strict-Transport-Security。',
  ),
  cookie_not_secure: of(
    'cookie_not_secure',
    'A cookie is set over https without Secure.',
    '通过 https 设置的 Cookie 缺少 Secure。',
    '透過 https 設定的 Cookie 缺少 Secure。',
  ),
  hsts_short: of(
    'hsts_short',
    'Strict-Transport-Security applies for less than 180 days.',
    'Strict-Transport-Security 的有效期少于 180 天。',
    'Strict-Transport-Security 的有效期少於 180 天。',
  ),
  no_csp: of(
    'no_csp',
    'No Content-Security-Policy.',
    '没有 Content-Security-Policy。',
    '沒有 Content-Security-Policy。',
  ),
  csp_no_script_src: of(
    'csp_no_script_src',
    'The policy has neither script-src nor default-src: it does not limit scripts.',
    '策略既无 script-src 也无 default-src，未限制脚本。',
    '政策既無 script-src 也無 default-src，未限制指令碼。',
  ),
  csp_unsafe_inline: of(
    'csp_unsafe_inline',
    'The policy permits inline scripts without a nonce or hash.',
    '策略允许内联脚本，且没有 nonce 或哈希。',
    '政策允許內嵌指令碼，且沒有 nonce 或雜湊。',
  ),
  csp_wildcard: of(
    'csp_wildcard',
    'The policy permits scripts or plug-ins from any host, or from data: URLs.',
    '策略允许来自任意主机或 data: URL 的脚本或插件。',
    '政策允許來自任意主機或 data: URL 的指令碼或外掛程式。',
  ),
  no_frame_protection: of(
    'no_frame_protection',
    'Neither frame-ancestors nor X-Frame-Options limits who may frame the page.',
    'frame-ancestors 和 X-Frame-Options 均未限制谁可以嵌入页面。',
    'frame-ancestors 和 X-Frame-Options 均未限制誰可以嵌入頁面。',
  ),
  no_content_type_options: of(
    'no_content_type_options',
    'No X-Content-Type-Options: nosniff.',
    '没有 X-Content-Type-Options: nosniff。',
    '沒有 X-Content-Type-Options: nosniff。',
  ),
  cookie_prefix_broken: of(
    'cookie_prefix_broken',
    'A cookie whose name begins with __Host- or __Secure- lacks the attributes of its prefix; browsers refuse it.',
    '名称以 __Host- 或 __Secure- 开头的 Cookie 缺少前缀要求的属性，浏览器会拒绝它。',
    '名稱以 __Host- 或 __Secure- 開頭的 Cookie 缺少前綴要求的屬性，瀏覽器會拒絕它。',
  ),
  cookie_none_not_secure: of(
    'cookie_none_not_secure',
    'A cookie with SameSite=None lacks Secure; browsers refuse it.',
    'SameSite=None 的 Cookie 缺少 Secure，浏览器会拒绝它。',
    'SameSite=None 的 Cookie 缺少 Secure，瀏覽器會拒絕它。',
  ),
  csp_unsafe_eval: of(
    'csp_unsafe_eval',
    'The policy permits eval of texts as scripts.',
    '策略允许将文本作为脚本执行（eval）。',
    '政策允許將文字作為指令碼執行（eval）。',
  ),
  csp_no_object_src: of(
    'csp_no_object_src',
    'The policy has neither object-src nor default-src: it does not limit plug-ins.',
    '策略既无 object-src 也无 default-src，未限制插件。',
    '政策既無 object-src 也無 default-src，未限制外掛程式。',
  ),
  csp_no_base_uri: of(
    'csp_no_base_uri',
    'The policy has no base-uri: an injected base element can redirect relative URLs.',
    '策略没有 base-uri，注入的 base 元素可改变相对 URL。',
    '政策沒有 base-uri，注入的 base 元素可改變相對 URL。',
  ),
  weak_referrer_policy: of(
    'weak_referrer_policy',
    'Referrer-Policy sends whole URLs to other sites.',
    'Referrer-Policy 会将完整 URL 发送给其他网站。',
    'Referrer-Policy 會將完整 URL 傳送給其他網站。',
  ),
  cookie_not_http_only: of(
    'cookie_not_http_only',
    'A cookie is readable by scripts (no HttpOnly).',
    '脚本可以读取 Cookie（没有 HttpOnly）。',
    '指令碼可以讀取 Cookie（沒有 HttpOnly）。',
  ),
  cookie_no_same_site: of(
    'cookie_no_same_site',
    'A cookie has no SameSite.',
    'Cookie 没有 SameSite。',
    'Cookie 沒有 SameSite。',
  ),
  no_referrer_policy: of(
    'no_referrer_policy',
    'No Referrer-Policy.',
    '没有 Referrer-Policy。',
    '沒有 Referrer-Policy。',
  ),
  no_permissions_policy: of(
    'no_permissions_policy',
    'No Permissions-Policy.',
    '没有 Permissions-Policy。',
    '沒有 Permissions-Policy。',
  ),
  hsts_no_subdomains: of(
    'hsts_no_subdomains',
    'Strict-Transport-Security does not include subdomains.',
    'Strict-Transport-Security 不包含子域名。',
    'Strict-Transport-Security 不包含子網域。',
  ),
  csp_duplicate: of(
    'csp_duplicate',
    'The policy repeats a directive; only the first one counts.',
    '策略中有重复的指令，只有第一个生效。',
    '政策中有重複的指令，只有第一個生效。',
  ),
  server_version: of(
    'server_version',
    'A header shows the version of the software.',
    '有响应头显示软件版本。',
    '有回應標頭顯示軟體版本。',
  ),
  // the headers of the site stay unknown, and unknown must not look like flawless
  not_the_site: warning(
    30,
    'The response was a refusal or a challenge page: its headers are not those of the site and are not graded.',
    '响应是拒绝页面或质询页面：其响应头不属于该网站，不予评级。',
    '回應是拒絕頁面或質詢頁面：其回應標頭不屬於該網站，不予評級。',
  ),
  hsts_invalid: of(
    'hsts_invalid',
    'Strict-Transport-Security is not valid; browsers ignore it.',
    'Strict-Transport-Security 无效，浏览器会忽略它。',
    'Strict-Transport-Security 無效，瀏覽器會忽略它。',
  ),
  hsts_repeated: of(
    'hsts_repeated',
    'Strict-Transport-Security occurs more than once; only the first one counts.',
    'Strict-Transport-Security 出现多次，只有第一个生效。',
    'Strict-Transport-Security 出現多次，只有第一個生效。',
  ),
  hsts_over_http: of(
    'hsts_over_http',
    'Strict-Transport-Security over plain http has no effect.',
    '通过明文 http 发送的 Strict-Transport-Security 无效。',
    '透過明文 http 傳送的 Strict-Transport-Security 無效。',
  ),
  csp_report_only: of(
    'csp_report_only',
    'A policy is only reported and not enforced.',
    '有策略仅报告而未强制执行。',
    '有政策僅回報而未強制執行。',
  ),
  no_coop: of(
    'no_coop',
    'No Cross-Origin-Opener-Policy.',
    '没有 Cross-Origin-Opener-Policy。',
    '沒有 Cross-Origin-Opener-Policy。',
  ),
  no_compression: of(
    'no_compression',
    'A text of 1 KiB or more is sent without compression.',
    '1 KiB 及以上的文本未压缩发送。',
    '1 KiB 及以上的文字未壓縮傳送。',
  ),
  no_cdn: of('no_cdn', 'No known CDN serves the site.', '未发现已知的 CDN。', '未發現已知的 CDN。'),
};
