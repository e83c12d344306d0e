import { webhookDisabled } from './webhook-disabled.js';
import { webhookFailing } from './webhook-failing.js';

/** Mails about webhook endpoints, to their owner. */
export const webhookMails = {
  'webhook-failing': webhookFailing,
  'webhook-disabled': webhookDisabled,
};

declare module '../../../mail/template.js' {
  interface MailsOfModules {
    readonly webhooks: typeof webhookMails;
  }
}
