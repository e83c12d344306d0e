// alone: starts itself again with another environment, and measures its memory
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { TlsOptions } from 'node:tls';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { type Clock, systemClock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import { Agent } from 'undici';
import { requestEnrollment } from '../src/identity/enrollment-request.js';
import { dialLink } from '../src/link/dial.js';
import { LinkAddresses } from '../src/link/link-addresses.js';
import type { LinkWay } from '../src/link/link-way.js';
import { startTlsServer, testAuthorityFile, tlsIdentity } from './_support/certificates.js';
import { startTcpServer } from './_support/tcp-server.js';

// Who answers where a control plane should: without the right certificate it hears nothing of the agent, and with one, or
// none, it fills no memory.

const NAME = 'site.example.com';

// Node reads the variable once, when it begins
if (process.env['NODE_EXTRA_CA_CERTS'] !== testAuthorityFile) {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: testAuthorityFile };
  const again = [...process.execArgv, ...process.argv.slice(1)];
  process.exit(spawnSync(process.execPath, again, { env, stdio: 'inherit' }).status ?? 1);
}
const { default: t } = await import('tap');

async function aWay(t: Test, clock: Clock = systemClock): Promise<LinkWay> {
  const lookUp = async () => ['127.0.0.1'];
  const addresses = await LinkAddresses.open({ stateDir: t.testdir(), clock, lookUp, onFallback: () => {} });
  t.teardown(() => addresses.settled());
  return { bindAddress: null, proxyUrl: null, addresses, clock };
}

/** Dials until it is over. @returns what the agent says of it, and whether a link was open meanwhile */
async function dial(
  way: LinkWay,
  url: string,
): Promise<{ readonly error: string; readonly wasOpen: boolean; readonly code: number }> {
  const socket = dialLink(url, way);
  let error = '';
  let wasOpen = false;
  socket.on('open', () => {
    wasOpen = true;
  });
  socket.on('error', (cause: Error) => {
    error ||= cause.message;
  });
  const code = await new Promise<number>((resolve) => socket.once('close', resolve));
  return { error, wasOpen, code };
}

const old = (version: 'TLSv1' | 'TLSv1.1'): TlsOptions => ({
  ...tlsIdentity('good'),
  minVersion: version,
  maxVersion: version,
  ciphers: 'ALL:@SECLEVEL=0',
});
const impostors: Readonly<Record<string, TlsOptions>> = {
  'whose certificate has expired': tlsIdentity('expired'),
  'whose certificate is not valid yet': tlsIdentity('future'),
  'with a certificate of another name': tlsIdentity('wrong-name'),
  'with a certificate of its own making': tlsIdentity('self-signed'),
  'that speaks TLS 1.0': old('TLSv1'),
  'that speaks TLS 1.1': old('TLSv1.1'),
  'that shows no certificate': { ciphers: 'ADH:AECDH:@SECLEVEL=0', maxVersion: 'TLSv1.2', dhparam: 'auto' },
  'that speaks HTTP/2 alone': { ...tlsIdentity('good'), ALPNProtocols: ['h2'] },
};

