import { connect } from 'node:net';
import { missing } from '@vantage/shared/_support/missing.js';
import { rounds } from '@vantage/shared/_support/rounds.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { lastingPorts, startBalancer } from './_support/balancer.js';
import { thingRoutes } from './_support/http-routes.js';
import { type LogLine, startTestServer } from './_support/http-server.js';

// Messages that one program may take for one request and the next for two. Whatever the outcome, no caller gets a
// response to another request, and no request runs that no program on the way has seen as one.

const HIDDEN = 'GET /v1/things/t_hidden HTTP/1.1\r\nHost: a\r\nX-Request-Id: smuggled-request\r\n\r\n';
const post = (head: string, body: string) =>
  `POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${head}\r\n\r\n${body}`;
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** Description and bytes of a message. */
const messages: readonly (readonly [string, string])[] = [
  [
    'a length and chunks',
    post(`Content-Length: ${5 + HIDDEN.length}\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${HIDDEN}`),
  ],
  ['chunks and a length', post(`Transfer-Encoding: chunked\r\nContent-Length: 4`, chunked(HIDDEN))],
  ['two lengths', post(`Content-Length: 0\r\nContent-Length: ${HIDDEN.length}`, HIDDEN)],
  ['two lengths in one', post(`Content-Length: 0, ${HIDDEN.length}`, HIDDEN)],
  ['the same length twice', post(`Content-Length: ${HIDDEN.length}\r\nContent-Length: ${HIDDEN.length}`, HIDDEN)],
  ['a length with a sign', post(`Content-Length: +${HIDDEN.length}`, HIDDEN)],
  ['a negative length', post('Content-Length: -1', HIDDEN)],
  ['a hexadecimal length', post('Content-Length: 0x10', HIDDEN)],
  ['a length with a blank', post('Content-Length: 1 0', HIDDEN)],
  ['an endless length', post(`Content-Length: ${'9'.repeat(30)}`, HIDDEN)],
  ['a length of 2^64', post('Content-Length: 18446744073709551616', HIDDEN)],
  ['an empty length', post('Content-Length: ', HIDDEN)],
  ['a name before a colon with a blank', post(`Transfer-Encoding : chunked\r\nContent-Length: 0`, chunked(HIDDEN))],
  ['a name after a blank', post(`Content-Length: 0\r\n Transfer-Encoding: chunked`, chunked(HIDDEN))],
  ['a folded line', post(`X-A: b\r\n\tTransfer-Encoding: chunked\r\nContent-Length: 0`, chunked(HIDDEN))],
  ['another coding', post(`Transfer-Encoding: xchunked\r\nContent-Length: 0`, chunked(HIDDEN))],
  ['chunked, then identity', post('Transfer-Encoding: chunked, identity', chunked(HIDDEN))],
  ['identity, then chunked', post('Transfer-Encoding: identity, chunked', chunked(HIDDEN))],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', chunked(HIDDEN))],
  ['two codings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: x', chunked(HIDDEN))],
  ['a vertical tab', post('Transfer-Encoding:\u000bchunked\r\nContent-Length: 0', chunked(HIDDEN))],
  ['a quoted coding', post('Transfer-Encoding: "chunked"\r\nContent-Length: 0', chunked(HIDDEN))],
  ['another case', post('TRANSFER-ENCODING: ChUnKeD\r\nContent-Length: 0', chunked(HIDDEN))],
  ['a NUL', post('Transfer-Encoding: chunked\u0000\r\nContent-Length: 0', chunked(HIDDEN))],
  ['lines that end with LF', post(`X-A: b\nContent-Length: 0\nX-B: c`, HIDDEN)],
  ['lines that end with CR', post(`X-A: b\rContent-Length: 0`, HIDDEN)],
  ['a chunk of too many digits', post('Transfer-Encoding: chunked', `${'0'.repeat(40)}5\r\nhello\r\n0\r\n\r\n`)],
  ['a chunk that overflows', post('Transfer-Encoding: chunked', `FFFFFFFFFFFFFFFF0\r\nhello\r\n0\r\n\r\n${HIDDEN}`)],
  ['a negative chunk', post('Transfer-Encoding: chunked', `-1\r\nhello\r\n0\r\n\r\n${HIDDEN}`)],
  [
    'a chunk with an endless extension',
    post('Transfer-Encoding: chunked', `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`),
  ],
  ['a chunk with LF in its extension', post('Transfer-Encoding: chunked', `5;\nxx\r\nhello\r\n0\r\n\r\n${HIDDEN}`)],
  ['a chunk that ends with LF', post('Transfer-Encoding: chunked', `5\nhello\n0\n\n${HIDDEN}`)],
  ['a chunk longer than announced', post('Transfer-Encoding: chunked', `2\r\nhello\r\n0\r\n\r\n${HIDDEN}`)],
  ['a trailer that is a length', post('Transfer-Encoding: chunked', `0\r\nContent-Length: 50\r\n\r\n`)],
  ['HTTP/1.0 with chunks', post('Transfer-Encoding: chunked', chunked(HIDDEN)).replace('HTTP/1.1', 'HTTP/1.0')],
  ['HTTP/2.0', post('Content-Length: 0', '').replace('HTTP/1.1', 'HTTP/2.0')],
  ['a GET with a body', `GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`],
  [
    'an upgrade with a body',
    `GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  ],
  [
    'h2c with a body',
    `GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  ],
  ['a body after 100-continue', post(`Expect: 100-continue\r\nContent-Length: ${HIDDEN.length}`, HIDDEN)],
  ['a whole URL of another host', `GET http://b/v1/things/t_a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`],
  ['a blank in the target', `GET /v1/things/t_a HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['no target', `GET HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['CONNECT', `CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n${HIDDEN}`],
  ['a folded Host', `GET /v1/things/t_a HTTP/1.1\r\nHost: a\r\n b\r\n\r\n`],
  ['CR LF before a request', `\r\n\r\nGET /v1/things/t_a HTTP/1.1\r\nHost: a\r\n\r\n`],
];

