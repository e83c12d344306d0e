import { alertChannelFailing } from './alert-channel-failing.js';

/** Mails about alert channels, to their owner. */
export const alertMails = { 'alert-channel-failing': alertChannelFailing };

declare module '../../../mail/template.js' {
  interface MailsOfModules {
    readonly alerts: typeof alertMails;
  }
}
