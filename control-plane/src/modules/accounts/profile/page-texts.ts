import type { Locale } from '../../../http/locale.js';

interface PageText {
  readonly verifyTitle: string;
  readonly verifyAsk: string;
  readonly password: string;
  readonly verifyButton: string;
  readonly notMe: string;
  readonly notMeAsk: string;
  readonly notMeButton: string;
  readonly confirmTitle: string;
  readonly confirmAsk: string;
  readonly confirmButton: string;
  readonly noPassword: string;
  readonly noPasswordAsk: string;
  readonly resetTitle: string;
  readonly resetAsk: string;
  readonly newPassword: string;
  readonly resetButton: string;
  readonly noToken: string;
  readonly failed: string;
  readonly needsScript: string;
}

/** Texts of the pages that mails link to. */
export const pageTexts: Readonly<Record<Locale, PageText>> = {
  en: {
    verifyTitle: 'Verify your e-mail address',
    verifyAsk: 'Enter the password that you chose when you registered. It shows that the account is yours.',
    password: 'Password',
    verifyButton: 'Verify my address',
    notMe: 'I do not know this password, or I did not register',
    notMeAsk:
      'Someone else may have registered your address. Choose a new password, and only you have access to the account: their credentials are revoked. If you do not want the account, close this page.',
    notMeButton: 'Set the password and verify my address',
    confirmTitle: 'Confirm your new e-mail address',
    confirmAsk:
      'Enter the password of your account. It shows that the account is yours. If you did not ask for this, close this page.',
    confirmButton: 'Confirm my new address',
    noPassword: 'My account has no password',
    noPasswordAsk: 'Confirm only if you asked for this yourself: the address then belongs to the account.',
    resetTitle: 'Set a new password',
    resetAsk:
      'You will be signed out everywhere, and the API keys and tokens of the account will be revoked. A mail lists them.',
    newPassword: 'New password, at least 8 characters',
    resetButton: 'Set the password',
    noToken: 'This link is incomplete. Open the link in your mail, or copy all of it.',
    failed: 'The server could not be reached. Try again.',
    needsScript: 'This page needs JavaScript.',
  },
  'zh-CN': {
    verifyTitle: '验证您的邮箱',
    verifyAsk: '请输入您注册时设置的密码，以证明该账户属于您。',
    password: '密码',
    verifyButton: '验证我的邮箱',
    notMe: '我不知道这个密码，或不是我注册的',
    notMeAsk:
      '可能有人使用您的邮箱注册了账户。请设置新密码，账户即只属于您：他人可用于访问该账户的一切都会被撤销。如果您不需要该账户，关闭此页面即可。',
    notMeButton: '设置密码并验证我的邮箱',
    confirmTitle: '确认您的新邮箱',
    confirmAsk: '请输入您账户的密码，以证明该账户属于您。如果不是您本人操作，请关闭此页面。',
    confirmButton: '确认我的新邮箱',
    noPassword: '我的账户没有密码',
    noPasswordAsk: '仅当是您本人操作时才确认：此后该邮箱即属于该账户。',
    resetTitle: '设置新密码',
    resetAsk: '所有位置的登录都会退出，账户的 API 密钥和令牌都会被撤销，并会通过邮件列出。',
    newPassword: '新密码，至少 8 个字符',
    resetButton: '设置密码',
    noToken: '链接不完整，请打开邮件中的链接或完整复制。',
    failed: '无法连接服务器，请重试。',
    needsScript: '此页面需要 JavaScript。',
  },
  'zh-TW': {
    verifyTitle: '驗證您的電子郵件',
    verifyAsk: '請輸入您註冊時設定的密碼，以證明該帳戶屬於您。',
    password: '密碼',
    verifyButton: '驗證我的電子郵件',
    notMe: '我不知道這個密碼，或不是我註冊的',
    notMeAsk:
      '可能有人使用您的電子郵件註冊了帳戶。請設定新密碼，帳戶即只屬於您：他人可用來存取該帳戶的一切都會被撤銷。若您不需要該帳戶，關閉此頁面即可。',
    notMeButton: '設定密碼並驗證我的電子郵件',
    confirmTitle: '確認您的新電子郵件',
    confirmAsk: '請輸入您帳戶的密碼，以證明該帳戶屬於您。若不是您本人操作，請關閉此頁面。',
    confirmButton: '確認我的新電子郵件',
    noPassword: '我的帳戶沒有密碼',
    noPasswordAsk: '僅當是您本人操作時才確認：此後該電子郵件即屬於該帳戶。',
    resetTitle: '設定新密碼',
    resetAsk: '所有位置的登入都會登出，帳戶的 API 金鑰與權杖都會被撤銷，並會以郵件列出。',
    newPassword: '新密碼，至少 8 個字元',
    resetButton: '設定密碼',
    noToken: '連結不完整，請開啟郵件中的連結或完整複製。',
    failed: '無法連線至伺服器，請重試。',
    needsScript: '此頁面需要 JavaScript。',
  },
};
