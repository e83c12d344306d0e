import { accountDeleted } from './account-deleted.js';
import { maintenanceNotice } from './maintenance-notice.js';
import { monitorEvent } from './monitor-event.js';
import { monitorFlapping } from './monitor-flapping.js';
import { passwordChanged } from './password-changed.js';
import { resetPassword } from './reset-password.js';
import type { MailTemplate } from './template.js';
import { verifyEmail } from './verify-email.js';

/** The one list of mails we send. */
export const mailTemplates = {
  'verify-email': verifyEmail,
  'reset-password': resetPassword,
  'password-changed': passwordChanged,
  'account-deleted': accountDeleted,
  'monitor-event': monitorEvent,
  'monitor-flapping': monitorFlapping,
  'maintenance-notice': maintenanceNotice,
};

/** Name of a mail, in the queue and in file names: part of what is stored. */
export type MailTemplateName = keyof typeof mailTemplates;

/** What a template wants to know. */
export type MailData<N extends MailTemplateName> = (typeof mailTemplates)[N] extends MailTemplate<infer D> ? D : never;
