import { locales } from '../http/locale.js';
import { PermanentFailure } from '../jobs/job.js';
import type { Sealer } from '../sealing.js';
import type { Letter } from './letter.js';
import { mailTemplates } from './templates/index.js';

/** A letter that waits to be sent. Every attempt makes the same message of it. */
export interface QueuedMail {
  readonly letter: Letter;
  /** Of the Message-ID header, with its angle brackets. */
  readonly messageId: string;
  /** Milliseconds since the epoch; the Date header. */
  readonly queuedAtMs: number;
}

/** As it lies in the database: base64. */
export function sealMail(mail: QueuedMail, sealer: Sealer): string {
  return sealer.seal(Buffer.from(JSON.stringify(mail))).toString('base64');
}

/** @throws SealBrokenError, or PermanentFailure for a template or language that this version does not have */
export function unsealMail(sealed: string, sealer: Sealer): QueuedMail {
  // whoever can seal is this program: what is inside has the form that it gave it
  const mail: QueuedMail = JSON.parse(sealer.open(Buffer.from(sealed, 'base64')).toString());
  const { template, locale } = mail.letter;
  if (!Object.hasOwn(mailTemplates, template)) throw new PermanentFailure(`there is no mail "${template}"`);
  if (!locales.includes(locale)) throw new PermanentFailure(`there are no mails in "${locale}"`);
  return mail;
}
