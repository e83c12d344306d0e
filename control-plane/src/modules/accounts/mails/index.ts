import { accountAccess } from './account-access.js';
import { accountDeleted } from './account-deleted.js';
import { accountDeleting } from './account-deleting.js';
import { confirmEmail } from './confirm-email.js';
import { confirmSignIn } from './confirm-sign-in.js';
import { emailCode } from './email-code.js';
import { passwordChanged } from './password-changed.js';
import { resetPassword } from './reset-password.js';
import { securityNotice } from './security-notice.js';
import { verifyEmail } from './verify-email.js';

/** Mails about an account, to its owner. */
export const accountMails = {
  'verify-email': verifyEmail,
  'reset-password': resetPassword,
  'password-changed': passwordChanged,
  'account-access': accountAccess,
  'confirm-email': confirmEmail,
  'confirm-sign-in': confirmSignIn,
  'email-code': emailCode,
  'account-deleting': accountDeleting,
  'account-deleted': accountDeleted,
  'security-notice': securityNotice,
};

declare module '../../../mail/template.js' {
  interface MailsOfModules {
    readonly accounts: typeof accountMails;
  }
}
