import type { Reader } from '../../../http/instant-text.js';
import type { Locale } from '../../../http/locale.js';
import { type Block, instant, type MailContent, type MailTemplate, note, paragraph } from '../../../mail/template.js';
import { givenName } from './given-name.js';

/** The first names of a list, and its total number of names. */
export interface NameList {
  readonly names: readonly string[];
  readonly total: number;
}

/** Data of the template `account-access`. */
export interface AccountAccessData {
  /** True if a mailed link set a password; false if it verified the address only, and the password may be someone else's. */
  readonly hasNewPassword: boolean;
  /** ISO 8601. */
  readonly at: string;
  /** IP address of the request. */
  readonly address: string;
  readonly revoked: {
    readonly sessions: number;
    readonly passkeys: NameList;
    readonly apiKeys: NameList;
    readonly personalTokens: NameList;
    readonly enrollmentTokens: NameList;
    /** External accounts that the user could sign in with. */
    readonly identities: NameList;
    /** Things that modules held for the account, by kind. */
    readonly holdings: readonly (NameList & { readonly words: Readonly<Record<Locale, string>> })[];
  };
  /** ISO 8601; null if there is no password. */
  readonly passwordSetAt: string | null;
  /** Remaining passkeys. */
  readonly passkeys: NameList;
  /** Remaining nodes. */
  readonly nodes: NameList;
  /** Remaining external accounts. */
  readonly identities: NameList;
}

type Occasion = 'verified' | 'reset';
type Credential = Exclude<keyof AccountAccessData['revoked'], 'holdings'>;

