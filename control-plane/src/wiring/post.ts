import { type MailParts, openMail } from '../mail/index.js';
import type { Foundation } from './foundation.js';
import { mailTemplates } from './modules.js';

/** Opens mail as it is configured, and logs where mails go if no server accepts them. */
export function wirePost({ config, secretKey, publicUrl, clock, log }: Foundation): MailParts {
  const written = (file: string) => log.info({ file }, 'mail written to a file, since VANTAGE_SMTP_URL is not set');
  const parts = openMail({ config, secretKey, publicUrl, clock, templates: mailTemplates, written });
  const { directory } = parts;
  if (directory !== null) log.info({ directory }, 'VANTAGE_SMTP_URL is not set: mails are written to files');
  return parts;
}
