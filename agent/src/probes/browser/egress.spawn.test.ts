import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { checkPage } from '../../../test/_support/check-page.js';
import { startDnsServer } from '../../../test/_support/dns-server.js';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { noBrowser, OwnPages } from '../../../test/_support/page-processes.js';
import { aContext, aPolicy, aResolver } from '../../../test/_support/probe-context.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import { EgressProxy } from './egress-proxy.js';

const options = { skip: noBrowser };
const pages = new OwnPages(t);

t.test('a page reaches nothing that the target policy refuses, by whatever it tries', options, async (t) => {
  const inside = await startTcpServer(t, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nsecret'), '127.0.0.2');
  const datagrams: unknown[] = [];
  const udp = createSocket('udp4').on('message', (bytes) => datagrams.push(bytes));
  udp.bind(0, '127.0.0.2');
  await once(udp, 'listening');
  t.teardown(() => udp.close());
  const stun = (udp.address() as AddressInfo).port;
  let rebound = 0;
  const dns = await startDnsServer(t, ({ name, type }) => {
    if (type !== 'A') return {};
    if (name === 'inside.example.com') return { answers: [{ type: 'A', name, data: '127.0.0.2' }] };
    rebound += 1;
    return { answers: [{ type: 'A', name, data: rebound === 1 ? '127.0.0.1' : '127.0.0.2' }] };
  });
  const port = inside.port;
  const html = (own: number) => `<body><script>
    const at = ['127.0.0.2:${port}', 'inside.example.com:${port}', 'localhost:${port}', '127.1:${port}', '2130706434:${port}', '[::ffff:127.0.0.2]:${port}'];
    const tries = at.flatMap((host) => [
      fetch('http://' + host + '/fetch', { mode: 'no-cors' }),
      fetch('https://' + host + '/fetch', { mode: 'no-cors' }),
      new Promise((ok, no) => { const s = new WebSocket('ws://' + host + '/'); s.onopen = ok; s.onerror = no; }),
      new Promise((ok, no) => { const i = new Image(); i.onload = ok; i.onerror = no; i.src = 'http://' + host + '/i'; }),
    ]);
    for (const host of at) {
      for (const [tag, to] of [['iframe', 'src'], ['script', 'src'], ['link', 'href'], ['object', 'data']]) {
        const element = document.createElement(tag); element[to] = 'http://' + host + '/' + tag;
        if (tag === 'link') element.rel = 'stylesheet';
        document.body.append(element);
      }
      const hint = document.createElement('link'); hint.rel = 'preconnect'; hint.href = 'http://' + host; document.head.append(hint);
      navigator.sendBeacon('http://' + host + '/beacon', 'x');
    }
    tries.push(fetch('/redirect', { mode: 'no-cors' }), fetch('file:///etc/passwd'));
    tries.push(fetch('http://turning.example.com:${own}/ok', { mode: 'no-cors' }).then(() => { throw new Error('judged') }));
    for (const uri of ['stun:127.0.0.2:${stun}', 'turn:127.0.0.2:${stun}?transport=udp', 'turn:127.0.0.2:${port}?transport=tcp']) {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: uri, username: 'u', credential: 'p' }] });
      peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    }
    Promise.allSettled(tries).then((all) => setTimeout(() => {
      const out = document.createElement('p');
      out.textContent = 'reached ' + all.filter(({ status }) => status === 'fulfilled').length + ' of ' + all.length;
      document.body.append(out);
    }, 1000));
  </script>`;
  const server = await startHttpServer(t, ({ path }, response) => {
    if (path === '/redirect') response.writeHead(302, { location: `http://127.0.0.2:${port}/redirected` }).end();
    else if (path === '/away') response.writeHead(302, { location: `http://inside.example.com:${port}/` }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(path === '/' ? html(server.port) : 'ok');
  });
  const parts = { policy: aPolicy(['127.0.0.1/32']), resolver: aResolver([dns.endpoint], { clock: systemClock }) };
  const { result, judgment } = await checkPage(`http://127.0.0.1:${server.port}/`, { text: 'reached 0 of 27' }, parts);
  t.match(judgment, { outcome: 'ok' });
  t.ok(result.refused >= 2, `${result.refused} were refused`);
  t.ok(
    server.requests.some(({ path }) => path === '/ok'),
    'a name is reached where it was judged',
  );
  const away = await checkPage(`http://127.0.0.1:${server.port}/away`, {}, parts);
  t.match(away.judgment, { outcome: 'failed', error: { code: 'target_not_allowed' } });
  for (const url of [`http://127.0.0.2:${port}/`, `http://inside.example.com:${port}/`])
    t.match((await checkPage(url, {}, parts)).judgment, { outcome: 'failed', error: { code: 'target_not_allowed' } });
  t.equal(inside.accepted, 0, 'no connection');
  t.equal(datagrams.length, 0, 'no datagram');
  t.equal(rebound, 1, 'a name is asked for once');
  await pages.gone();
});

t.test('the proxy of a page is its own: it cannot be used without its password', async (t) => {
  const target = await startHttpServer(t, (_request, response) => response.end('ok'));
  const proxy = new EgressProxy(aContext());
  const { port } = new URL(await proxy.open());
  t.teardown(() => proxy.close());
  const ask = async (password: string | null, method = 'GET') => {
    const authorization = `Basic ${Buffer.from(`page:${password}`).toString('base64')}`;
    const headers = password === null ? {} : { 'proxy-authorization': authorization };
    const path = method === 'CONNECT' ? `127.0.0.1:${target.port}` : `http://127.0.0.1:${target.port}/`;
    const asked = request({ host: '127.0.0.1', port, method, path, headers });
    asked.end();
    const [response] = await Promise.race([once(asked, 'response'), once(asked, 'connect')]);
    response.resume();
    response.socket.destroy();
    return response.statusCode;
  };
  for (const password of [null, 'guessed']) {
    t.equal(await ask(password), 407);
    t.equal(await ask(password, 'CONNECT'), 407);
  }
  t.equal(target.requests.length, 0);
  t.equal(await ask(proxy.password), 200);
  t.equal(await ask(proxy.password, 'CONNECT'), 200);
});

t.test('a page gets the headers that browsers read, each line for itself', async (t) => {
  const lines = ['Location: /a', 'Location: /b', 'X-Odd: a\x01b', `X-Long: ${'x'.repeat(90_000)}`, 'Connection: close'];
  const server = await startTcpServer(t, (socket) =>
    socket.once('data', () => socket.end(`HTTP/1.1 302 Found\r\n${lines.join('\r\n')}\r\nContent-Length: 2\r\n\r\nok`)),
  );
  const proxy = new EgressProxy(aContext());
  const { port } = new URL(await proxy.open());
  t.teardown(() => proxy.close());
  const authorization = `Basic ${Buffer.from(`page:${proxy.password}`).toString('base64')}`;
  const headers = { 'proxy-authorization': authorization };
  const path = `http://127.0.0.1:${server.port}/`;
  const asked = request({ host: '127.0.0.1', port, path, headers, maxHeaderSize: 200_000 });
  asked.end();
  const [response] = await once(asked, 'response');
  response.resume();
  t.strictSame(response.rawHeaders.slice(0, 6), ['Location', '/a', 'Location', '/b', 'X-Odd', 'a b']);
  t.equal(response.headers['x-long'].length, 90_000);
});

t.test('a response with an invalid status ends its request, and nothing else', async (t) => {
  const statuses = ['000', '099', '999'];
  const proxy = new EgressProxy(aContext());
  const { port } = new URL(await proxy.open());
  t.teardown(() => proxy.close());
  const authorization = `Basic ${Buffer.from(`page:${proxy.password}`).toString('base64')}`;
  const ask = async (path: string) => {
    const asked = request({ host: '127.0.0.1', port, path, headers: { 'proxy-authorization': authorization } });
    asked.end();
    const [response] = await once(asked, 'response');
    response.resume();
    return response.statusCode;
  };
  for (const status of statuses) {
    const odd = await startTcpServer(t, (socket) => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));
    await t.rejects(ask(`http://127.0.0.1:${odd.port}/`), { code: 'ECONNRESET' }, status);
  }
  const target = await startHttpServer(t, (_request, response) => response.end('ok'));
  t.equal(await ask(`http://127.0.0.1:${target.port}/`), 200);
});
