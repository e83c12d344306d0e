import type { Locale } from '../../../http/locale.js';
import { button, code, duration, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the template `reset-password`. */
export interface ResetPasswordData {
  readonly link: string;
  /** Token in the link, for users without a browser. */
  readonly token: string;
  readonly expiresMinutes: number;
  /** IP address of the request. */
  readonly address: string;
}

const valid = ({ expiresMinutes }: ResetPasswordData, locale: Locale) => duration(expiresMinutes, 'minute', locale);

/** Lets a user who forgot the password choose a new one. */
export const resetPassword: MailTemplate<ResetPasswordData> = {
  example: {
    link: 'https://vantage.example/verify-email#chl_1?a=1&b=2',
    token: 'chl_1secret',
    expiresMinutes: 30,
    address: '2001:db8::7',
  },
  en: (data) => ({
    subject: 'Choose a new password',
    blocks: [
      paragraph('A new password was requested for your Vantage account. Choose one here:'),
      button('Choose a new password', data.link),
      code('Or use this token:', data.token),
      note(`The link and the token work once, within ${valid(data, 'en')}. The request came from ${data.address}.`),
      note('If this was not you, ignore this mail: your password does not change.'),
    ],
  }),
  'zh-CN': (data) => ({
    subject: '设置新密码',
    blocks: [
      paragraph('有人请求为您的 Vantage 账户设置新密码。请在此设置：'),
      button('设置新密码', data.link),
      code('或使用此令牌：', data.token),
      note(`链接和令牌只能使用一次，${valid(data, 'zh-CN')}内有效。请求来自 ${data.address}。`),
      note('如果不是您本人的请求，请忽略此邮件，您的密码不会改变。'),
    ],
  }),
  'zh-TW': (data) => ({
    subject: '設定新密碼',
    blocks: [
      paragraph('有人要求為您的 Vantage 帳戶設定新密碼。請在此設定：'),
      button('設定新密碼', data.link),
      code('或使用此權杖：', data.token),
      note(`連結與權杖只能使用一次，${valid(data, 'zh-TW')}內有效。要求來自 ${data.address}。`),
      note('若不是您本人的要求，請忽略此郵件，您的密碼不會改變。'),
    ],
  }),
};
