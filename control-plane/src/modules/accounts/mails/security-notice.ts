import type { Locale } from '../../../http/locale.js';
import { instant, type MailTemplate, note, paragraph } from '../../../mail/template.js';
import { givenName } from './given-name.js';

/** Kind of change to an account. */
export type SecurityEvent =
  | 'sign_in.new_place'
  | 'factor.enabled'
  | 'factor.disabled'
  | 'factors.reset'
  | 'recovery_codes.created'
  | 'recovery_code.used'
  | 'passkey.added'
  | 'passkey.removed'
  | 'passkey.cloned'
  | 'identity.linked'
  | 'identity.unlinked'
  | 'email.changed'
  | 'api_key.created'
  | 'token.created';

/** Data of the template `security-notice`. */
export interface SecurityNoticeData {
  readonly kind: SecurityEvent;
  /** Name of the passkey, provider, key or token, the program that signed in, or the new address; empty if there is none. */
  readonly name: string;
  /** ISO 8601. */
  readonly at: string;
  /** IP address of the request; empty if it is not known. */
  readonly address: string;
}

const subjects: Readonly<Record<Locale, Readonly<Record<SecurityEvent, string>>>> = {
  en: {
    'sign_in.new_place': 'New sign-in to your account',
    'factor.enabled': 'Two-factor sign-in was turned on',
    'factor.disabled': 'Two-factor sign-in was turned off',
    'factors.reset': 'An administrator removed your second factors and passkeys',
    'recovery_codes.created': 'New recovery codes were created',
    'recovery_code.used': 'A recovery code was used',
    'passkey.added': 'A passkey was added',
    'passkey.removed': 'A passkey was removed',
    'passkey.cloned': 'A passkey seems to have been copied',
    'identity.linked': 'An external account was linked',
    'identity.unlinked': 'An external account was unlinked',
    'email.changed': 'The e-mail address of your account was changed',
    'api_key.created': 'An API key was created',
    'token.created': 'A personal access token was created',
  },
  'zh-CN': {
    'sign_in.new_place': '您的账户有新的登录',
    'factor.enabled': '两步验证已开启',
    'factor.disabled': '两步验证已关闭',
    'factors.reset': '管理员已移除您的两步验证和通行密钥',
    'recovery_codes.created': '已生成新的恢复码',
    'recovery_code.used': '一个恢复码已被使用',
    'passkey.added': '已添加通行密钥',
    'passkey.removed': '已移除通行密钥',
    'passkey.cloned': '一个通行密钥可能已被复制',
    'identity.linked': '已绑定外部账号',
    'identity.unlinked': '已解绑外部账号',
    'email.changed': '您账户的邮箱已更改',
    'api_key.created': '已创建 API 密钥',
    'token.created': '已创建个人访问令牌',
  },
  'zh-TW': {
    'sign_in.new_place': '您的帳戶有新的登入',
    'factor.enabled': '雙重驗證已開啟',
    'factor.disabled': '雙重驗證已關閉',
    'factors.reset': '管理員已移除您的雙重驗證與通行金鑰',
    'recovery_codes.created': '已產生新的復原碼',
    'recovery_code.used': '一個復原碼已被使用',
    'passkey.added': '已新增通行金鑰',
    'passkey.removed': '已移除通行金鑰',
    'passkey.cloned': '一個通行金鑰可能已被複製',
    'identity.linked': '已連結外部帳號',
    'identity.unlinked': '已解除連結外部帳號',
    'email.changed': '您帳戶的電子郵件已變更',
    'api_key.created': '已建立 API 金鑰',
    'token.created': '已建立個人存取權杖',
  },
};

const what = (locale: Locale, { kind, name }: SecurityNoticeData) => {
  const subject = subjects[locale][kind];
  if (name === '') return subject;
  // someone else may have chosen it, except for the new address
  const shown = kind === 'email.changed' ? name : givenName(name);
  return locale === 'en' ? `${subject}: ${shown}` : `${subject}：${shown}`;
};

/** Tells the owner about a change to what protects the account, or a sign-in from a place that it never had. */
export const securityNotice: MailTemplate<SecurityNoticeData> = {
  example: { kind: 'passkey.added', name: 'Laptop', at: '2026-11-21T09:16:00.000Z', address: '2001:db8::7' },
  en: (data, timezone) => ({
    subject: subjects.en[data.kind],
    blocks: [
      paragraph(`${what('en', data)}.`),
      paragraph(`On ${instant(data.at, 'en', timezone)}${data.address === '' ? '' : `, from ${data.address}`}.`),
      note(
        'If this was not you, set a new password at once and look at the sessions, passkeys and keys of your account: someone else has access to it.',
      ),
    ],
  }),
  'zh-CN': (data, timezone) => ({
    subject: subjects['zh-CN'][data.kind],
    blocks: [
      paragraph(`${what('zh-CN', data)}。`),
      paragraph(`时间：${instant(data.at, 'zh-CN', timezone)}${data.address === '' ? '' : `，来自 ${data.address}`}。`),
      note('如果不是您本人操作，请立即设置新密码，并检查账户的会话、通行密钥和密钥：有人可以访问您的账户。'),
    ],
  }),
  'zh-TW': (data, timezone) => ({
    subject: subjects['zh-TW'][data.kind],
    blocks: [
      paragraph(`${what('zh-TW', data)}。`),
      paragraph(`時間：${instant(data.at, 'zh-TW', timezone)}${data.address === '' ? '' : `，來自 ${data.address}`}。`),
      note('若不是您本人操作，請立即設定新密碼，並檢查帳戶的工作階段、通行金鑰與金鑰：有人可以存取您的帳戶。'),
    ],
  }),
};
