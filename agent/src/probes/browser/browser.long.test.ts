import { monitorTypes } from '@vantage/shared/monitor-types/index.js';
import t from 'tap';
import { startTlsServer, tlsIdentity } from '../../../test/_support/certificates.js';
import { aPageConfig, checkPage, servePage } from '../../../test/_support/check-page.js';
import { startDnsServer } from '../../../test/_support/dns-server.js';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { noBrowser, OwnPages } from '../../../test/_support/page-processes.js';
import { aContext, aResolver, testUserAgent } from '../../../test/_support/probe-context.js';
import { unusedPort } from '../../../test/_support/tcp-server.js';
import { defaultChromiumWish, findChromium } from './chromium.js';
import { BrowserEngine } from './index.js';

const options = { skip: noBrowser };
const pages = new OwnPages(t);

t.test(
  'a page is loaded as people see it: timings, what scripts made of it, and its complaints',
  options,
  async (t) => {
    const html = `<title>Shop</title><p id=price></p><script>
    setTimeout(() => { price.textContent = 'only\\n 12  euros'; price.className = 'ready'; }, 300);
    console.error('no stock'); setTimeout(() => { throw new Error('broken'); });
  </script>`;
    const { url, requests } = await servePage(t, html);
    const { result, judgment } = await checkPage(url, { selector: 'p.ready', text: 'only 12 euros' });
    t.match(judgment, { outcome: 'ok', error: null, statusCode: 200 });
    t.match(result, {
      success: true,
      title: 'Shop',
      final_url: url,
      selector_found: true,
      text_found: true,
      refused: 0,
    });
    t.ok((result.load_ms ?? 0) > 0 && (result.timing.ttfb_ms ?? 0) > 0);
    t.ok((result.timing.dom_content_loaded_ms ?? 0) >= (result.timing.ttfb_ms ?? 0));
    t.ok(result.console_errors.includes('no stock') && result.console_errors.some((text) => text.includes('broken')));
    t.ok(requests[0]?.headers['user-agent']?.endsWith(testUserAgent), 'it says who asks');
    await pages.gone();
  },
);

t.test('a page without what must be on it fails, and complaints count where they are to', options, async (t) => {
  const { url } = await servePage(t, '<p hidden>secret</p><p>hello</p><script>console.error("oh no")</script>');
  const config = { selector: '#cart', text: 'secret', timeout_ms: 20_000, console_errors: 'degraded' };
  const missing = await checkPage(url, config);
  t.match(missing.result, { success: true, selector_found: false, text_found: false });
  t.match(missing.judgment, {
    outcome: 'failed',
    error: {
      message: /does not contain it, expected what "#cart" selects.*expected the text "secret".*"oh no", expected none/,
    },
  });
  t.match((await checkPage(url, { console_errors: 'degraded' })).judgment, { outcome: 'degraded' });
  const broken = await servePage(t, 'sorry', 500);
  t.match((await checkPage(broken.url)).judgment, {
    outcome: 'failed',
    statusCode: 500,
    error: { message: /500, expected 2xx/ },
  });
  const assertions = [{ type: 'status_code', op: 'eq', value: 500 }];
  t.match((await checkPage(broken.url, { assertions })).judgment, { outcome: 'ok' });
  t.match((await checkPage(url, { selector: 'p:::' })).judgment, {
    outcome: 'failed',
    error: { code: 'not_supported' },
  });
});

t.test('a failure to load a page has the code that other types use', options, async (t) => {
  const port = await unusedPort();
  t.match((await checkPage(`http://127.0.0.1:${port}/`)).judgment, {
    outcome: 'failed',
    error: { code: 'tcp_refused' },
  });
  const tls = await startTlsServer(t, tlsIdentity('good'), (socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi'));
  });
  const url = `https://127.0.0.1:${tls.port}/`;
  t.match((await checkPage(url)).judgment, { outcome: 'failed', error: { code: 'tls_untrusted' } });
  t.match((await checkPage(url, { verify_tls: false, text: 'hi' })).judgment, { outcome: 'ok' });
  const mute = await startHttpServer(t, () => undefined);
  const slow = await checkPage(`http://127.0.0.1:${mute.port}/`, { timeout_ms: 20_000 });
  t.match(slow.judgment, { outcome: 'failed', error: { code: 'http_timeout' } });
  const resolver = aResolver([(await startDnsServer(t, () => ({ rcode: 'NXDOMAIN' }))).endpoint]);
  t.match((await checkPage('http://gone.example.com/', {}, { resolver })).judgment, {
    error: { code: 'dns_nxdomain' },
  });
  await pages.gone();
});

t.test('a node has a browser where a Chromium is found that can shut itself in', options, async (t) => {
  t.match(findChromium(defaultChromiumWish), { path: /chrom/, hasSandbox: true });
  t.match(findChromium({ path: 'none', hasSandbox: true }), { reason: /disabled/ });
  t.match(findChromium({ path: '/nowhere/chromium', hasSandbox: true }), { reason: /not a program/ });
  const none = new BrowserEngine({ path: 'none', hasSandbox: true });
  const result = await none.run(monitorTypes.browser.toSpec('http://127.0.0.1/', aPageConfig()), aContext());
  t.match(result, { success: false, error: { code: 'not_supported' } });
});
