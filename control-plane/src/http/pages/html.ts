/** Markup that is safe to send: only `html` makes it. */
export class Html {
  constructor(readonly markup: string) {}
}

/** Value in a template; null, undefined and false render as nothing, arrays are concatenated. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * A template whose values are escaped unless they are Html themselves. Good for text and for quoted attribute values
 * (in `href` and `src` only http, https and local addresses survive), not inside script or style elements.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = strings[0] ?? '';
  for (const [index, value] of values.entries()) {
    const isAddress = /\s(?:href|src|action)="$/.test(strings[index] ?? '');
    markup += isAddress ? escape(safeAddress(String(value))) : render(value);
    markup += strings[index + 1] ?? '';
  }
  return new Html(markup);
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(render).join('');
  return escape(String(value));
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Text of an attribute or of an element that `html` made. */
export function unescapeHtml(escaped: string): string {
  return escaped
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/**
 * Safe address: `javascript:` and similar ones become a link to nowhere; `//host` and `/\host` would leave the site.
 */
function safeAddress(address: string): string {
  return /^(?:https?:\/\/|[/#?](?![/\\]))/i.test(address) ? address : '#';
}
