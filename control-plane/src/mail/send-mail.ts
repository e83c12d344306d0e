import { Type } from 'typebox';
import { defineJob } from '../jobs/job.js';
import type { Mailer } from './mailer.js';

/**
 * Job that sends a mail. Ten attempts extend over three and a half hours: after that, users have requested another one.
 * The payload is sealed, because it holds addresses and one-time tokens.
 */
export const sendMail = defineJob({
  name: 'mail.send',
  payload: Type.Object({ sealed: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
  maxAttempts: 10,
  run: ({ sealed }, { mailer, signal }) => mailer.send(sealed, signal),
});

declare module '../jobs/job.js' {
  interface JobTypesOfModules {
    readonly mail: typeof sendMail;
  }
  interface JobServices {
    readonly mailer: Mailer;
  }
}
