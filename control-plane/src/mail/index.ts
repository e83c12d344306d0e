import path from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import type { Config } from '../config/config.js';
import type { Mailbox } from '../config/setting-values.js';
import { createSealer, type Sealer } from '../crypto/sealing.js';
import { Mail } from './mail.js';
import { MailDirectory } from './mail-directory.js';
import { defaultSender, Mailer } from './mailer.js';
import { SmtpTransport } from './smtp-transport.js';
import type { MailTemplates } from './template.js';

export type { Letter } from './letter.js';
export type { Mail } from './mail.js';
export type { DirectMail } from './mailer.js';
export { MailRefusal } from './smtp-failure.js';
export { SmtpTransport } from './smtp-transport.js';
export type { MailData, MailTemplates } from './template.js';

interface MailOptions {
  readonly config: Pick<Config, 'smtp' | 'mailFrom' | 'mailDir' | 'dataDir'>;
  /** The installation's, 32 bytes. */
  readonly secretKey: Uint8Array;
  readonly publicUrl: string;
  readonly clock: Clock;
}

interface OpenMailOptions extends MailOptions {
  readonly templates: MailTemplates;
  /** Called with the file of each mail that no server was there to send. */
  readonly written?: (file: string) => void;
}

/** Both ends of the queue of mails. */
export interface MailParts {
  readonly mail: Mail;
  readonly mailer: Mailer;
  /** Directory of mails as files; null if a server accepts them. */
  readonly directory: string | null;
}

/** Queue of letters, which any running server then sends. */
function openMailQueue({ config, secretKey, publicUrl, clock }: MailOptions): Mail {
  return new Mail({ sealer: mailSealer(secretKey), from: senderOf(config.mailFrom, publicUrl), clock });
}

/** Mail as it is configured. */
export function openMail(options: OpenMailOptions): MailParts {
  const { config, secretKey, publicUrl, templates, written = () => {} } = options;
  const { smtp, mailDir, dataDir } = config;
  const directory = mailDir ?? path.join(dataDir, 'mail');
  const transport = smtp === null ? new MailDirectory(directory, written) : new SmtpTransport(smtp);
  return {
    mail: openMailQueue(options),
    mailer: new Mailer({
      sealer: mailSealer(secretKey),
      from: senderOf(config.mailFrom, publicUrl),
      transport,
      templates,
    }),
    directory: smtp === null ? directory : null,
  };
}

function mailSealer(secretKey: Uint8Array): Sealer {
  return createSealer(secretKey, 'mail');
}

function senderOf(mailFrom: Mailbox | null, publicUrl: string): Mailbox {
  return mailFrom ?? defaultSender(publicUrl);
}
