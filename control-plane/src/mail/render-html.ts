import type { Locale } from '../http/locale.js';
import { type Html, html } from '../http/pages/html.js';
import { type Block, type MailFact, type Tone, toneColours } from './template.js';

const font =
  "font-family:-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif";
const text = 'margin:0 0 16px;font-size:15px;line-height:1.55;color:#1b1f24';
const small = 'margin:0 0 12px;font-size:13px;line-height:1.5;color:#5b6570';

interface Letterhead {
  readonly title: string;
  readonly tone: Tone;
  readonly blocks: readonly Block[];
}

/**
 * Renders blocks as a complete HTML document without images and external resources. Style attributes are for mail programs
 * that drop the head; classes are for dark mode. No word is wider than a phone: long ones break.
 */
export function renderHtml({ title, tone, blocks }: Letterhead, locale: Locale): string {
  const colour = toneColours[tone];
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
  .small a { color: #7ab8ff !important; }
  .code { background: #14171b !important; border-color: #333a43 !important; }
  .good { color: #5fd38d !important; }
  .bad { color: #ff8a80 !important; }
  .warning { color: #f0c36d !important; }
  .neutral { color: #e6e9ed !important; }
}
</style>
</head>
<body class="ground" style="margin:0;padding:24px 12px;background:#f5f7f9;${font}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="table-layout:fixed"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;table-layout:fixed;border-collapse:separate"><tr>
<td bgcolor="${colour}" style="height:6px;font-size:0;line-height:0;background:${colour};border-radius:8px 8px 0 0">&nbsp;</td>
</tr><tr>
<td class="card" style="padding:24px;background:#ffffff;border:1px solid #d9dee4;border-top:0;border-radius:0 0 8px 8px;word-wrap:break-word;overflow-wrap:anywhere">
<h1 class="${tone}" style="margin:0 0 16px;font-size:20px;line-height:1.35;color:${tone === 'neutral' ? '#1b1f24' : colour}">${title}</h1>
${blocks.map((block) => htmlOf(block))}<p class="small" style="${small};margin-bottom:0">Vantage</p>
</td>
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
      return html`<p class="text" style="${text}">${block.text}</p>
`;
    case 'facts':
      return html`<p class="text" style="${text}">${block.facts.map(factHtml)}</p>
`;
    case 'lines':
      return html`<p class="text" style="${text}">${block.texts.map((line) => html`${line}<br>`)}</p>
`;
    case 'note':
      return html`<p class="small" style="${small}">${block.text}</p>
`;
    case 'button':
      return html`<p style="margin:0 0 20px"><a href="${block.link}" style="display:inline-block;padding:11px 20px;background:#0b5cad;color:#ffffff;border-radius:6px;font-size:15px;font-weight:600;text-decoration:none">${block.label}</a></p>
`;
    case 'links':
      return html`<p class="small" style="${small}">${block.links.map(
        ({ label, link }, index) => html`${index > 0 && ' · '}<a href="${link}" style="color:#0b5cad">${label}</a>`,
      )}</p>
`;
    case 'code':
      return html`<p class="small" style="${small}">${block.label}</p>
<p class="text code" style="margin:0 0 20px;padding:10px 12px;background:#f5f7f9;border:1px solid #d9dee4;border-radius:6px;font:13px/1.5 ui-monospace,monospace;color:#1b1f24;word-break:break-all">${block.code}</p>
`;
  }
}

function factHtml({ label, value }: MailFact): Html {
  return html`<span class="small" style="font-size:13px;color:#5b6570">${label}</span><br>${value}<br>`;
}
