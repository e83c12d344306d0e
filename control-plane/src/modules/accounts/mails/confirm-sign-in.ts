import type { Locale } from '../../../http/locale.js';
import { button, code, duration, instant, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the template `confirm-sign-in`. */
export interface ConfirmSignInData {
  readonly link: string;
  /** Token in the link, for users without a browser. */
  readonly token: string;
  readonly expiresMinutes: number;
  /** IP address that the correct password came from. */
  readonly address: string;
  /** ISO 8601. */
  readonly at: string;
}

const valid = ({ expiresMinutes }: ConfirmSignInData, locale: Locale) => duration(expiresMinutes, 'minute', locale);

/** Lets an owner sign in while others try passwords from many networks. */
export const confirmSignIn: MailTemplate<ConfirmSignInData> = {
  example: {
    link: 'https://vantage.example/verify-email#chl_1?a=1&b=2',
    token: 'chl_1secret',
    expiresMinutes: 30,
    address: '2001:db8::7',
    at: '2026-11-21T09:16:00.000Z',
  },
  en: (data, timezone) => ({
    subject: 'Confirm that you are signing in',
    blocks: [
      paragraph(
        `Your password was entered on ${instant(data.at, 'en', timezone)} from ${data.address}. Many wrong passwords are being tried for your Vantage account, so the correct one needs your confirmation.`,
      ),
      paragraph('If this was you, confirm it here and sign in again:'),
      button('Confirm that it was me', data.link),
      code('Or use this token:', data.token),
      note(`The link and the token work once, within ${valid(data, 'en')}. They let that network sign in for a day.`),
      note('If this was not you, someone knows your password: do not confirm, and set a new password at once.'),
    ],
  }),
  'zh-CN': (data, timezone) => ({
    subject: '请确认是您本人登录',
    blocks: [
      paragraph(
        `您的密码于 ${instant(data.at, 'zh-CN', timezone)}从 ${data.address} 输入。由于有人正在对您的 Vantage 账户尝试大量错误密码，正确的密码也需要您确认。`,
      ),
      paragraph('如果是您本人操作，请在此确认，然后重新登录：'),
      button('确认是我本人', data.link),
      code('或使用此令牌：', data.token),
      note(`链接和令牌只能使用一次，${valid(data, 'zh-CN')}内有效。确认后，该网络在一天内可以登录。`),
      note('如果不是您本人操作，说明有人知道您的密码：请不要确认，并立即设置新密码。'),
    ],
  }),
  'zh-TW': (data, timezone) => ({
    subject: '請確認是您本人登入',
    blocks: [
      paragraph(
        `您的密碼於 ${instant(data.at, 'zh-TW', timezone)}從 ${data.address} 輸入。由於有人正在對您的 Vantage 帳戶嘗試大量錯誤密碼，正確的密碼也需要您確認。`,
      ),
      paragraph('若是您本人操作，請在此確認，然後重新登入：'),
      button('確認是我本人', data.link),
      code('或使用此權杖：', data.token),
      note(`連結與權杖只能使用一次，${valid(data, 'zh-TW')}內有效。確認後，該網路在一天內可以登入。`),
      note('若不是您本人操作，表示有人知道您的密碼：請勿確認，並立即設定新密碼。'),
    ],
  }),
};
