import type { Locale } from '../../../http/locale.js';
import { code, duration, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the template `email-code`. */
export interface EmailCodeData {
  readonly code: string;
  readonly expiresMinutes: number;
  /** IP address of the request. */
  readonly address: string;
}

const valid = ({ expiresMinutes }: EmailCodeData, locale: Locale) => duration(expiresMinutes, 'minute', locale);

/** Code by which the reader of the mail signs in. */
export const emailCode: MailTemplate<EmailCodeData> = {
  example: { code: '492039', expiresMinutes: 10, address: '2001:db8::7' },
  // the code is not in the subject, which locked screens show
  en: (data) => ({
    subject: 'Your code to sign in',
    blocks: [
      paragraph('Enter this code where you are signing in to your Vantage account:'),
      code('Code:', data.code),
      note(`It works once, within ${valid(data, 'en')}. The request came from ${data.address}.`),
      note('Never give it to anyone: we do not ask for it by phone, mail or chat.'),
      note('If this was not you, ignore this mail: no one signs in without the code.'),
    ],
  }),
  'zh-CN': (data) => ({
    subject: '您的登录验证码',
    blocks: [
      paragraph('请在登录 Vantage 账户的页面输入此验证码：'),
      code('验证码：', data.code),
      note(`验证码只能使用一次，${valid(data, 'zh-CN')}内有效。请求来自 ${data.address}。`),
      note('请勿将验证码告诉任何人：我们不会通过电话、邮件或聊天索要。'),
      note('如果不是您本人操作，请忽略此邮件：没有验证码就无法登录。'),
    ],
  }),
  'zh-TW': (data) => ({
    subject: '您的登入驗證碼',
    blocks: [
      paragraph('請在登入 Vantage 帳戶的頁面輸入此驗證碼：'),
      code('驗證碼：', data.code),
      note(`驗證碼只能使用一次，${valid(data, 'zh-TW')}內有效。要求來自 ${data.address}。`),
      note('請勿將驗證碼告訴任何人：我們不會透過電話、郵件或聊天索取。'),
      note('若不是您本人操作，請忽略此郵件：沒有驗證碼就無法登入。'),
    ],
  }),
};
