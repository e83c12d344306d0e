import { instant, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the template `account-deleted`. */
export interface AccountDeletedData {
  /** ISO 8601. */
  readonly at: string;
}

/** The last mail of an account. */
export const accountDeleted: MailTemplate<AccountDeletedData> = {
  example: { at: '2026-11-21T09:16:00.000Z' },
  en: ({ at }, timezone) => ({
    subject: 'Your account was deleted',
    blocks: [
      paragraph(`Your Vantage account was deleted on ${instant(at, 'en', timezone)}, with its keys and sessions.`),
      note('This is the last mail to this address. If this was not you, contact the operator of this service.'),
    ],
  }),
  'zh-CN': ({ at }, timezone) => ({
    subject: '您的账户已删除',
    blocks: [
      paragraph(`您的 Vantage 账户及其密钥和会话已于 ${instant(at, 'zh-CN', timezone)}删除。`),
      note('这是发往此邮箱的最后一封邮件。如果不是您本人操作，请联系本服务的运营者。'),
    ],
  }),
  'zh-TW': ({ at }, timezone) => ({
    subject: '您的帳戶已刪除',
    blocks: [
      paragraph(`您的 Vantage 帳戶及其金鑰與工作階段已於 ${instant(at, 'zh-TW', timezone)}刪除。`),
      note('這是寄往此信箱的最後一封郵件。若不是您本人操作，請聯絡本服務的營運者。'),
    ],
  }),
};