interface Words {
  readonly subject: Readonly<Record<Occasion, string>>;
  readonly opening: Readonly<Record<Occasion, (at: string, address: string) => string>>;
  readonly revoked: string;
  readonly nothingRevoked: string;
  readonly credentials: Readonly<Record<Credential, string>>;
  readonly nodes: string;
  /** Line of a list: the kind, and names or a number. */
  readonly line: (kind: string, items: string) => string;
  readonly quoted: (name: string) => string;
  readonly separator: string;
  readonly more: (count: number) => string;
  readonly left: string;
  readonly password: (setAt: string) => string;
  readonly noPassword: string;
  readonly nothingElse: string;
  readonly advice: Readonly<Record<Occasion | 'noPassword', string>>;
  readonly nodesAdvice: string;
  readonly names: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    subject: {
      verified: 'Your e-mail address was verified: access to your account',
      reset: 'Your password was changed: access to your account',
    },
    opening: {
      verified: (at, address) => `The e-mail address of your Vantage account was verified on ${at}, from ${address}.`,
      reset: (at, address) =>
        `The password of your Vantage account was changed on ${at}, from ${address}, with a link that was mailed to you.`,
    },
    revoked: 'Earlier credentials for the account may have been created by someone else. These were revoked:',
    nothingRevoked: 'There were no other credentials for the account.',
    credentials: {
      sessions: 'Sessions',
      passkeys: 'Passkeys',
      apiKeys: 'API keys',
      personalTokens: 'Personal access tokens',
      enrollmentTokens: 'Enrollment tokens',
      identities: 'External accounts',
    },
    nodes: 'Nodes',
    line: (kind, items) => `${kind}: ${items}`,
    quoted: (name) => `“${name}”`,
    separator: ', ',
    more: (count) => `and ${count} more`,
    left: 'These give access to the account now:',
    password: (setAt) => `The password that was set on ${setAt}`,
    noPassword: 'No password',
    nothingElse: 'No passkey, key, token, node or session',
    advice: {
      verified:
        'If you did not choose this password yourself, request a new one now: the person who chose it can still sign in.',
      reset:
        'If this was not you, someone else reads your mail: secure your mailbox first, then request a new password.',
      noPassword:
        'A password that was set before does not work any more: sign in with a mailed code, or request a new password.',
    },
    nodesAdvice:
      'Delete every node that you do not know: nodes receive the data of your monitors, including passwords.',
    names: 'Names in quotation marks were chosen by the people who created these items, not by us.',
  },
  'zh-CN': {
    subject: {
      verified: '您的邮箱已验证：可访问您账户的凭据',
      reset: '您的密码已更改：可访问您账户的凭据',
    },
    opening: {
      verified: (at, address) => `您的 Vantage 账户邮箱已于 ${at}验证，操作来自 ${address}。`,
      reset: (at, address) => `您的 Vantage 账户密码已于 ${at}通过发送给您的邮件链接更改，操作来自 ${address}。`,
    },
    revoked: '此前可访问该账户的凭据可能由他人创建，现已全部撤销：',
    nothingRevoked: '此前没有其他可访问该账户的凭据。',
    credentials: {
      sessions: '会话',
      passkeys: '通行密钥',
      apiKeys: 'API 密钥',
      personalTokens: '个人访问令牌',
      enrollmentTokens: '注册令牌',
      identities: '外部账号',
    },
    nodes: '节点',
    line: (kind, items) => `${kind}：${items}`,
    quoted: (name) => `“${name}”`,
    separator: '、',
    more: (count) => `另有 ${count} 个`,
    left: '目前可访问该账户的有：',
    password: (setAt) => `于 ${setAt}设置的密码`,
    noPassword: '没有密码',
    nothingElse: '没有通行密钥、密钥、令牌、节点或会话',
    advice: {
      verified: '如果该密码不是您本人设置的，请立即重置密码：设置者仍可登录。',
      reset: '如果不是您本人操作，说明他人能阅读您的邮件：请先保护您的邮箱，再重置密码。',
      noPassword: '此前设置的密码已失效：请使用邮件验证码登录，或重置密码。',
    },
    nodesAdvice: '请删除您不认识的节点：节点会获得监控所需的信息，包括其中的密码。',
    names: '引号中的名称由创建者填写，并非由我们提供。',
  },
  'zh-TW': {
    subject: {
      verified: '您的電子郵件已驗證：可存取您帳戶的憑證',
      reset: '您的密碼已變更：可存取您帳戶的憑證',
    },
    opening: {
      verified: (at, address) => `您的 Vantage 帳戶電子郵件已於 ${at}驗證，操作來自 ${address}。`,
      reset: (at, address) => `您的 Vantage 帳戶密碼已於 ${at}透過寄給您的郵件連結變更，操作來自 ${address}。`,
    },
    revoked: '先前可存取該帳戶的憑證可能由他人建立，現已全部撤銷：',
    nothingRevoked: '先前沒有其他可存取該帳戶的憑證。',
    credentials: {
      sessions: '工作階段',
      passkeys: '通行金鑰',
      apiKeys: 'API 金鑰',
      personalTokens: '個人存取權杖',
      enrollmentTokens: '註冊權杖',
      identities: '外部帳號',
    },
    nodes: '節點',
    line: (kind, items) => `${kind}：${items}`,
    quoted: (name) => `「${name}」`,
    separator: '、',
    more: (count) => `另有 ${count} 個`,
    left: '目前可存取該帳戶的有：',
    password: (setAt) => `於 ${setAt}設定的密碼`,
    noPassword: '沒有密碼',
    nothingElse: '沒有通行金鑰、金鑰、權杖、節點或工作階段',
    advice: {
      verified: '若該密碼不是您本人設定的，請立即重設密碼：設定者仍可登入。',
      reset: '若不是您本人操作，代表他人能閱讀您的郵件：請先保護您的信箱，再重設密碼。',
      noPassword: '先前設定的密碼已失效：請使用郵件驗證碼登入，或重設密碼。',
    },
    nodesAdvice: '請刪除您不認得的節點：節點會取得監控所需的資訊，包括其中的密碼。',
    names: '引號中的名稱由建立者填寫，並非由我們提供。',
  },
};

