import t from 'tap';
import { PermanentFailure } from '../src/jobs/job.js';
import type { Message } from '../src/mail/message.js';
import { patientSmtp } from './_support/patient-smtp.js';
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
  /** Sent mail, or the message of the failure. */
  readonly expected: { readonly isEncrypted: boolean; readonly user: string | null } | RegExp;
  readonly isTrusted?: false;
}

const plain = { encryption: 'none' } as const;
const startTls = { encryption: 'starttls' } as const;
const password = 'p@ss word';
const login = `ada:${encodeURIComponent(password)}`;

const cases: readonly Case[] = [
  {
    name: 'STARTTLS is used if the server offers it',
    server: startTls,
    url: (host) => `smtp://${host}`,
    expected: { isEncrypted: true, user: null },
  },
  {
    name: 'a server without STARTTLS gets mail in plain text',
    server: plain,
    url: (host) => `smtp://${host}`,
    expected: { isEncrypted: false, user: null },
  },
  {
    name: 'with tls=required a server without STARTTLS gets no mail',
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
    name: 'a password is not sent in plain text',
    server: { ...plain, password },
    url: (host) => `smtp://${login}@${host}`,
    expected: /could not be used|refused STARTTLS/,
  },
  {
    name: 'tls=off sends a password in plain text',
    server: { ...plain, password },
    url: (host) => `smtp://${login}@${host}?tls=off`,
    expected: { isEncrypted: false, user: 'ada' },
  },
  {
    name: 'tls=off does not use STARTTLS',
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
    name: 'a server with an untrusted certificate gets nothing by smtps',
    server: { encryption: 'tls', password },
    url: (host) => `smtps://${login}@${host}`,
    expected: /cannot use the mail server \(.*CERT.*\)/,
    isTrusted: false,
  },
  {
    name: 'a server with an untrusted certificate gets nothing after STARTTLS',
    server: { ...startTls, password },
    url: (host) => `smtp://${login}@${host}`,
    expected: /cannot use the mail server \(.*CERT.*\)/,
    isTrusted: false,
  },
  {
    name: 'a wrong password is not a permanent failure',
    server: { ...startTls, password: 'another' },
    url: (host) => `smtp://${login}@${host}`,
    expected: /refused AUTH PLAIN: 535 5\.7\.8 no/,
  },
];

for (const { name, server: options, url, expected, isTrusted = true } of cases) {
  t.test(name, async (t) => {
    const server = await startSmtpServer(t, options);
    const transport = patientSmtp(url(server.host), isTrusted ? localhostCertificate : null);
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

t.test('a silent server does not keep a replica from stopping', async (t) => {
  const server = await startSmtpServer(t);
  const stop = new AbortController();
  server.toSender = () => {
    stop.abort();
    return new Promise(() => {});
  };
  await t.rejects(patientSmtp(`smtp://${server.host}`).deliver(message, stop.signal));
});
