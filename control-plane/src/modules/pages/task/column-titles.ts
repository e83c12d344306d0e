import type { Locale } from '../../../http/locale.js';

/** Titles of columns and phases in Simplified and Traditional Chinese, by their English text. Names of protocols stay. */
const titles: Readonly<Record<string, readonly [string, string]>> = {
  Address: ['地址', '位址'],
  Answer: ['应答', '回應'],
  Avg: ['平均', '平均'],
  Banner: ['问候语', '問候語'],
  Bytes: ['字节数', '位元組數'],
  'Certificate until': ['证书有效期至', '憑證有效期至'],
  Connect: ['连接', '連線'],
  'Days left': ['剩余天数', '剩餘天數'],
  Delay: ['延迟', '延遲'],
  Download: ['下载', '下載'],
  Downloading: ['下载时延迟', '下載時延遲'],
  Expires: ['到期', '到期'],
  Field: ['字段', '欄位'],
  'Final URL': ['最终 URL', '最終 URL'],
  'First byte': ['首字节', '首位元組'],
  Greeting: ['问候', '問候'],
  Hops: ['跳数', '躍點數'],
  Issuer: ['颁发者', '核發者'],
  Jitter: ['抖动', '抖動'],
  Last: ['末跳', '末躍點'],
  Latency: ['延迟', '延遲'],
  Leap: ['闰秒', '閏秒'],
  Loss: ['丢包', '遺失'],
  Max: ['最大', '最大'],
  Mdev: ['平均偏差', '平均偏差'],
  Min: ['最小', '最小'],
  'Name server': ['域名服务器', '網域名稱伺服器'],
  Offset: ['偏移', '偏移'],
  Outcome: ['结果', '結果'],
  Port: ['端口', '連接埠'],
  Protocol: ['协议', '協定'],
  Query: ['查询', '查詢'],
  Reached: ['已到达', '已到達'],
  Records: ['记录', '記錄'],
  Reference: ['参考源', '參考源'],
  Replies: ['应答数', '回應數'],
  Resolver: ['解析器', '解析器'],
  'Round trip': ['往返', '往返'],
  Serial: ['序列号', '序號'],
  Size: ['大小', '大小'],
  Status: ['状态', '狀態'],
  Stratum: ['层级', '層級'],
  Time: ['时间', '時間'],
  Total: ['总计', '總計'],
  Upload: ['上传', '上傳'],
  Uploading: ['上传时延迟', '上傳時延遲'],
  Value: ['值', '值'],
  Versions: ['版本', '版本'],
  Warnings: ['警告', '警告'],
};

/** Titles that are the same in every language. */
const names: ReadonlySet<string> = new Set([
  'DNS',
  'TCP',
  'TLS',
  'EHLO',
  'HTTP',
  'URL',
  'Secure',
  'HttpOnly',
  'SameSite',
  'Cookie',
  'CDN',
]);

/** Title of a column or phase in a language; null if it has none, which is an omission. */
export function columnTitle(title: string, locale: Locale): string | null {
  if (locale === 'en' || names.has(title)) return title;
  return titles[title]?.[locale === 'zh-CN' ? 0 : 1] ?? null;
}
