import type { Locale } from '../locale.js';
import { type Html, html } from './html.js';

const texts: Readonly<Record<Locale, string>> = {
  en: 'The same with the client, a single file that needs Node.js 20.20 or later:',
  'zh-CN': '也可以使用客户端，它是单个文件，需要 Node.js 20.20 或更高版本：',
  'zh-TW': '也可以使用用戶端，它是單一檔案，需要 Node.js 20.20 或更新版本：',
};

/** How to get the client, and a command of it. `download`: command that downloads it; null: there is none to show. */
export function clientHtml(locale: Locale, download: string | null, command: string): Html | false {
  if (download === null) return false;
  return html`<p>${texts[locale]}</p>
<pre lang="en" tabindex="0">${download}
./${command}</pre>`;
}
