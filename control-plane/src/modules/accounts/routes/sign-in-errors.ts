import type { ErrorCode } from '../../../http/error-table.js';

/** Errors of every way to sign in, after a right first proof. */
export const signInErrors = [
  'AUTH_ACCOUNT_DISABLED',
  'ACCOUNT_DELETED',
  'AUTH_EMAIL_NOT_VERIFIED',
  'AUTH_2FA_REQUIRED',
  'AUTH_2FA_INVALID',
] as const satisfies readonly ErrorCode[];
