import { Type } from 'typebox';
import { defineJob } from '../jobs/job.js';
import type { Mailer } from './mailer.js';

/**
 * Sends a mail. Ten attempts reach over three and a half hours: who waits longer has asked for another one. What it
 * carries is sealed, for it holds addresses and one-time tokens.
 */
export const sendMail = defineJob({
  name: 'mail.send',
  payload: Type.Object({ sealed: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
  maxAttempts: 10,
  run: ({ sealed }, { mailer, signal }) => mailer.send(sealed, signal),
});

declare module '../jobs/job.js' {
  interface JobServices {
    readonly mailer: Mailer;
  }
}
