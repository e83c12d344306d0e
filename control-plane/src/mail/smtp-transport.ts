import type { SMTPTransportOptions } from 'nodemailer';
import type { SmtpEncryption, SmtpServer } from '../config/setting-values.js';
import type { MailTransport, Message } from './message.js';
import { smtpFailure } from './smtp-failure.js';

/** Longest waits, in milliseconds. */
const TIMEOUT_MS = { connect: 10_000, greeting: 10_000, silence: 30_000, close: 1_000 };

/** Sends messages to a mail server, with one connection for each. */
export class SmtpTransport implements MailTransport {
  readonly #options: SMTPTransportOptions;

  /** `trustedCertificates` (PEM) replace those that the system trusts; `timeoutMs`: waits other than the default. */
  constructor(
    server: SmtpServer,
    trustedCertificates: string | null = null,
    timeoutMs: Partial<typeof TIMEOUT_MS> = {},
  ) {
    const { host, port, encryption, credentials } = server;
    const { connect, greeting, silence, close } = { ...TIMEOUT_MS, ...timeoutMs };
    this.#options = {
      host,
      port,
      ...encryptions[encryption],
      ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
      ...(trustedCertificates === null ? {} : { tls: { ca: trustedCertificates } }),
      connectionTimeout: connect,
      dnsTimeout: connect,
      greetingTimeout: greeting,
      socketTimeout: silence,
      socketCloseTimeout: close,
      disableFileAccess: true,
      disableUrlAccess: true,
    };
  }

  /** Connects, encrypts and signs in, and sends nothing. @throws Error that says what the server refused */
  async verify(): Promise<void> {
    const { createTransport } = await import('nodemailer');
    try {
      await createTransport(this.#options).verify();
    } catch (error) {
      throw smtpFailure(error, '');
    }
  }

  async deliver({ from, to, source }: Message, signal: AbortSignal): Promise<void> {
    // imported here: it takes 40 ms to load
    const { createTransport } = await import('nodemailer');
    try {
      await createTransport(this.#options).sendMail({ envelope: { from, to: [to] }, raw: source, signal });
    } catch (error) {
      throw smtpFailure(error, to);
    }
  }
}

const encryptions: Readonly<Record<SmtpEncryption, SMTPTransportOptions>> = {
  tls: { secure: true },
  starttls: { secure: false, requireTLS: true },
  'starttls-if-offered': { secure: false },
  none: { secure: false, ignoreTLS: true },
};