/**
 * Sends bytes and waits for the first response, the end, or so many milliseconds; default: one second. `received` is
 * everything received so far.
 */
async function send(
  t: Test,
  port: number,
  bytes: string,
  mostMs = 1_000,
): Promise<{ readonly received: () => string }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  t.teardown(() => socket.destroy());
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.write(bytes, 'latin1');
  const isAnswered = () => /HTTP\/1\.1 (?!100)/.test(received) || socket.destroyed;
  await until('a response', isAnswered, mostMs).catch(() => {});
  return { received: () => received };
}

const statusesIn = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (?!100)(\d{3})/g)].map(([, status]) => Number(status));

/** Ordinary requests, over connections that proxies keep open. Each gets its own response. */
async function honest(t: Test, port: number, name: string): Promise<void> {
  const turns = Array.from({ length: 6 }, async (_, index) => {
    const id = `honest-${index}-request`;
    const response = await fetch(`http://127.0.0.1:${port}/v1/things/t_ok?page=${index + 1}`, {
      headers: { 'x-request-id': id },
    });
    const { data, meta } = (await response.json()) as {
      data: { name: string; count: number };
      meta: { request_id: string };
    };
    return data.name === 't_ok' && data.count === index + 1 && meta.request_id === id;
  });
  t.same(
    (await Promise.all(turns)).filter((isRight) => !isRight),
    [],
    `after ${name}`,
  );
}

const ran = (log: readonly LogLine[]) => log.filter(({ request_id: id }) => id === 'smuggled-request').length;

t.test(
  'no message is one request to a proxy and two to the control plane',
  { skip: missing('nginx', 'haproxy') },
  async (t) => {
    const { port: at, log } = await startTestServer(t, thingRoutes());
    const [nginx = 0, haproxy = 0] = await lastingPorts(2);
    const upstreams = [at, at, at];
    // there is no database here, so /readyz does not exist
    const check = (example: string) =>
      example.replace('option httpchk GET /readyz\n', '').replace('http-check expect status 200\n', '');
    await startBalancer(t, 'nginx', upstreams, nginx);
    await startBalancer(t, 'haproxy', upstreams, haproxy, check);
    await until(
      'haproxy to know its replicas',
      async () => (await fetch(`http://127.0.0.1:${haproxy}/v1/things/t_a`)).status === 200,
    );
    // in the daily suite each fifth from a random one on
    const every = Math.ceil(messages.length / rounds(messages.length));
    const from = Math.floor(Math.random() * every);
    const some = messages.filter((_, index) => index % every === from);
    for (const [place, port] of [
      ['nginx', nginx],
      ['haproxy', haproxy],
    ] as const) {
      let asked = 0;
      for (const [name, bytes] of some) {
        const before = ran(log);
        const { received } = await send(t, port, bytes);
        asked += 1;
        await honest(t, port, `${place}: ${name}`);
        // each request that the control plane has run is one that the proxy has answered
        const more = () => ran(log) - before - Math.max(0, statusesIn(received()).length - 1);
        await until('the responses to arrive', () => more() <= 0).catch(() => {});
        t.ok(more() <= 0, `${place}: ${name}`);
      }
      t.comment(`${asked} messages by ${place}`);
    }
  },
);

t.test('an ambiguous message is refused, and its connection closed', async (t) => {
  const { port, log } = await startTestServer(t, thingRoutes());
  const results = await Promise.all(
    messages.map(async ([name, bytes]) => {
      const { received } = await send(t, port, bytes, 30_000);
      return { name, statuses: statusesIn(received()) };
    }),
  );
  await honest(t, port, 'all of them');
  t.same(
    results.filter(({ statuses }) => statuses.length !== 1).map(({ name, statuses }) => `${name}: ${statuses}`),
    [],
  );
  const taken = results.filter(({ statuses }) => statuses[0] === 200).map(({ name }) => name);
  t.same(taken, [
    'a GET with a body',
    'an upgrade with a body',
    'h2c with a body',
    'a whole URL of another host',
    'CR LF before a request',
  ]);
  t.equal(ran(log), 0);
  t.strictSame(
    log.filter(({ level }) => level === 'error'),
    [],
  );
});