/** Reports to the owner of a proven address what was revoked, and what gives access to the account now. */
export const accountAccess: MailTemplate<AccountAccessData> = {
  example: {
    hasNewPassword: true,
    at: '2026-11-21T09:16:00.000Z',
    address: '2001:db8::7',
    revoked: {
      sessions: 2,
      passkeys: { names: [], total: 0 },
      apiKeys: { names: ['dashboard'], total: 1 },
      personalTokens: { names: [], total: 0 },
      enrollmentTokens: { names: ['ent_***abcd'], total: 1 },
      identities: { names: ['github ada'], total: 1 },
      holdings: [
        { words: { en: 'Nodes', 'zh-CN': '节点', 'zh-TW': '節點' }, names: ['frankfurt-1'], total: 1 },
        {
          words: { en: 'Alert channels', 'zh-CN': '告警渠道', 'zh-TW': '告警管道' },
          names: ['operations'],
          total: 1,
        },
      ],
    },
    passwordSetAt: '2026-11-21T09:16:00.000Z',
    passkeys: { names: ['Laptop'], total: 1 },
    nodes: { names: ['tokyo-1', 'tokyo-2'], total: 30 },
    identities: { names: [], total: 0 },
  },
  en: (data, timezone) => content(data, { locale: 'en', timezone }),
  'zh-CN': (data, timezone) => content(data, { locale: 'zh-CN', timezone }),
  'zh-TW': (data, timezone) => content(data, { locale: 'zh-TW', timezone }),
};

function content(data: AccountAccessData, { locale, timezone }: Reader): MailContent {
  const says = words[locale];
  const { hasNewPassword, passwordSetAt, passkeys, nodes, identities } = data;
  const occasion = hasNewPassword ? 'reset' : 'verified';
  const revoked = revokedLines(data, says, locale);
  const kept = [
    { kind: says.credentials.passkeys, list: passkeys },
    { kind: says.credentials.identities, list: identities },
    { kind: says.nodes, list: nodes },
  ].filter(({ list }) => list.total > 0);
  const left = [
    paragraph(passwordSetAt === null ? says.noPassword : says.password(instant(passwordSetAt, locale, timezone))),
    ...(kept.length === 0 ? [paragraph(says.nothingElse)] : []),
    ...kept.map(({ kind, list }) => paragraph(says.line(kind, listed(list, says)))),
  ];
  const { sessions: _, holdings, ...credentials } = data.revoked;
  const lists = [passkeys, identities, nodes, ...Object.values(credentials), ...holdings];
  const hasNames = lists.some(({ total }) => total > 0);
  return {
    subject: says.subject[occasion],
    blocks: [
      paragraph(says.opening[occasion](instant(data.at, locale, timezone), data.address)),
      paragraph(revoked.length > 0 ? says.revoked : says.nothingRevoked),
      ...revoked,
      paragraph(says.left),
      ...left,
      paragraph(says.advice[passwordSetAt === null ? 'noPassword' : occasion]),
      ...(nodes.total === 0 ? [] : [paragraph(says.nodesAdvice)]),
      ...(hasNames ? [note(says.names)] : []),
    ],
  };
}

function revokedLines({ revoked }: AccountAccessData, says: Words, locale: Locale): Block[] {
  const { sessions, holdings, ...credentials } = revoked;
  const lists = [
    ...Object.entries(credentials).map(([kind, list]) => ({ words: says.credentials[kind as Credential], list })),
    ...holdings.map(({ words, ...list }) => ({ words: words[locale], list })),
  ];
  const named = lists
    .filter(({ list }) => list.total > 0)
    .map(({ words, list }) => paragraph(says.line(words, listed(list, says))));
  return sessions === 0 ? named : [paragraph(says.line(says.credentials.sessions, String(sessions))), ...named];
}

function listed({ names, total }: NameList, { quoted, separator, more }: Words): string {
  const shown = names.map((name) => quoted(givenName(name)));
  return [...shown, ...(total > names.length ? [more(total - names.length)] : [])].join(separator);
}
