import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Test } from 'tap';

/** PEM of the certificate of `localhost` and 127.0.0.1, which signs itself. */
export const localhostCertificate = readTestData('localhost.crt.pem');

/** A mail as a server accepted it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: Buffer;
  readonly isEncrypted: boolean;
  /** User that had signed in. */
  readonly user: string | null;
}

/**
 * Reply of a server to a recipient or to a message: `450 4.2.1 later`; null if it accepts. A
 * promise delays the reply.
 */
export type Reply = string | null | Promise<string | null>;

export interface TestSmtpServer {
  /** `127.0.0.1:port`, as in the certificate: a minimal Debian has no /etc/hosts that knows `localhost`. */
  readonly host: string;
  readonly port: number;
  /** Mails in order of arrival. */
  readonly mails: readonly ReceivedMail[];
  /** Passwords that clients tried. */
  readonly passwords: readonly string[];
  /** Replies of the server, which accepts everything by default; may be changed at any time. */
  toRecipient: (address: string) => Reply;
  toMessage: (source: Buffer) => Reply;
  toSender: (address: string) => Reply;
}

interface SmtpServerOptions {
  /** `none` (default), after STARTTLS, or from the start. */
  readonly encryption?: 'none' | 'starttls' | 'tls';
  /** Password it requires; default: none. */
  readonly password?: string;
  /** Address it listens on; default: 127.0.0.1. */
  readonly address?: string;
}

/** A real mail server on a free port; closed when `t` ends. */
export async function startSmtpServer(t: Test, options: SmtpServerOptions = {}): Promise<TestSmtpServer> {
  const { encryption = 'none', password, address: listening = '127.0.0.1' } = options;
  const mails: ReceivedMail[] = [];
  const passwords: string[] = [];
  const server = new SMTPServer({
    ...serverOptions(encryption, password !== undefined),
    onAuth(auth, _session, done) {
      passwords.push(auth.password ?? '');
      if (auth.password === password) done(null, { user: auth.username });
      else done(refusal('535 5.7.8 no'));
    },
    onMailFrom: (address, _session, done) => void answer(test.toSender(address.address), done),
    onRcptTo: (address, _session, done) => void answer(test.toRecipient(address.address), done),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const source = Buffer.concat(chunks);
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source,
          isEncrypted: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
        };
        void answer(test.toMessage(source), (error) => {
          if (!error) mails.push(mail);
          done(error);
        });
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, listening, resolve));
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const test: TestSmtpServer = {
    host: `127.0.0.1:${port}`,
    port,
    mails,
    passwords,
    toRecipient: () => null,
    toMessage: () => null,
    toSender: () => null,
  };
  return test;
}

/** Parts of a mail as a mail program shows them. */
export function readMail({ source }: { readonly source: Buffer }): Promise<Email> {
  return PostalMime.parse(source);
}

/** Value of a header, as a mail program decodes it. */
export function headerOf(mail: Email, name: string): string | undefined {
  return mail.headers.find(({ key }) => key === name)?.value;
}

function serverOptions(encryption: 'none' | 'starttls' | 'tls', asksPassword: boolean): SMTPServerOptions {
  return {
    secure: encryption === 'tls',
    key: readTestData('localhost.key.pem'),
    cert: localhostCertificate,
    disabledCommands: [...(encryption === 'starttls' ? [] : ['STARTTLS']), ...(asksPassword ? [] : ['AUTH'])],
    authOptional: !asksPassword,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
  };
}

async function answer(reply: Reply, done: (error?: Error | null) => void): Promise<void> {
  const text = await reply;
  done(text === null ? null : refusal(text));
}

function refusal(text: string): Error {
  return Object.assign(new Error(text.slice(4)), { responseCode: Number(text.slice(0, 3)) });
}

function readTestData(name: string): string {
  return readFileSync(new URL(`../../../test/testdata/${name}`, import.meta.url), 'utf8');
}
