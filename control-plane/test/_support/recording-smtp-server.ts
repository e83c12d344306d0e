import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** A mail server that records what its client sent, byte by byte, and does not hide the client's mistakes. */
export interface RecordingSmtpServer {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** Lines the client sent as commands, without their CRLF, of all connections in order. */
  readonly commands: readonly string[];
  /** Bytes between `354` and the end of the message, dots still doubled, a buffer for each message. */
  readonly messages: readonly Buffer[];
}

interface RecordingOptions {
  /** Extensions in the response to EHLO. */
  readonly extensions?: readonly string[];
  /** Response to STARTTLS, in one packet; the handshake that follows a 220 fails. */
  readonly toStartTls?: string;
}

const END_OF_MESSAGE = Buffer.from('\r\n.\r\n');

/** Starts it on a free port of loopback; closed when `t` ends. RFC 5321, as far as a client needs it. */
export async function recordSmtp(t: Test, options: RecordingOptions = {}): Promise<RecordingSmtpServer> {
  const { extensions = [], toStartTls = '502 no' } = options;
  const commands: string[] = [];
  const messages: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    let isMessage = false;
    let isHandshake = false;
    const say = (text: string) => socket.write(`${text}\r\n`);
    const answer = (command: string) => {
      const verb = command.split(' ', 1)[0]?.toUpperCase();
      if (verb === 'EHLO') {
        const lines = ['test', ...extensions];
        return say(lines.map((line, index) => `250${index === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n'));
      }
      if (verb === 'STARTTLS') {
        isHandshake = toStartTls.startsWith('220');
        return say(toStartTls);
      }
      if (verb === 'DATA') {
        isMessage = true;
        return say('354 go on');
      }
      if (verb === 'QUIT') return socket.end('221 bye\r\n');
      return say('250 fine');
    };
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      // it has no certificate: the handshake ends here
      if (isHandshake) return void socket.destroy();
      received = Buffer.concat([received, chunk]);
      for (;;) {
        const end = received.indexOf(isMessage ? END_OF_MESSAGE : '\r\n');
        if (end < 0) return;
        const part = received.subarray(0, end);
        received = received.subarray(end + (isMessage ? END_OF_MESSAGE.length : 2));
        if (isMessage) {
          isMessage = false;
          messages.push(Buffer.from(part));
          say('250 taken');
        } else {
          commands.push(part.toString());
          answer(part.toString());
        }
      }
    });
    say('220 test');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, commands, messages };
}
