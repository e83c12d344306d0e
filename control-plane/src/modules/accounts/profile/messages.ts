import type { Locale } from '../../../http/locale.js';

/** Messages of operations whose response is a sentence. */
export const messages = {
  emailVerified: {
    en: 'Your e-mail address is verified.',
    'zh-CN': '您的邮箱已验证。',
    'zh-TW': '您的電子郵件已驗證。',
  },
  emailVerifiedWithPassword: {
    en: 'Your e-mail address is verified, and your password is set. Sign in with it.',
    'zh-CN': '您的邮箱已验证，密码已设置。请使用新密码登录。',
    'zh-TW': '您的電子郵件已驗證，密碼已設定。請使用新密碼登入。',
  },
  verificationSent: {
    en: 'A mail with a link was sent to you.',
    'zh-CN': '验证邮件已发出，请查收。',
    'zh-TW': '驗證郵件已寄出，請查收。',
  },
  resetRequested: {
    en: 'If an account with this address exists, a mail with a link was sent.',
    'zh-CN': '如果该邮箱有对应账户，重置邮件已发出。',
    'zh-TW': '若此電子郵件有對應帳戶，重設郵件已寄出。',
  },
  // without a mail server; the same whether the account exists
  verificationNotSent: {
    en: 'This installation sends no mail, since VANTAGE_SMTP_URL is not set. The operator has the link, in a file.',
    'zh-CN': '此安装未设置 VANTAGE_SMTP_URL，不发送邮件。链接在运营者处的文件中。',
    'zh-TW': '此安裝未設定 VANTAGE_SMTP_URL，不寄送郵件。連結在營運者處的檔案中。',
  },
  resetNotSent: {
    en: 'This installation sends no mail, since VANTAGE_SMTP_URL is not set. If an account with this address exists, the operator has its link, in a file.',
    'zh-CN': '此安装未设置 VANTAGE_SMTP_URL，不发送邮件。如果该邮箱有对应账户，链接在运营者处的文件中。',
    'zh-TW': '此安裝未設定 VANTAGE_SMTP_URL，不寄送郵件。若此電子郵件有對應帳戶，連結在營運者處的檔案中。',
  },
  codeRequested: {
    en: 'If an account with this verified address exists, a mail with a code was sent.',
    'zh-CN': '如果该已验证的邮箱有对应账户，验证码邮件已发出。',
    'zh-TW': '若此已驗證的電子郵件有對應帳戶，驗證碼郵件已寄出。',
  },
  codeNotSent: {
    en: 'This installation sends no mail, since VANTAGE_SMTP_URL is not set. If an account with this verified address exists, the operator has its code, in a file.',
    'zh-CN': '此安装未设置 VANTAGE_SMTP_URL，不发送邮件。如果该已验证的邮箱有对应账户，验证码在运营者处的文件中。',
    'zh-TW': '此安裝未設定 VANTAGE_SMTP_URL，不寄送郵件。若此已驗證的電子郵件有對應帳戶，驗證碼在營運者處的檔案中。',
  },
  passwordChanged: {
    en: 'Your password was changed. Other sessions have ended.',
    'zh-CN': '密码已更改，其他会话已退出。',
    'zh-TW': '密碼已變更，其他工作階段已登出。',
  },
  emailChanged: {
    en: 'Your e-mail address was changed. Other sessions have ended.',
    'zh-CN': '您的邮箱已更改，其他会话已退出。',
    'zh-TW': '您的電子郵件已變更，其他工作階段已登出。',
  },
  accountRestored: {
    en: 'Your account is restored. Sign in again.',
    'zh-CN': '您的账户已恢复，请重新登录。',
    'zh-TW': '您的帳戶已還原，請重新登入。',
  },
} as const satisfies Record<string, Readonly<Record<Locale, string>>>;
