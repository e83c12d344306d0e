import type { Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';
import type { Test } from 'tap';
import { startTcpServer, type TestServer } from './tcp-server.js';

/** Replies of a test's mail server; those left out are a well-behaved server's. */
export interface SmtpScript {
  readonly greeting?: string;
  /** Answers by the first word of the command; null is silence. */
  readonly replies?: Readonly<Record<string, string | null>>;
  /** TLS options, with which STARTTLS is offered and done. */
  readonly tls?: TlsOptions;
  /** Called before the greeting and each reply, with the command's first word; by then the client waits for it. */
  readonly before?: (what: string) => void;
  /** TLS from the first byte. */
  readonly isImplicitTls?: boolean;
}

/** A mail server of a test, closed with it. */
export interface TestSmtpServer extends Pick<TestServer, 'port' | 'accepted' | 'open'> {
  /** Command lines in order, over TLS or not. */
  readonly commands: readonly string[];
  /** Names of the server that clients asked for by SNI; null for none. */
  readonly serverNames: readonly (string | null)[];
}

const EHLO = ['mail.example.com', 'PIPELINING', 'SIZE 10240000', '8BITMIME'];

/** A multi-line reply on the wire. */
export function smtpReply(code: number, lines: readonly string[]): string {
  return lines.map((line, i) => `${code}${i + 1 < lines.length ? '-' : ' '}${line}\r\n`).join('');
}

/** Starts a mail server that follows the script. */
export async function startSmtpServer(
  t: Test,
  script: SmtpScript = {},
  address = '127.0.0.1',
): Promise<TestSmtpServer> {
  const commands: string[] = [];
  const serverNames: (string | null)[] = [];
  const upgrade = (socket: Socket) => {
    const secure = new TLSSocket(socket, { ...script.tls, isServer: true });
    secure.on('error', () => {});
    secure.once('secure', () => serverNames.push(secure.servername || null));
    return secure;
  };
  const converse = (socket: Socket, isSecure: boolean) => {
    onLines(socket, (line) => {
      commands.push(line);
      const verb = line.split(' ', 1)[0]?.toUpperCase() ?? '';
      const own = script.replies?.[isSecure ? `${verb} over TLS` : verb] ?? script.replies?.[verb];
      if (own === null) return true;
      script.before?.(isSecure ? `${verb} over TLS` : verb);
      socket.write(own ?? answer(verb, !isSecure && script.tls !== undefined));
      if (verb === 'QUIT') socket.end();
      if (verb !== 'STARTTLS' || (own !== undefined && !own.startsWith('220'))) return true;
      converse(upgrade(socket), true);
      return false;
    });
  };
  const server = await startTcpServer(
    t,
    (plain) => {
      const socket = script.isImplicitTls ? upgrade(plain) : plain;
      converse(socket, script.isImplicitTls ?? false);
      // by the next turn the client knows that it is connected
      setImmediate(() => {
        script.before?.('greeting');
        socket.write(script.greeting ?? '220 mail.example.com ESMTP ready\r\n');
      });
    },
    address,
  );
  return {
    commands,
    serverNames,
    port: server.port,
    get accepted() {
      return server.accepted;
    },
    get open() {
      return server.open;
    },
  };
}

function answer(verb: string, offersTls: boolean): string {
  switch (verb) {
    case 'EHLO':
      return smtpReply(250, offersTls ? [...EHLO, 'STARTTLS'] : EHLO);
    case 'HELO':
      return '250 mail.example.com\r\n';
    case 'STARTTLS':
      return offersTls ? '220 2.0.0 Ready to start TLS\r\n' : '502 5.5.1 not here\r\n';
    case 'QUIT':
      return '221 2.0.0 Bye\r\n';
    default:
      return '502 5.5.2 command not recognized\r\n';
  }
}

/** Calls back with each line until the callback returns that it has taken the socket. */
function onLines(socket: Socket, take: (line: string) => boolean): void {
  let rest = '';
  const onData = (chunk: Buffer) => {
    rest += chunk.toString('latin1');
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      if (!take(line)) {
        socket.off('data', onData);
        return;
      }
    }
  };
  socket.on('data', onData);
}
