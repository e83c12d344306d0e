import type { Locale } from '../../http/locale.js';

interface PageText {
  readonly verifyTitle: string;
  readonly verifyAsk: string;
  readonly verifyButton: string;
  readonly resetTitle: string;
  readonly resetAsk: string;
  readonly newPassword: string;
  readonly resetButton: string;
  readonly noToken: string;
  readonly failed: string;
  readonly needsScript: string;
}

/** What the pages say that mails link to. */
export const pageTexts: Readonly<Record<Locale, PageText>> = {
  en: {
    verifyTitle: 'Verify your e-mail address',
    verifyAsk: 'Press the button and your address is verified.',
    verifyButton: 'Verify my address',
    resetTitle: 'Set a new password',
    resetAsk: 'You will be signed out everywhere else.',
    newPassword: 'New password, at least 8 characters',
    resetButton: 'Set the password',
    noToken: 'This link is not complete. Open the one in your mail, or copy it whole.',
    failed: 'The server could not be reached. Try again.',
    needsScript: 'This page needs JavaScript.',
  },
  'zh-CN': {
    verifyTitle: '验证您的邮箱',
    verifyAsk: '点击按钮即可完成邮箱验证。',
    verifyButton: '验证我的邮箱',
    resetTitle: '设置新密码',
    resetAsk: '其他位置的登录都会退出。',
    newPassword: '新密码，至少 8 个字符',
    resetButton: '设置密码',
    noToken: '链接不完整，请打开邮件中的链接或完整复制。',
    failed: '无法连接服务器，请重试。',
    needsScript: '此页面需要 JavaScript。',
  },
  'zh-TW': {
    verifyTitle: '驗證您的電子郵件',
    verifyAsk: '按下按鈕即可完成驗證。',
    verifyButton: '驗證我的電子郵件',
    resetTitle: '設定新密碼',
    resetAsk: '其他位置的登入都會登出。',
    newPassword: '新密碼，至少 8 個字元',
    resetButton: '設定密碼',
    noToken: '連結不完整，請開啟郵件中的連結或完整複製。',
    failed: '無法連線至伺服器，請重試。',
    needsScript: '此頁面需要 JavaScript。',
  },
};
