import type { Sealer } from '../crypto/sealing.js';
import { locales } from '../http/locale.js';
import { PermanentFailure } from '../jobs/job.js';
import type { Letter } from './letter.js';

/** A letter that waits to be sent. Every attempt makes the same message of it. */
export interface QueuedMail {
  readonly letter: Letter;
  /** Value of the Message-ID header, with its angle brackets. */
  readonly messageId: string;
  /** Milliseconds since the epoch; the Date header. */
  readonly queuedAtMs: number;
}

/** As it lies in the database: base64. */
export function sealMail(mail: QueuedMail, sealer: Sealer): string {
  return sealer.seal(Buffer.from(JSON.stringify(mail))).toString('base64');
}

/** @throws SealBrokenError, or PermanentFailure for a language that this version does not have */
export function unsealMail(sealed: string, sealer: Sealer): QueuedMail {
  // only this program can seal, so the content has the form that it wrote
  const mail: QueuedMail = JSON.parse(sealer.open(Buffer.from(sealed, 'base64')).toString());
  const { locale } = mail.letter;
  if (!locales.includes(locale)) throw new PermanentFailure(`no mails in the locale "${locale}"`);
  return mail;
}
