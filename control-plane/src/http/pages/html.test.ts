import { createHash } from 'node:crypto';
import t from 'tap';
import { html } from './html.js';
import { renderPage } from './page.js';

const request = { url: '/', locale: 'en' } as const;

t.test('values in a template are escaped, markup made by it is not', async (t) => {
  const name = `<b>"x" & 'y'</b>`;
  t.equal(html`<p title="${name}">${name}</p>`.markup.includes('<b>'), false);
  t.equal(html`${html`<i>${'<'}</i>`}`.markup, '<i>&lt;</i>');
  t.equal(html`<ul>${[1, 2].map((n) => html`<li>${n}</li>`)}</ul>`.markup, '<ul><li>1</li><li>2</li></ul>');
  t.equal(html`${null}${undefined}${false}${0}${''}`.markup, '0');
});

t.test('a URL in a link is kept only if it leads to http, https or this site', async (t) => {
  const link = (address: string) => html`<a href="${address}">x</a>`.markup;
  for (const good of ['https://example.com/?a=1', 'http://example.com', '/docs', '/', '#top', '?page=2']) {
    t.equal(link(good), `<a href="${good}">x</a>`, good);
  }
  for (const bad of [
    'javascript:alert(1)',
    ' javascript:x',
    'data:text/html,x',
    '//evil.example',
    '/\\evil.example',
    '',
  ]) {
    t.equal(link(bad), '<a href="#">x</a>', bad);
  }
});

t.test('a page allows its own style sheet and script by hash, and nothing else', async (t) => {
  const script = 'document.title = "x";';
  const { status, raw, headers } = renderPage(request, { title: '<t>', content: html`<h1>Hi</h1>`, script });
  const body = String(raw.body);
  const policy = headers?.['Content-Security-Policy'] ?? '';
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? '';
  t.equal(status, 200);
  t.match(body, '<title>&lt;t&gt; · Vantage</title>');
  t.ok(policy.includes(`style-src ${hash(style)};`), policy);
  t.ok(policy.includes(`script-src ${hash(script)};`), policy);
  t.notMatch(policy, 'unsafe');
  t.notMatch(renderPage(request, { title: 't', content: html`` }).headers?.['Content-Security-Policy'], 'script-src');
});
