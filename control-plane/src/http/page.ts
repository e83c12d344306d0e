import { createHash } from 'node:crypto';
import { type Html, html } from './html.js';
import type { Locale } from './locale.js';
import type { RawReply } from './route.js';

export interface Page {
  /** Default 200. */
  readonly status?: number;
  readonly title: string;
  /** Language of the text; default `en`. */
  readonly locale?: Locale;
  readonly content: Html;
  /** Our own JavaScript, never with anything of a caller's in it; may fetch from this origin only. */
  readonly script?: string;
}

/**
 * A page in the common layout: readable on a phone, light or dark as the reader has it, nothing loaded from elsewhere.
 * The content policy allows this style sheet and this script by their hashes, so style attributes have no effect.
 */
export function renderPage({ status = 200, title, locale = 'en', content, script }: Page): RawReply {
  const scriptElement = script === undefined ? '' : `<script>${script}</script>`;
  const { markup } = html`<title>${title} · Vantage</title>`;
  const body = `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${markup}
<style>${styleSheet}</style>
</head>
<body>
<header><a class="brand" href="/">Vantage</a><nav><a href="/docs">API reference</a></nav></header>
<main>
${content.markup}
</main>
${scriptElement}
</body>
</html>
`;
  return {
    status,
    raw: { contentType: 'text/html; charset=utf-8', body },
    headers: { 'Content-Security-Policy': policyFor(script), 'Content-Language': locale },
  };
}

function policyFor(script: string | undefined): string {
  const scripts = script === undefined ? '' : `script-src ${hashOf(script)}; connect-src 'self'; `;
  return (
    `default-src 'none'; style-src ${styleHash}; img-src 'self' data:; ${scripts}` +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  );
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const styleSheet = `
:root { color-scheme: light dark; --text: #1b1f24; --muted: #5b6570; --ground: #fff; --raised: #f5f7f9; --line: #d9dee4;
  --link: #0b5cad; --good: #17703a; --bad: #b42318; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --muted: #9aa5b1; --ground: #14171b; --raised: #1d2127;
  --line: #333a43; --link: #7ab8ff; --good: #5fd38d; --bad: #ff8a80; --warn: #f0c36d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
header, main { max-width: 64rem; margin: 0 auto; padding: 1rem 1.25rem; }
header { display: flex; gap: 1.5rem; align-items: baseline; border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; color: inherit; text-decoration: none; }
a { color: var(--link); }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1rem 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
code, pre { font: .9em/1.5 ui-monospace, monospace; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow-x: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--muted); font-weight: 600; }
td.number, th.number { text-align: right; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
.muted { color: var(--muted); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
`;

const styleHash = hashOf(styleSheet);
