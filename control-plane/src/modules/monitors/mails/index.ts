import { maintenanceNotice } from './maintenance-notice.js';

/** Mails about monitors, to their owner. */
export const monitorMails = {
  'maintenance-notice': maintenanceNotice,
};

declare module '../../../mail/template.js' {
  interface MailsOfModules {
    readonly monitors: typeof monitorMails;
  }
}
