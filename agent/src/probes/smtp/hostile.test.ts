import type { Socket } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { tlsIdentity } from '../../../test/_support/certificates.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aSpec } from '../../../test/_support/probe-context.js';
import { startSmtpServer } from '../../../test/_support/smtp-server.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import { smtp } from './index.js';

const isResult = compileSchema(probeTypes.smtp.Result);

/** A server that does this with each connection, and how the probe must end. */
const servers: readonly (readonly [what: string, code: RegExp, serve: (socket: Socket) => void])[] = [
  ['talks forever in one line', /^smtp_rejected$/, (socket) => socket.write(`220 ${'x'.repeat(100_000)}`)],
  ['talks forever in many lines', /^smtp_rejected$/, (socket) => socket.write('220-more\r\n'.repeat(100_000))],
  ['talks forever in long lines', /^smtp_rejected$/, (socket) => socket.write(`220-${'x'.repeat(900)}\r\n`.repeat(99))],
  ['sends empty lines', /^smtp_rejected$/, (socket) => socket.write('\r\n'.repeat(100))],
  ['sends bytes of no protocol', /^smtp_rejected$/, (socket) => socket.write(Buffer.alloc(70_000, 0x0a))],
  ['speaks HTTP', /^smtp_rejected$/, (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['changes the code within a reply', /^smtp_rejected$/, (socket) => socket.write('220-one\r\n554 two\r\n')],
  ['has a code out of range', /^smtp_rejected$/, (socket) => socket.write('920 hello\r\n')],
  ['glues the text to the code', /^smtp_rejected$/, (socket) => socket.write('220hello\r\n')],
  ['answers before it is asked', /^smtp_rejected$/, (socket) => socket.write('220 hi\r\n250-a\r\n250 STARTTLS\r\n')],
  ['closes without a word', /^smtp_rejected$/, (socket) => socket.end()],
  ['closes in the middle of a reply', /^smtp_rejected$/, (socket) => socket.end('220-mail.exam')],
  ['resets after the greeting', /^(tcp_reset|smtp_rejected)$/, resetWhenAsked],
];

function resetWhenAsked(socket: Socket): void {
  socket.write('220 hi\r\n');
  socket.once('data', () => socket.resetAndDestroy());
}

for (const [what, code, serve] of servers) {
  t.test(`smtp survives a server that ${what}`, async (t) => {
    const server = await startTcpServer(t, serve);
    const before = openSockets();
    const result = await smtp.run(aSpec('smtp', `127.0.0.1:${server.port}`), aContext());
    t.equal(result.success, false);
    t.match(result.error?.code, code);
    t.ok(isResult(result).ok);
    t.ok(JSON.stringify(result).length < 40_000);
    await until('no socket is left', () => openSockets() <= before);
  });
}

t.test('smtp takes no plaintext behind the go-ahead for TLS as part of the protected session', async (t) => {
  const injecting = await startSmtpServer(t, {
    tls: tlsIdentity('good'),
    replies: { STARTTLS: '220 go ahead\r\n250-mail.example.com\r\n250 AUTH PLAIN\r\n' },
  });
  const result = await smtp.run(aSpec('smtp', `127.0.0.1:${injecting.port}`), aContext());
  t.match(result, {
    success: false,
    error: { code: 'tls_handshake', message: /more unencrypted data/ },
    starttls: { offered: true, asked: true, done: false },
    tls: null,
  });
  t.notOk(result.ehlo.includes('AUTH PLAIN'));
  t.strictSame(injecting.commands, ['EHLO vantage.example', 'STARTTLS'], 'nothing more is said');
});

t.test('smtp fails the handshake where the plaintext comes a moment later', async (t) => {
  const server = await startTcpServer(t, (socket) => {
    socket.write('220 hi\r\n');
    socket.on('data', (chunk) => {
      const line = chunk.toString('latin1');
      if (line.startsWith('EHLO')) socket.write('250-hi\r\n250 STARTTLS\r\n');
      else if (line.startsWith('STARTTLS')) socket.write('220 go\r\n', () => socket.write('250 AUTH PLAIN\r\n'));
    });
  });
  const result = await smtp.run(aSpec('smtp', `127.0.0.1:${server.port}`), aContext());
  t.match(result, { success: false, error: { code: 'tls_handshake' }, starttls: { done: false }, tls: null });
});

t.test('smtp reads a reply that comes byte by byte, and gives up at its deadline', async (t) => {
  const greeting = '220-mail.example.com\r\n220 ESMTP\r\n';
  const slow = await startTcpServer(t, (socket) => {
    const bytes = [...greeting];
    const next = () => {
      const byte = bytes.shift();
      if (byte !== undefined) socket.write(byte, () => setImmediate(next));
    };
    socket.setNoDelay(true);
    next();
  });
  const clock = new FakeClock();
  const running = smtp.run(aSpec('smtp', `127.0.0.1:${slow.port}`), aContext({ clock }));
  await until('the greeting is answered', () => slow.received.length > 0);
  clock.advance(10_000);
  t.match(await running, { success: false, error: { code: 'timeout' }, banner: 'mail.example.com\nESMTP' });
});

t.test('smtp shows control characters of a server as escapes', async (t) => {
  const server = await startSmtpServer(t, { greeting: '220 \x1b[2J\x00\rü\r\n' });
  const result = await smtp.run(aSpec('smtp', `127.0.0.1:${server.port}`), aContext());
  t.match(result, { success: true, banner: '\\x1b[2J\\x00\\r\\xc3\\xbc' });
});
