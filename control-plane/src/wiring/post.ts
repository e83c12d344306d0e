import { type MailParts, openMail } from '../mail/index.js';
import type { Foundation } from './foundation.js';

/** Opens mail as it is configured, and tells where it goes when no server takes it. */
export function wirePost({ config, secretKey, publicUrl, clock, log }: Foundation): MailParts {
  const parts = openMail({ config, secretKey, publicUrl, clock });
  const { directory } = parts;
  if (directory !== null) log.info({ directory }, 'no VANTAGE_SMTP_URL: mails are written to files');
  return parts;
}
