import t from 'tap';
import { PermanentFailure } from '../src/jobs/job.js';
import type { Message } from '../src/mail/message.js';
import { SmtpTransport } from '../src/mail/smtp-transport.js';
import { parseSmtpUrl } from '../src/setting-values.js';
import { localhostCertificate, startSmtpServer } from './_support/smtp-server.js';

const message: Message = {
  from: 'vantage@vantage.example',
  to: 'ada@mail.example',
  text: 'hello',
  source: Buffer.from('Subject: hello\r\n\r\nhello\r\n'),
  template: 'verify-email',
  queuedAtMs: 0,
  messageId: '<1@vantage.example>',
};

interface Case {
  readonly name: string;
  readonly server: Parameters<typeof startSmtpServer>[1];
  readonly url: (host: string) => string;
  /** What is sent, or what the failure says. */
  readonly expected: { readonly isEncrypted: boolean; readonly user: string | null } | RegExp;
  readonly isTrusted?: false;
}

const plain = { encryption: 'none' } as const;
const startTls = { encryption: 'starttls' } as const;
const password = 'p@ss word';
const login = `ada:${encodeURIComponent(password)}`;

const cases: readonly Case[] = [
  {
    name: 'STARTTLS is used where it is offered',
    server: startTls,
    url: (host) => `smtp://${host}`,
    expected: { isEncrypted: true, user: null },
  },
  {
    name: 'a server without STARTTLS gets mail in the clear',
    server: plain,
    url: (host) => `smtp://${host}`,
    expected: { isEncrypted: false, user: null },
  },
  {
    name: 'tls=required does not',
    server: plain,
    url: (host) => `smtp://${host}?tls=required`,
    expected: /could not be used|refused STARTTLS/,
  },
  {
    name: 'a password goes through STARTTLS',
    server: { ...startTls, password },
    url: (host) => `smtp://${login}@${host}`,
    expected: { isEncrypted: true, user: 'ada' },
  },
  {
    name: 'a password is not sent in the clear',
    server: { ...plain, password },
    url: (host) => `smtp://${login}@${host}`,
    expected: /could not be used|refused STARTTLS/,
  },
  {
    name: 'tls=off sends a password in the clear',
    server: { ...plain, password },
    url: (host) => `smtp://${login}@${host}?tls=off`,
    expected: { isEncrypted: false, user: 'ada' },
  },
  {
    name: 'tls=off does not ask for STARTTLS',
    server: startTls,
    url: (host) => `smtp://${host}?tls=off`,
    expected: { isEncrypted: false, user: null },
  },
  {
    name: 'smtps is encrypted from the start',
    server: { encryption: 'tls', password },
    url: (host) => `smtps://${login}@${host}`,
    expected: { isEncrypted: true, user: 'ada' },
  },
  {
    name: 'a server whose certificate nobody vouches for gets nothing by smtps',
    server: { encryption: 'tls', password },
    url: (host) => `smtps://${login}@${host}`,
    expected: /could not be used \(.*CERT.*\)/,
    isTrusted: false,
  },
  {
    name: 'nor after STARTTLS',
    server: { ...startTls, password },
    url: (host) => `smtp://${login}@${host}`,
    expected: /could not be used \(.*CERT.*\)/,
    isTrusted: false,
  },
  {
    name: 'a wrong password is not given up for good',
    server: { ...startTls, password: 'another' },
    url: (host) => `smtp://${login}@${host}`,
    expected: /refused AUTH PLAIN: 535 5\.7\.8 no/,
  },
];

for (const { name, server: options, url, expected, isTrusted = true } of cases) {
  t.test(name, async (t) => {
    const server = await startSmtpServer(t, options);
    const transport = new SmtpTransport(parseSmtpUrl(url(server.host)), isTrusted ? localhostCertificate : null);
    const sending = transport.deliver(message, new AbortController().signal);
    if (expected instanceof RegExp) {
      const error = await sending.then(
        () => null,
        (failure: unknown) => failure,
      );
      t.match(error, { message: expected });
      t.notOk(error instanceof PermanentFailure);
      t.notMatch(String(error), password);
      t.strictSame(server.mails, []);
      if (!expected.source.includes('535')) t.strictSame(server.passwords, []);
    } else {
      await sending;
      t.match(server.mails, [{ ...expected, from: message.from, to: [message.to], source: message.source }]);
    }
  });
}

t.test('a server that says nothing is left when the replica stops', async (t) => {
  const server = await startSmtpServer(t);
  const stop = new AbortController();
  server.toSender = () => {
    stop.abort();
    return new Promise(() => {});
  };
  await t.rejects(new SmtpTransport(parseSmtpUrl(`smtp://${server.host}`)).deliver(message, stop.signal));
});