t.test('a server without the right certificate receives nothing from the agent', async (t) => {
  const way = await aWay(t);
  for (const [name, options] of Object.entries(impostors)) {
    const heard: Buffer[] = [];
    const serve = (socket: Duplex) => void socket.on('data', (bytes: Buffer) => heard.push(bytes));
    const { port } = await startTlsServer(t, options, serve);
    const { error, wasOpen } = await dial(way, `https://${NAME}:${port}`);
    t.notOk(wasOpen, `a server ${name}`);
    t.not(error, '', `a server ${name}: ${error}`);
    t.equal(Buffer.concat(heard).length, 0);
  }
  const plain = await startTcpServer(t, (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  t.notOk((await dial(way, `https://${NAME}:${plain.port}`)).wasOpen, 'without TLS');
});

const ZEROS = Buffer.alloc(64 * 1024 * 1024);
const BOMB = gzipSync(ZEROS, { level: 9 });

/** The answer that makes a WebSocket of a request, and further lines of its head. */
function accepted(request: string, ...lines: readonly string[]): string {
  const key = /sec-websocket-key: (\S+)/i.exec(request)?.[1] ?? '';
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const head = [
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    'Sec-WebSocket-Protocol: vantage.v1',
  ];
  return `HTTP/1.1 101 Switching Protocols\r\n${[...head, ...lines].join('\r\n')}\r\n\r\n`;
}

function frame(first: number, payload: Buffer, length = BigInt(payload.length)): Buffer {
  const size =
    length < 126n
      ? Buffer.from([Number(length)])
      : Buffer.concat([Buffer.from([127]), Buffer.from(length.toString(16).padStart(16, '0'), 'hex')]);
  return Buffer.concat([Buffer.from([first]), size, payload]);
}

const deflated = deflateRawSync(ZEROS, { level: 9 });
/** Replies to the request for a link: the first part once, then the second repeatedly while it is read. */
const answers: Readonly<Record<string, (request: string) => readonly [string | Buffer, (string | Buffer)?]>> = {
  'an extension nobody asked for': (request) => [accepted(request, 'Sec-WebSocket-Extensions: permessage-deflate')],
  'a compressed frame': (request) => [accepted(request), frame(0xc2, deflated)],
  'two gibibytes announced': (request) => [accepted(request), frame(0x82, Buffer.alloc(10), 2n ** 31n)],
  'a length with the highest bit': (request) => [accepted(request), frame(0x82, Buffer.alloc(10), 2n ** 64n - 1n)],
  'more than a mebibyte': (request) => [accepted(request), frame(0x82, Buffer.alloc(2 ** 20 + 1))],
  'fragments without end': (request) => [`${accepted(request)}\u0002\u0001x`, frame(0x00, Buffer.from('x'))],
  'a masked frame': (request) => [accepted(request), Buffer.from([0x82, 0x81, 0, 0, 0, 0, 0])],
  'reserved bits': (request) => [accepted(request), frame(0xb2, Buffer.from('x'))],
  'another protocol': (request) => [accepted(request).replace('vantage.v1', 'vantage.v2')],
  'no proof that it has read the key': (request) => [accepted(request).replace(/Accept: ./, 'Accept: !')],
  'a compressed page': () => [
    `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`,
    BOMB,
  ],
  'a page without end': () => [
    'HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n',
    `10000\r\n${'x'.repeat(65_536)}\r\n`,
  ],
  'headers without end': () => ['HTTP/1.1 101 Switching Protocols\r\n', `X-A: ${'x'.repeat(1_000)}\r\n`],
  'a header without end': () => ['HTTP/1.1 200 OK\r\nX-A: ', 'x'.repeat(65_536)],
  'early hints without end': () => ['', `HTTP/1.1 103 Early Hints\r\nLink: <${'x'.repeat(500)}>\r\n\r\n`.repeat(100)],
  'continues without end': () => ['', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)],
  'a redirect': () => ['HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'],
};

function answering(answer: (request: string) => readonly [string | Buffer, (string | Buffer)?]) {
  return (socket: Duplex) => {
    let request = '';
    const begin = (bytes: Buffer) => {
      request += bytes.toString('latin1');
      if (!request.includes('\r\n\r\n')) return;
      socket.off('data', begin).resume();
      const [first, again] = answer(request);
      socket.write(first);
      const pump = () => {
        if (again === undefined || socket.destroyed) return;
        if (socket.write(again)) setImmediate(pump);
        else socket.once('drain', pump);
      };
      pump();
    };
    socket.on('data', begin).on('error', () => {});
  };
}

/** The outcome of `work`, for which the clock goes on once nothing has come of it for a second. */
async function inTime<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  const isOver = work.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([isOver, pause(1_000, false)]))) clock.advance(10_000);
  return work;
}

t.test('no response to a dial fills the memory, and the dial ends', async (t) => {
  const clock = new FakeClock();
  const way = await aWay(t, clock);
  let most = 0;
  for (const [name, answer] of Object.entries(answers)) {
    const { port } = await startTcpServer(t, answering(answer));
    const before = process.memoryUsage.rss();
    const { error, code } = await inTime(clock, dial(way, `http://127.0.0.1:${port}`));
    const grown = process.memoryUsage.rss() - before;
    most = Math.max(most, grown);
    t.ok(grown < 150 * 1024 * 1024, `${name}: ${code} ${error}`);
  }
  t.comment(`${Object.keys(answers).length} answers, ${most >> 20} MiB at most, both ends`);
});

t.test('a hostile response to an enrollment fills no memory, and enrolls no node', async (t) => {
  const dispatcher = new Agent();
  t.teardown(() => dispatcher.destroy());
  const clock = new FakeClock();
  const body = {
    token: 'x',
    public_key: 'x',
    proof: 'x',
    hostname: 'x',
    version: '1',
    os: 'x',
    arch: 'x',
    capabilities: [],
  };
  for (const [name, answer] of Object.entries(answers)) {
    const { port } = await startTcpServer(t, answering(answer));
    const before = process.memoryUsage.rss();
    const asked = requestEnrollment(`http://127.0.0.1:${port}`, body, { dispatcher, clock });
    await t.rejects(inTime(clock, asked), { name: /^Enrollment/ }, name);
    t.ok(process.memoryUsage.rss() - before < 150 * 1024 * 1024, name);
  }
});
