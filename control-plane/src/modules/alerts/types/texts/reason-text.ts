import type { CheckErrorCode } from '@vantage/shared/monitor-types/definition.js';
import type { Locale } from '../../../../http/locale.js';

/** Reason of an event: what nodes, or a heartbeat, reported. */
interface Reason {
  /** Nodes that agree, and nodes that may vote; null if no nodes are in it. */
  readonly nodes: { readonly count: string; readonly all: string } | null;
  /** Error without its code. */
  readonly text: string;
  /** Error as it was reported, with its code. */
  readonly original: string;
  /** True if the text is in the language of the message. */
  readonly isTranslated: boolean;
}

/** NOTE: monitors/judging/event-reason.ts writes the reasons of nodes: `2 of 3 nodes: http_timeout: no response`. */
export function readReason(reason: string, locale: Locale): Reason {
  const [, count, all, error] = /^(\d+) of (\d+) nodes: (.*)$/s.exec(reason) ?? [];
  const nodes = count === undefined || all === undefined ? null : { count, all };
  const original = error ?? reason;
  const [, code, message] = /^([a-z_]+)(?:: (.*))?$/s.exec(original) ?? [];
  const plain = nodes !== null && code !== undefined && message !== undefined && message !== '' ? message : original;
  if (locale === 'en') return { nodes, text: plain, original, isTranslated: true };
  const column = locale === 'zh-CN' ? 0 : 1;
  const job = nodes === null ? jobReason(reason) : null;
  if (job !== null) return { nodes, text: job[column], original, isTranslated: true };
  const known = code !== undefined && isKnown(code) ? codes[code][column] : null;
  if (known === null) return { nodes, text: plain, original, isTranslated: false };
  // an assertion says what was found, which its code does not
  if (code !== 'assertion_failed' || message === undefined) return { nodes, text: known, original, isTranslated: true };
  const [, found, expected] = /^(?:the )?status is (\d+), expected (.+)$/s.exec(message) ?? [];
  const text =
    found === undefined || expected === undefined
      ? `${known}：${message}`
      : [`状态码为 ${found}，应为 ${expected}`, `狀態碼為 ${found}，應為 ${expected}`][column];
  return { nodes, text: text ?? known, original, isTranslated: true };
}

/** A reason for people, with the original behind a translation: it is what logs and the API have. */
export function reasonText(reason: string, locale: Locale): string {
  if (locale === 'en') return reason;
  const { nodes, text, original, isTranslated } = readReason(reason, locale);
  const shown = isTranslated && nodes !== null ? `${text}（${original}）` : text;
  if (nodes === null) return shown;
  const { count, all } = nodes;
  return locale === 'zh-CN' ? `${all} 个节点中有 ${count} 个：${shown}` : `${all} 個節點中有 ${count} 個：${shown}`;
}

type Pair = readonly [simplified: string, traditional: string];

/** NOTE: `failureOf` and its neighbours in monitors/heartbeats/heartbeat-state.ts write these reasons. */
function jobReason(reason: string): Pair | null {
  if (reason === 'it reported a failure') return ['任务报告失败', '工作回報失敗'];
  if (reason === 'its message lacks the text it must contain')
    return ['任务的消息缺少必须包含的文字', '工作的訊息缺少必須包含的文字'];
  const [, exitCode] = /^it ended with exit code (\d+)$/.exec(reason) ?? [];
  if (exitCode !== undefined) return [`任务以退出码 ${exitCode} 结束`, `工作以結束代碼 ${exitCode} 結束`];
  const [, seconds] = /^a run took longer than ([\d.]+) s$/.exec(reason) ?? [];
  if (seconds !== undefined) return [`一次运行超过 ${seconds} 秒`, `一次執行超過 ${seconds} 秒`];
  const [, at] = /^no ping came that was expected at (\S+)$/.exec(reason) ?? [];
  return at === undefined ? null : [`应在 ${at} 到达的信号未到达`, `應在 ${at} 到達的訊號未到達`];
}

function isKnown(code: string): code is keyof typeof codes {
  return Object.hasOwn(codes, code);
}

/** Errors of probes and checks in Simplified and Traditional Chinese. */
const codes: Readonly<Record<CheckErrorCode, Pair>> = {
  dns_nxdomain: ['域名不存在', '網域名稱不存在'],
  dns_nodata: ['域名没有此类型的记录', '網域名稱沒有此類型的記錄'],
  dns_servfail: ['DNS 服务器无法解析', 'DNS 伺服器無法解析'],
  dns_timeout: ['DNS 查询超时', 'DNS 查詢逾時'],
  dns_refused: ['DNS 服务器拒绝查询', 'DNS 伺服器拒絕查詢'],
  dns_error: ['DNS 查询失败', 'DNS 查詢失敗'],
  tcp_refused: ['连接被拒绝', '連線被拒絕'],
  tcp_timeout: ['连接超时', '連線逾時'],
  tcp_reset: ['连接被重置', '連線被重設'],
  net_unreachable: ['网络不可达', '網路無法到達'],
  host_unreachable: ['主机不可达', '主機無法到達'],
  tls_expired: ['证书已过期', '憑證已過期'],
  tls_self_signed: ['证书为自签名', '憑證為自我簽署'],
  tls_untrusted: ['证书不受信任', '憑證不受信任'],
  tls_name_mismatch: ['证书与主机名不符', '憑證與主機名稱不符'],
  tls_handshake: ['TLS 握手失败', 'TLS 交握失敗'],
  http_timeout: ['HTTP 响应超时', 'HTTP 回應逾時'],
  http_protocol: ['HTTP 响应无效', 'HTTP 回應無效'],
  http_headers_too_large: ['HTTP 标头过大', 'HTTP 標頭過大'],
  too_many_redirects: ['重定向过多', '重新導向過多'],
  body_too_large: ['响应内容过大', '回應內容過大'],
  smtp_rejected: ['邮件服务器拒绝', '郵件伺服器拒絕'],
  ntp_kod: ['时间服务器拒绝服务', '時間伺服器拒絕服務'],
  target_not_allowed: ['不允许探测此目标', '不允許探測此目標'],
  target_rate_limited: ['此目标的探测过于频繁', '此目標的探測過於頻繁'],
  timeout: ['超时', '逾時'],
  no_reply: ['没有应答', '沒有回應'],
  not_supported: ['节点不支持此检查', '節點不支援此檢查'],
  overload: ['节点过载', '節點過載'],
  cancelled: ['检查被取消', '檢查被取消'],
  node_lost: ['与节点失去联系', '與節點失去聯繫'],
  internal: ['节点内部错误', '節點內部錯誤'],
  assertion_failed: ['不符合断言', '不符合斷言'],
  expected_to_fail: ['检查成功，但应当失败', '檢查成功，但應當失敗'],
};
