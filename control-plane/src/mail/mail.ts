import { randomUUID } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { isMailAddress, type Mailbox } from '../config/setting-values.js';
import type { Sealer } from '../crypto/sealing.js';
import { enqueue } from '../jobs/enqueue.js';
import type { Letter } from './letter.js';
import { sealMail } from './queued-mail.js';
import { sendMail } from './send-mail.js';

interface MailOptions {
  readonly sealer: Sealer;
  /** Message ids are made under its domain. */
  readonly from: Mailbox;
  readonly clock: Clock;
}

/** Entry point for letters of the rest of the program. */
export class Mail {
  constructor(private readonly options: MailOptions) {}

  /**
   * Queues a letter in the transaction `trx`; it vanishes if that is rolled back. It is sent at least once: a second
   * time only if the success of the first could not be stored, and then under the same Message-ID. `key`: at most one
   * letter with it waits, and its Message-ID is derived from it.
   * @throws RangeError if `to` is not one address
   */
  async enqueue(trx: Knex, letter: Letter, key?: string): Promise<void> {
    const { sealer, from, clock } = this.options;
    if (!isMailAddress(letter.to)) throw new RangeError('a mail must have one e-mail address as recipient');
    const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
    const mail = { letter, messageId: `<${key ?? randomUUID()}@${domain}>`, queuedAtMs: clock.now() };
    await enqueue(trx, sendMail, { sealed: sealMail(mail, sealer) }, key === undefined ? {} : { key: `mail ${key}` });
  }
}
