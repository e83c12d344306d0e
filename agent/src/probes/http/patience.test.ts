import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import t from 'tap';
import {
  END_STREAM,
  h2Data,
  h2Head,
  literalHeader,
  STATUS_200,
  serverPreface,
} from '../../../test/_support/h2-frames.js';
import { aContext, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import { KnownNames } from '../../net/known-names.js';
import { Hop } from './hop.js';
import { http } from './index.js';
import type { HttpRequest } from './request.js';
import { TlsSettings } from './tls-settings.js';
import { visit } from './visit.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const interim103 = h2Head(literalHeader(':status', '103'));

/** A response in two parts, and how to see that the first one was read. */
interface Case {
  readonly what: string;
  readonly httpVersion: '1.1' | '2';
  readonly first: readonly (string | Buffer)[];
  readonly isRead: (hop: Hop) => boolean;
  readonly rest: readonly (string | Buffer)[];
}

const hasBegun = ({ firstByteAt }: Hop) => firstByteAt !== null;
const hasHead = ({ statusCode }: Hop) => statusCode !== null;
const hasByte = ({ body }: Hop) => body.length === 1;

const cases: readonly Case[] = [
  {
    what: 'a hint, and the response long after it',
    httpVersion: '1.1',
    first: ['HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'],
    isRead: hasBegun,
    rest: [OK, 'Content-Length: 2\r\n\r\nok'],
  },
  {
    what: 'the headers at once, the body long after them',
    httpVersion: '1.1',
    first: [OK, 'Content-Length: 2\r\n\r\n'],
    isRead: hasHead,
    rest: ['ok'],
  },
  {
    what: 'a byte now and then',
    httpVersion: '1.1',
    first: [OK, 'Transfer-Encoding: chunked\r\n\r\n1\r\no\r\n'],
    isRead: hasByte,
    rest: ['1\r\nk\r\n0\r\n\r\n'],
  },
  {
    what: 'half a status line',
    httpVersion: '1.1',
    first: ['HTT'],
    isRead: hasBegun,
    rest: [OK.slice(3), 'Content-Length: 2\r\n\r\nok'],
  },
  {
    what: 'a hint, over HTTP/2',
    httpVersion: '2',
    first: [serverPreface, interim103],
    isRead: hasBegun,
    rest: [h2Head(STATUS_200), h2Data('ok', END_STREAM)],
  },
  {
    what: 'the headers, over HTTP/2',
    httpVersion: '2',
    first: [serverPreface, h2Head(STATUS_200)],
    isRead: hasHead,
    rest: [h2Data('ok', END_STREAM)],
  },
  {
    what: 'a byte, over HTTP/2',
    httpVersion: '2',
    first: [serverPreface, h2Head(STATUS_200), h2Data('o')],
    isRead: hasByte,
    rest: [h2Data('k', END_STREAM)],
  },
];

const bytesOf = (parts: Case['first']) => Buffer.concat(parts.map((part) => Buffer.from(part)));

t.test('http waits for a response as long as its caller does, however little of it arrives', async (t) => {
  for (const { what, httpVersion, first, isRead, rest } of cases) {
    let finish = () => {};
    const server = await startTcpServer(t, (socket) => {
      socket.once('data', () => socket.write(bytesOf(first)));
      finish = () => socket.write(bytesOf(rest));
    });
    const clock = new FakeClock();
    const { signal, userAgent, policy, resolver } = aContext({ clock });
    const target = parseHttpUrl(`http://127.0.0.1:${server.port}/`);
    const request: HttpRequest = {
      ...target,
      method: 'GET',
      headers: {},
      body: null,
      acceptEncoding: 'gzip',
      cookies: '',
    };
    const hop = new Hop(target.url.href);
    const visiting = visit(request, hop, {
      clock,
      signal,
      userAgent,
      names: new KnownNames(resolver, { ipVersion: 'auto', policy, signal }),
      httpVersion,
      secureContext: new TlsSettings().contextFor(undefined),
      verifiesTls: true,
      wantsBody: () => true,
    });
    await Promise.race([visiting, until(`${what}: the first part is read`, () => isRead(hop))]);
    clock.advance(29_000);
    finish();
    await visiting;
    t.match(hop, { statusCode: 200 }, what);
    t.equal(hop.body.whole().toString(), 'ok', what);
    t.equal(clock.pendingTimers, 0, `${what}: no timer is left`);
  }
});

t.test('http waits for a response after many interim ones, and ends after too many', async (t) => {
  const interim = 'HTTP/1.1 102 Processing\r\n\r\n';
  const run = async (count: number) => {
    const server = await startTcpServer(t, (socket) =>
      socket.once('data', () => socket.end(`${interim.repeat(count)}${OK}Content-Length: 2\r\n\r\nok`)),
    );
    return http.run(aSpec('http', `http://127.0.0.1:${server.port}/`), aContext());
  };
  t.match(await run(300), { success: true, status_code: 200 });
  t.match(await run(301), { success: false, error: { code: 'http_protocol', message: /more than 300 interim/ } });
});
