import { randomUUID } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { enqueue } from '../jobs/enqueue.js';
import type { Sealer } from '../sealing.js';
import { isMailAddress, type Mailbox } from '../setting-values.js';
import type { Letter } from './letter.js';
import { sealMail } from './queued-mail.js';
import { sendMail } from './send-mail.js';

interface MailOptions {
  readonly sealer: Sealer;
  /** Message ids are made under its domain. */
  readonly from: Mailbox;
  readonly clock: Clock;
}

/** Where the rest of the program hands in its letters. */
export class Mail {
  constructor(private readonly options: MailOptions) {}

  /**
   * Queues a letter in the transaction `trx`, with which it also vanishes. It is sent at least once: a second time only
   * when the success of the first could not be written down, and then under the same Message-ID.
   * @throws RangeError when `to` is not one address
   */
  async enqueue(trx: Knex, letter: Letter): Promise<void> {
    const { sealer, from, clock } = this.options;
    if (!isMailAddress(letter.to)) throw new RangeError('a letter must go to one e-mail address');
    const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
    const mail = { letter, messageId: `<${randomUUID()}@${domain}>`, queuedAtMs: clock.now() };
    await enqueue(trx, sendMail, { sealed: sealMail(mail, sealer) });
  }
}
