import type { Locale } from '../../../http/locale.js';

/** Labels of the fields of parameters, in English, simplified and traditional Chinese. */
const labels: Readonly<Record<string, readonly [string, string, string]>> = {
  count: ['Count', '次数', '次數'],
  cycles: ['Cycles', '轮数', '輪數'],
  follow_redirects: ['Redirects', '跟随重定向', '跟隨重新導向'],
  ip_version: ['IP version', 'IP 版本', 'IP 版本'],
  max_hops: ['Hops at most', '最大跳数', '最大躍點數'],
  method: ['Method', '方法', '方法'],
  port: ['Port', '端口', '連接埠'],
  protocol: ['Protocol', '协议', '協定'],
  record_type: ['Record type', '记录类型', '記錄類型'],
  server: ['Resolver', '解析器', '解析器'],
  server_name: ['Server name', '服务器名称', '伺服器名稱'],
  starttls: ['STARTTLS', 'STARTTLS', 'STARTTLS'],
  transport: ['Transport', '传输方式', '傳輸方式'],
  upload: ['Upload', '上传', '上傳'],
};

const order: readonly Locale[] = ['en', 'zh-CN', 'zh-TW'];

/** Label of a parameter in a language; null: it has none, which is an omission. */
export function paramLabel(name: string, locale: Locale): string | null {
  return labels[name]?.[order.indexOf(locale)] ?? null;
}
