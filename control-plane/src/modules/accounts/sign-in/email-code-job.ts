import { Type } from 'typebox';
import { defineJob } from '../../../jobs/job.js';
import type { EmailCodes } from './email-codes.js';

/** Mails a code, if the account exists. The payload is sealed, since it contains an address. */
export const emailCodeJob = defineJob({
  name: 'account.email-code',
  payload: Type.Object({ sealed: Type.String() }, { additionalProperties: false }),
  maxAttempts: 5,
  run: ({ sealed }, { emailCodes }) => emailCodes.send(sealed),
});

declare module '../../../jobs/job.js' {
  interface JobTypesOfModules {
    readonly emailCode: typeof emailCodeJob;
  }
  interface JobServices {
    readonly emailCodes: EmailCodes;
  }
}
