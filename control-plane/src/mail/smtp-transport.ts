import type { SMTPTransportOptions } from 'nodemailer';
import type { SmtpEncryption, SmtpServer } from '../config/setting-values.js';
import type { MailTransport, Message } from './message.js';
import { smtpFailure } from './smtp-failure.js';

const TIMEOUT_MS = { connect: 10_000, greeting: 10_000, silence: 30_000, close: 1_000 };

/** Sends messages to a mail server, with one connection for each. */
export class SmtpTransport implements MailTransport {
  readonly #options: SMTPTransportOptions;

  /** `trustedCertificates` (PEM) replace those that the system trusts. */
  constructor(server: SmtpServer, trustedCertificates: string | null = null) {
    const { host, port, encryption, credentials } = server;
    this.#options = {
      host,
      port,
      ...encryptions[encryption],
      ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
      ...(trustedCertificates === null ? {} : { tls: { ca: trustedCertificates } }),
      connectionTimeout: TIMEOUT_MS.connect,
      dnsTimeout: TIMEOUT_MS.connect,
      greetingTimeout: TIMEOUT_MS.greeting,
      socketTimeout: TIMEOUT_MS.silence,
      socketCloseTimeout: TIMEOUT_MS.close,
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
