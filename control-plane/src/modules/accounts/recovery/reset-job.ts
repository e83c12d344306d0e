import { Type } from 'typebox';
import { defineJob } from '../../../jobs/job.js';
import type { Recovery } from './recovery.js';

/** Mails the link for a new password, if the account exists. The payload is sealed, since it contains an address. */
export const resetPasswordJob = defineJob({
  name: 'account.reset-password',
  payload: Type.Object({ sealed: Type.String() }, { additionalProperties: false }),
  maxAttempts: 5,
  run: ({ sealed }, { recovery }) => recovery.sendReset(sealed),
});

declare module '../../../jobs/job.js' {
  interface JobTypesOfModules {
    readonly passwordReset: typeof resetPasswordJob;
  }
  interface JobServices {
    readonly recovery: Recovery;
  }
}
