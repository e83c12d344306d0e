import { Type } from 'typebox';
import { defineJob } from '../../../jobs/job.js';
import type { SignInConfirmation } from './sign-in-confirmation.js';

/** Mails the link that admits a network, if its password was correct. The payload is sealed, since it contains both facts. */
export const confirmSignInJob = defineJob({
  name: 'account.confirm-sign-in',
  payload: Type.Object({ sealed: Type.String() }, { additionalProperties: false }),
  maxAttempts: 5,
  run: ({ sealed }, { signInConfirmation }) => signInConfirmation.send(sealed),
});

declare module '../../../jobs/job.js' {
  interface JobTypesOfModules {
    readonly signInConfirmation: typeof confirmSignInJob;
  }
  interface JobServices {
    readonly signInConfirmation: SignInConfirmation;
  }
}
