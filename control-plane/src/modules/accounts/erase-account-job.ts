import { Type } from 'typebox';
import { defineJob } from '../../jobs/job.js';
import type { AccountDeletion } from './account-deletion.js';

/** Erases an account that its owner deleted and did not restore. */
export const eraseAccountJob = defineJob({
  name: 'account.erase',
  payload: Type.Object({ userId: Type.String() }, { additionalProperties: false }),
  maxAttempts: 20,
  run: ({ userId }, { accountDeletion }) => accountDeletion.erase(userId),
});

declare module '../../jobs/job.js' {
  interface JobTypesOfModules {
    readonly accountErasure: typeof eraseAccountJob;
  }
  interface JobServices {
    readonly accountDeletion: AccountDeletion;
  }
}
