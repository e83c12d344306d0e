import type { Locale } from '../../../http/locale.js';
import { button, code, duration, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the template `verify-email`. */
export interface VerifyEmailData {
  readonly link: string;
  /** Token in the link, for users without a browser. */
  readonly token: string;
  readonly expiresHours: number;
}

const valid = ({ expiresHours }: VerifyEmailData, locale: Locale) => duration(expiresHours, 'hour', locale);

/** Asks the owner of an address to prove that they registered with it. */
export const verifyEmail: MailTemplate<VerifyEmailData> = {
  example: { link: 'https://vantage.example/verify-email#chl_1?a=1&b=2', token: 'chl_1secret', expiresHours: 24 },
  en: (data) => ({
    subject: 'Confirm your e-mail address',
    blocks: [
      paragraph('A Vantage account was registered with this address. To begin, confirm that the address is yours.'),
      button('Confirm the address', data.link),
      code('Or use this token:', data.token),
      note(`The link and the token work once, within ${valid(data, 'en')}. If you did not register, ignore this mail.`),
    ],
  }),
  'zh-CN': (data) => ({
    subject: '请确认您的邮箱',
    blocks: [
      paragraph('有人使用此邮箱注册了 Vantage 账户。请确认这是您的邮箱，即可开始使用。'),
      button('确认邮箱', data.link),
      code('或使用此令牌：', data.token),
      note(`链接和令牌只能使用一次，${valid(data, 'zh-CN')}内有效。如果不是您本人注册，请忽略此邮件。`),
    ],
  }),
  'zh-TW': (data) => ({
    subject: '請確認您的電子郵件地址',
    blocks: [
      paragraph('有人使用此電子郵件註冊了 Vantage 帳戶。請確認這是您的信箱，即可開始使用。'),
      button('確認電子郵件', data.link),
      code('或使用此權杖：', data.token),
      note(`連結與權杖只能使用一次，${valid(data, 'zh-TW')}內有效。若不是您本人註冊，請忽略此郵件。`),
    ],
  }),
};
