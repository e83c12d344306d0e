import t from 'tap';
import { startStack } from './_support/stack.js';

/** Accept header of Chromium for an address that a person opens. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const { api } = await startStack(t);

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(new URL(path, api.url), { headers, method });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

const typeOf = ({ headers }: { headers: Headers }) => headers.get('content-type')?.split(';')[0];

t.test('an error is a page for a browser, and JSON for every other caller', async (t) => {
  for (const [path, status, code, method] of [
    ['/no/such/page', 404, 'NOT_FOUND', 'GET'],
    ['/v1/nodes?page=x', 400, 'VALIDATION_FAILED', 'GET'],
    ['/v1/monitors', 401, 'AUTH_REQUIRED', 'GET'],
    ['/v1/auth/login', 405, 'NOT_FOUND', 'GET'],
    ['/lookup/nonsense/x', 404, 'NOT_FOUND', 'POST'],
    ['/docs/errors/NO_SUCH_CODE', 404, 'NOT_FOUND', 'GET'],
  ] as const) {
    const page = await get(path, { accept: browser }, method);
    t.strictSame([page.status, typeOf(page)], [status, 'text/html'], path);
    t.match(page.html, `href="/docs/errors/${code}"`, 'it leads to what the code means');
    t.match(page.html, page.headers.get('x-request-id') ?? '?', 'it has the id to quote');
    t.match(page.headers.get('content-security-policy'), "default-src 'none'");
    t.match(page.headers.get('vary'), 'Accept, ');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/event-stream', '']) {
      const answer = await get(path, { accept }, method);
      t.strictSame([answer.status, typeOf(answer)], [status, 'application/json'], `${path} for "${accept}"`);
      t.equal(JSON.parse(answer.html).error.code, code);
    }
  }
});

t.test('a page for an error is in the language of the reader, and says which field is wrong', async (t) => {
  const page = await get('/v1/nodes?page=x', { accept: browser, 'accept-language': 'zh-TW' });
  t.match(page.html, '<html lang="zh-TW">');
  t.match(page.html, '<dt>page</dt><dd lang="zh-TW">必須是整數</dd>');
  t.match((await get('/nothing?lang=zh-CN', { accept: browser })).html, '此地址没有页面');
});

t.test('the switch of the language keeps path and query, and links keep a chosen language', async (t) => {
  const chosen = await get('/docs/errors?a=1%262&lang=zh-CN', { 'accept-language': 'en' });
  t.match(chosen.html, '<html lang="zh-CN">');
  t.match(chosen.html, '<a href="?a=1%262&amp;lang=zh-TW"');
  t.match(chosen.html, 'href="/docs/errors/NOT_FOUND?lang=zh-CN"');
  t.match((await get('/docs?lang=zh-TW')).html, '<a class="brand" href="/?lang=zh-TW">');
  const negotiated = await get('/docs/errors', { 'accept-language': 'zh-CN' });
  t.match(negotiated.html, 'href="/docs/errors/NOT_FOUND"', 'the browser itself asks for its language');
  t.match(negotiated.html, '<a href="?lang=zh-TW"');
});

t.test('every page has the same header and end', async (t) => {
  const frameOf = ({ html }: { html: string }) => [
    /<header class="site">.*<\/header>/s.exec(html)?.[0],
    /<footer class="site">.*<\/footer>/s.exec(html)?.[0],
  ];
  const first = frameOf(await get('/'));
  t.ok(first[0] && first[1]);
  for (const path of ['/docs', '/docs/guide', '/docs/errors', '/abuse', '/verify-email', '/lookup/dns/x.example']) {
    t.strictSame(frameOf(await get(path)), first, path);
  }
  t.strictSame(frameOf(await get('/nothing', { accept: browser })), first, 'an error');
});
