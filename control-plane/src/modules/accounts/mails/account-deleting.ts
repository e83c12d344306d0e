import { button, code, instant, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the template `account-deleting`. */
export interface AccountDeletingData {
  readonly link: string;
  /** Token in the link, for users without a browser. */
  readonly token: string;
  /** When the account is erased, ISO 8601. */
  readonly until: string;
}

/** Tells the owner of a deleted account how to restore it. */
export const accountDeleting: MailTemplate<AccountDeletingData> = {
  example: {
    link: 'https://vantage.example/verify-email#chl_1?a=1&b=2',
    token: 'chl_1secret',
    until: '2026-11-21T09:16:00.000Z',
  },
  en: ({ link, token, until }, timezone) => ({
    subject: 'Your account will be erased',
    blocks: [
      paragraph(
        `You deleted your Vantage account. It will be erased on ${instant(until, 'en', timezone)}. Until then nobody can sign in, and its monitors are paused.`,
      ),
      button('Restore the account', link),
      code('Or use this token:', token),
      note('If this was not you, restore the account and set a new password at once: someone else has access to it.'),
    ],
  }),
  'zh-CN': ({ link, token, until }, timezone) => ({
    subject: '您的账户即将被清除',
    blocks: [
      paragraph(
        `您删除了您的 Vantage 账户。它将于 ${instant(until, 'zh-CN', timezone)}被清除。在此之前无法登录，其监控已暂停。`,
      ),
      button('恢复账户', link),
      code('或使用此令牌：', token),
      note('如果不是您本人操作，请恢复账户并立即设置新密码：有人可以访问您的账户。'),
    ],
  }),
  'zh-TW': ({ link, token, until }, timezone) => ({
    subject: '您的帳戶即將被清除',
    blocks: [
      paragraph(
        `您刪除了您的 Vantage 帳戶。它將於 ${instant(until, 'zh-TW', timezone)}被清除。在此之前無法登入，其監控已暫停。`,
      ),
      button('還原帳戶', link),
      code('或使用此權杖：', token),
      note('若不是您本人操作，請還原帳戶並立即設定新密碼：有人可以存取您的帳戶。'),
    ],
  }),
};
