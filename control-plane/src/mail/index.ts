import path from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import type { Config } from '../config.js';
import { createSealer } from '../sealing.js';
import { Mail } from './mail.js';
import { MailDirectory } from './mail-directory.js';
import { defaultSender, Mailer } from './mailer.js';
import { SmtpTransport } from './smtp-transport.js';

export type { Letter } from './letter.js';
export type { Mail } from './mail.js';

interface MailOptions {
  readonly config: Pick<Config, 'smtp' | 'mailFrom' | 'mailDir' | 'dataDir'>;
  /** The installation's, 32 bytes. */
  readonly secretKey: Uint8Array;
  readonly publicUrl: string;
  readonly clock: Clock;
}

/** Both ends of the way a mail takes through the queue. */
export interface MailParts {
  readonly mail: Mail;
  readonly mailer: Mailer;
  /** Where mails become files; null when a server takes them. */
  readonly directory: string | null;
}

/** Mail as it is configured. */
export function openMail({ config, secretKey, publicUrl, clock }: MailOptions): MailParts {
  const { smtp, mailFrom, mailDir, dataDir } = config;
  const sealer = createSealer(secretKey, 'mail');
  const from = mailFrom ?? defaultSender(publicUrl);
  const directory = mailDir ?? path.join(dataDir, 'mail');
  const transport = smtp === null ? new MailDirectory(directory) : new SmtpTransport(smtp);
  return {
    mail: new Mail({ sealer, from, clock }),
    mailer: new Mailer({ sealer, from, transport }),
    directory: smtp === null ? directory : null,
  };
}
