import type { Locale } from '../http/locale.js';
import { type Html, html } from '../http/pages/html.js';
import type { Block } from './template.js';

const font =
  "font-family:-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif";
const small = 'margin:0 0 12px;font-size:13px;line-height:1.5;color:#5b6570';

/**
 * Renders blocks as a complete HTML document without images and external resources. Style attributes are for mail programs
 * that drop the head; classes are for dark mode.
 */
export function renderHtml(title: string, blocks: readonly Block[], locale: Locale): string {
  const { markup } = html`<html lang="${locale}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
@media (prefers-color-scheme: dark) {
  .ground { background: #14171b !important; }
  .card { background: #1d2127 !important; border-color: #333a43 !important; }
  .text { color: #e6e9ed !important; }
  .small { color: #9aa5b1 !important; }
  .code { background: #14171b !important; border-color: #333a43 !important; }
}
</style>
</head>
<body class="ground" style="margin:0;padding:24px 12px;background:#f5f7f9;${font}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px"><tr>
<td class="card" style="padding:28px;background:#ffffff;border:1px solid #d9dee4;border-radius:8px">
<p class="small" style="${small};font-weight:700">Vantage</p>
<h1 class="text" style="margin:0 0 16px;font-size:20px;line-height:1.3;color:#1b1f24">${title}</h1>
${blocks.map((block) => htmlOf(block))}</td>
</tr></table>
</td></tr></table>
</body>
</html>
`;
  return `<!doctype html>\n${markup}`;
}

function htmlOf(block: Block): Html {
  switch (block.kind) {
    case 'paragraph':
      return html`<p class="text" style="margin:0 0 16px;font-size:15px;line-height:1.55;color:#1b1f24">${block.text}</p>
`;
    case 'lines':
      return html`<p class="text" style="margin:0 0 16px;font-size:15px;line-height:1.55;color:#1b1f24">${block.texts.map((text) => html`${text}<br>`)}</p>
`;
    case 'note':
      return html`<p class="small" style="${small}">${block.text}</p>
`;
    case 'button':
      return html`<p style="margin:0 0 20px"><a href="${block.link}" style="display:inline-block;padding:11px 20px;background:#0b5cad;color:#ffffff;border-radius:6px;font-size:15px;font-weight:600;text-decoration:none">${block.label}</a></p>
<p class="small" style="${small};word-break:break-all">${block.link}</p>
`;
    case 'code':
      return html`<p class="small" style="${small}">${block.label}</p>
<p class="text code" style="margin:0 0 20px;padding:10px 12px;background:#f5f7f9;border:1px solid #d9dee4;border-radius:6px;font:13px/1.5 ui-monospace,monospace;color:#1b1f24;word-break:break-all">${block.code}</p>
`;
  }
}
