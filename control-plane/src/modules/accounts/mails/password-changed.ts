import { instant, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the template `password-changed`. */
export interface PasswordChangedData {
  /** ISO 8601. */
  readonly at: string;
  /** IP address of the request. */
  readonly address: string;
}

/** Warns a user whose password was changed. */
export const passwordChanged: MailTemplate<PasswordChangedData> = {
  example: { at: '2026-11-21T09:16:00.000Z', address: '2001:db8::7' },
  en: ({ at, address }, timezone) => ({
    subject: 'Your password was changed',
    blocks: [
      paragraph(`The password of your Vantage account was changed on ${instant(at, 'en', timezone)}, from ${address}.`),
      paragraph('Every other session has ended.'),
      note('If this was not you, request a new password at once: someone knows the old one or reads your mail.'),
    ],
  }),
  'zh-CN': ({ at, address }, timezone) => ({
    subject: '您的密码已更改',
    blocks: [
      paragraph(`您的 Vantage 账户密码已于 ${instant(at, 'zh-CN', timezone)}更改，操作来自 ${address}。`),
      paragraph('其他所有会话均已结束。'),
      note('如果不是您本人操作，请立即重置密码：操作者知道旧密码，或能阅读您的邮件。'),
    ],
  }),
  'zh-TW': ({ at, address }, timezone) => ({
    subject: '您的密碼已變更',
    blocks: [
      paragraph(`您的 Vantage 帳戶密碼已於 ${instant(at, 'zh-TW', timezone)}變更，操作來自 ${address}。`),
      paragraph('其他所有工作階段均已結束。'),
      note('若不是您本人操作，請立即重設密碼：操作者知道舊密碼，或能閱讀您的郵件。'),
    ],
  }),
};
