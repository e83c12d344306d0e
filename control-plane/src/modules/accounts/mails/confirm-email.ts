import { button, code, duration, type MailTemplate, note, paragraph } from '../../../mail/template.js';
import type { VerifyEmailData } from './verify-email.js';

/** Asks the reader of an address to confirm that an account gets it. */
export const confirmEmail: MailTemplate<VerifyEmailData> = {
  example: { link: 'https://vantage.example/verify-email#chl_1?a=1&b=2', token: 'chl_1secret', expiresHours: 24 },
  en: ({ link, token, expiresHours }) => ({
    subject: 'Confirm your new e-mail address',
    blocks: [
      paragraph(
        'The owner of a Vantage account wants it to have this address. Confirm it only if the account is yours.',
      ),
      button('Confirm the address', link),
      code('Or use this token:', token),
      note(
        `The link and the token work once, within ${duration(expiresHours, 'hour', 'en')}. If you did not ask for this, ignore this mail.`,
      ),
    ],
  }),
  'zh-CN': ({ link, token, expiresHours }) => ({
    subject: '请确认您的新邮箱',
    blocks: [
      paragraph('一个 Vantage 账户的所有者希望改用此邮箱。仅当该账户属于您时才确认。'),
      button('确认邮箱', link),
      code('或使用此令牌：', token),
      note(
        `链接和令牌只能使用一次，${duration(expiresHours, 'hour', 'zh-CN')}内有效。如果不是您本人操作，请忽略此邮件。`,
      ),
    ],
  }),
  'zh-TW': ({ link, token, expiresHours }) => ({
    subject: '請確認您的新電子郵件地址',
    blocks: [
      paragraph('一個 Vantage 帳戶的擁有者希望改用此電子郵件。僅當該帳戶屬於您時才確認。'),
      button('確認電子郵件', link),
      code('或使用此權杖：', token),
      note(
        `連結與權杖只能使用一次，${duration(expiresHours, 'hour', 'zh-TW')}內有效。若不是您本人操作，請忽略此郵件。`,
      ),
    ],
  }),
};
