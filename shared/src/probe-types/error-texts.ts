import { type ProbeErrorCode, probeErrorCodes } from './error-codes.js';

/** Errors of probes in Simplified and Traditional Chinese. */
export const probeErrorTexts: Readonly<Record<ProbeErrorCode, readonly [simplified: string, traditional: string]>> = {
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
};

/** True if a text is the code of an error of probes. */
export function isProbeErrorCode(code: string): code is ProbeErrorCode {
  return (probeErrorCodes as readonly string[]).includes(code);
}
