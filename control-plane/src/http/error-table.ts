import type { Locale } from './locale.js';

/** Meaning of an error code on the wire. */
export interface ErrorDefinition {
  /** HTTP statuses it may be sent with; the first is the usual one. */
  readonly statuses: readonly [number, ...number[]];
  /** Messages for people; programs branch on the code. */
  readonly messages: Readonly<Record<Locale, string>>;
}

/**
 * The one list of error codes (API specification 7). Types, replies, the OpenAPI document, the error pages and docs/errors.md derive
 * from it; the last two have those alone that an operation of this version returns.
 */
export const errorTable = {
  // Credentials and sessions
  AUTH_REQUIRED: define([401], 'Authentication is required.', '需要身份验证。', '需要身分驗證。'),
  AUTH_INVALID_TOKEN: define([401], 'The token is not valid.', '令牌无效。', '權杖無效。'),
  AUTH_EXPIRED: define(
    [401],
    'The access token has expired. Refresh it or sign in again.',
    '访问令牌已过期，请刷新或重新登录。',
    '存取權杖已過期，請更新或重新登入。',
  ),
  AUTH_CREDENTIALS_INVALID: define(
    [401],
    'The e-mail address or the password is wrong.',
    '邮箱或密码错误。',
    '電子郵件或密碼錯誤。',
  ),
  AUTH_EMAIL_NOT_VERIFIED: define(
    [403],
    'Verify your e-mail address before signing in.',
    '请先验证邮箱再登录。',
    '請先驗證電子郵件再登入。',
  ),
  AUTH_ACCOUNT_DISABLED: define([403], 'This account is disabled.', '该账户已被停用。', '此帳戶已停用。'),
  AUTH_2FA_REQUIRED: define([401], 'A two-factor code is required.', '需要两步验证码。', '需要雙重驗證碼。'),
  AUTH_2FA_INVALID: define([401], 'The two-factor code is wrong.', '两步验证码错误。', '雙重驗證碼錯誤。'),
  AUTH_OAUTH_LINKED_OTHER_USER: define(
    [409],
    'This external account is linked to another user.',
    '该外部账号已绑定其他用户。',
    '此外部帳號已連結其他使用者。',
  ),
  AUTH_OAUTH_STATE_INVALID: define(
    [400],
    'The sign-in attempt has expired or was not started here. Start again.',
    '登录请求已过期或无效，请重新开始。',
    '登入要求已過期或無效，請重新開始。',
  ),
  AUTH_WEBAUTHN_CHALLENGE_INVALID: define(
    [400],
    'The passkey challenge has expired or does not match. Start again.',
    '通行密钥质询已过期或不匹配，请重新开始。',
    '通行金鑰質詢已過期或不相符，請重新開始。',
  ),
  AUTH_SESSION_INVALID: define(
    [401],
    'The session has ended. Sign in again.',
    '会话已失效，请重新登录。',
    '工作階段已失效，請重新登入。',
  ),
  AUTH_OTP_INVALID: define(
    [400],
    'The code or link is wrong or has already been used. Request a new one.',
    '验证码或链接无效，或已被使用，请重新获取。',
    '驗證碼或連結無效，或已被使用，請重新取得。',
  ),
  AUTH_OTP_EXPIRED: define(
    [400],
    'The code or link has expired. Request a new one.',
    '验证码或链接已过期，请重新获取。',
    '驗證碼或連結已過期，請重新取得。',
  ),
  AUTH_OTP_ATTEMPTS_EXCEEDED: define(
    [429],
    'Too many wrong one-time codes. Request a new one later.',
    '验证码错误次数过多，请稍后重新获取。',
    '驗證碼錯誤次數過多，請稍後重新取得。',
  ),
  AUTH_PASSWORD_WEAK: define([400], 'The password is too weak.', '密码强度不足。', '密碼強度不足。'),
  AUTH_PASSWORD_REUSED: define(
    [400],
    'The password was used before. Choose another.',
    '该密码曾被使用，请更换。',
    '此密碼曾使用過，請更換。',
  ),

  // Accounts
  ACCOUNT_NOT_FOUND: define([404], 'The account does not exist.', '账户不存在。', '帳戶不存在。'),
  ACCOUNT_EMAIL_TAKEN: define(
    [409],
    'This e-mail address is already in use.',
    '该邮箱已被使用。',
    '此電子郵件已被使用。',
  ),
  ACCOUNT_USERNAME_TAKEN: define(
    [409],
    'This user name is already in use.',
    '该用户名已被使用。',
    '此使用者名稱已被使用。',
  ),
  ACCOUNT_LOCALE_UNSUPPORTED: define(
    [400],
    'This locale is not supported.',
    '不支持该语言区域。',
    '不支援此語言地區。',
  ),
  ACCOUNT_TIMEZONE_INVALID: define(
    [400],
    'This is not a valid IANA time zone.',
    '不是有效的 IANA 时区。',
    '不是有效的 IANA 時區。',
  ),
  ACCOUNT_DELETED: define([403], 'This account has been deleted.', '该账户已被删除。', '此帳戶已被刪除。'),
  ACCOUNT_EMAIL_UNVERIFIED: define([403], 'Verify your e-mail address first.', '请先验证邮箱。', '請先驗證電子郵件。'),

  // General
  VALIDATION_FAILED: define(
    [400, 422],
    'The request is not valid. See details for each field.',
    '请求无效，各字段的问题见 details。',
    '要求無效，各欄位的問題見 details。',
  ),
  RATE_LIMIT_EXCEEDED: define(
    [429],
    'Too many requests. Try again later.',
    '请求过于频繁，请稍后再试。',
    '要求過於頻繁，請稍後再試。',
  ),
  NOT_FOUND: define(
    [404, 405],
    'No resource exists under this path, id or method.',
    '该路径、ID 或方法下没有资源。',
    '此路徑、ID 或方法下沒有資源。',
  ),
  FORBIDDEN: define([403], 'You are not allowed to do this.', '没有执行此操作的权限。', '沒有執行此操作的權限。'),
  CONFLICT: define(
    [409],
    'The request conflicts with the current state.',
    '请求与当前状态冲突。',
    '要求與目前狀態衝突。',
  ),
  DUPLICATE: define([409], 'This resource already exists.', '该资源已存在。', '此資源已存在。'),
  REQUEST_TIMEOUT: define([408], 'The request did not arrive in time.', '请求未能及时送达。', '要求未能及時送達。'),
  REQUEST_BODY_INVALID: define(
    [400, 413, 431],
    'The request cannot be read: it is malformed, of a type that the operation does not accept, or too large.',
    '无法读取请求：格式错误、类型不被该操作接受，或内容过大。',
    '無法讀取要求：格式錯誤、類型不被此操作接受，或內容過大。',
  ),

  // Server
  INTERNAL_ERROR: define(
    [500],
    'Something went wrong on our side. Quote the request id when you report it.',
    '服务器内部错误，反馈时请提供请求编号。',
    '伺服器內部錯誤，回報時請提供要求編號。',
  ),
  UNAVAILABLE: define(
    [503],
    'The service is not available at the moment. Try again shortly.',
    '服务暂时不可用，请稍后再试。',
    '服務暫時無法使用，請稍後再試。',
  ),
  UNKNOWN: define([500], 'An unknown error occurred.', '发生未知错误。', '發生未知錯誤。'),

  // Monitors
  MONITOR_NOT_FOUND: define([404], 'The monitor does not exist.', '监控不存在。', '監控不存在。'),
  MONITOR_NAME_TAKEN: define([409], 'A monitor with this name already exists.', '已存在同名监控。', '已存在同名監控。'),
  MONITOR_LIMIT_EXCEEDED: define(
    [429],
    'Your plan does not allow more monitors.',
    '监控数量已达套餐上限。',
    '監控數量已達方案上限。',
  ),
  MONITOR_INVALID_TARGET: define(
    [422],
    'This target may not be monitored.',
    '不允许监控该目标。',
    '不允許監控此目標。',
  ),
  MONITOR_INVALID_INTERVAL: define(
    [400],
    'This interval is not supported.',
    '不支持该监控间隔。',
    '不支援此監控間隔。',
  ),
  MONITOR_PAUSED: define([409], 'The monitor is paused.', '监控已暂停。', '監控已暫停。'),

  // Alerts
  ALERT_RULE_CONFLICT: define(
    [409],
    'The alert policy conflicts with another.',
    '告警策略与其他策略冲突。',
    '告警策略與其他策略衝突。',
  ),
  ALERT_RULE_NOT_FOUND: define([404], 'The alert policy does not exist.', '告警策略不存在。', '告警策略不存在。'),
  ALERT_CHANNEL_NOT_FOUND: define([404], 'The alert channel does not exist.', '告警渠道不存在。', '告警管道不存在。'),
  ALERT_CHANNEL_INVALID: define(
    [422],
    'The alert channel cannot be used as configured.',
    '告警渠道配置不可用。',
    '告警管道設定無法使用。',
  ),
  ALERT_NOISE_RULE_NOT_FOUND: define(
    [404],
    'The alert group or silence does not exist.',
    '告警分组或静默规则不存在。',
    '告警群組或靜音規則不存在。',
  ),

  // Billing
  BILLING_INSUFFICIENT_CREDITS: define([422], 'The balance does not cover this.', '余额不足。', '餘額不足。'),
  BILLING_PLAN_NOT_FOUND: define([404], 'The plan does not exist.', '套餐不存在。', '方案不存在。'),
  BILLING_INVOICE_NOT_FOUND: define([404], 'The invoice does not exist.', '账单不存在。', '帳單不存在。'),
  BILLING_PAYMENT_FAILED: define([422], 'The payment failed.', '支付失败。', '付款失敗。'),
  BILLING_REFUND_FAILED: define(
    [502],
    'The payment provider did not accept the refund.',
    '支付平台未能完成退款。',
    '支付平台未能完成退款。',
  ),
  BILLING_QUOTA_EXCEEDED: define(
    [429],
    'The paid units of this period are used up.',
    '本周期的付费用量已用完。',
    '本期的付費用量已用完。',
  ),

  // Quotas and plans
  QUOTA_EXCEEDED: define([429], 'Your quota is used up.', '配额已用完。', '配額已用完。'),
  FEATURE_LOCKED: define([403], 'Your plan does not include this.', '当前套餐不包含此功能。', '目前方案不包含此功能。'),

  // Status pages
  STATUS_PAGE_NOT_FOUND: define([404], 'The status page does not exist.', '状态页不存在。', '狀態頁不存在。'),
  STATUS_PAGE_SLUG_TAKEN: define(
    [409],
    'This status page address is already in use.',
    '该状态页地址已被占用。',
    '此狀態頁網址已被使用。',
  ),
  STATUS_PAGE_DOMAIN_INVALID: define(
    [422],
    'This domain cannot be used for a status page.',
    '该域名不能用于状态页。',
    '此網域不能用於狀態頁。',
  ),
  STATUS_PAGE_DOMAIN_TAKEN: define(
    [409],
    'This domain is already used by another status page.',
    '该域名已被其他状态页使用。',
    '此網域已被其他狀態頁使用。',
  ),

  // Nodes
  NODE_NOT_FOUND: define([404], 'The node does not exist.', '节点不存在。', '節點不存在。'),
  NODE_ENROLLMENT_TOKEN_INVALID: define(
    [401],
    'The enrollment token is unknown, used, expired or revoked.',
    '注册令牌未知、已使用、已过期或已撤销。',
    '註冊權杖不明、已使用、已過期或已撤銷。',
  ),
  NODE_OFFLINE: define([503], 'The node is not connected.', '节点未连接。', '節點未連線。'),
  NODE_UPGRADE_FAILED: define([502], 'The node could not be upgraded.', '节点升级失败。', '節點升級失敗。'),
  NODE_STATE_CONFLICT: define(
    [409],
    'The current state does not allow this.',
    '当前状态不允许此操作。',
    '目前狀態不允許此操作。',
  ),
  NODE_ALREADY_BANNED: define([409], 'The node is already banned.', '节点已被封禁。', '節點已被封鎖。'),
  NODE_NOT_BANNED: define([409], 'The node is not banned.', '节点未被封禁。', '節點未被封鎖。'),

  // Teams
  TEAM_NOT_FOUND: define([404], 'The team does not exist.', '团队不存在。', '團隊不存在。'),
  TEAM_MEMBER_EXISTS: define([409], 'This user is already a member.', '该用户已是成员。', '此使用者已是成員。'),
  TEAM_INVITE_INVALID: define(
    [422],
    'The invitation is unknown, used or expired.',
    '邀请未知、已使用或已过期。',
    '邀請不明、已使用或已過期。',
  ),

  // API keys and personal access tokens
  API_KEY_NOT_FOUND: define([404], 'The API key does not exist.', 'API 密钥不存在。', 'API 金鑰不存在。'),
  API_KEY_REVOKED: define([401], 'The API key has been revoked.', 'API 密钥已被撤销。', 'API 金鑰已被撤銷。'),
  PAT_NOT_FOUND: define(
    [404],
    'The personal access token does not exist.',
    '个人访问令牌不存在。',
    '個人存取權杖不存在。',
  ),
  TOKEN_EXPIRED: define([401], 'The key or token has expired.', '密钥或令牌已过期。', '金鑰或權杖已過期。'),
  TOKEN_LIMIT_EXCEEDED: define(
    [429],
    'No more keys or tokens can be created.',
    '密钥或令牌数量已达上限。',
    '金鑰或權杖數量已達上限。',
  ),

  // Incidents
  POSTMORTEM_NOT_FOUND: define([404], 'The postmortem does not exist.', '复盘报告不存在。', '檢討報告不存在。'),
  INCIDENT_NOT_FOUND: define([404], 'The incident does not exist.', '事件不存在。', '事件不存在。'),

  // Probes
  PROBE_JOB_NOT_FOUND: define([404], 'The probe task does not exist.', '探测任务不存在。', '探測工作不存在。'),
  PROBE_TARGET_INVALID: define([422], 'This target may not be probed.', '不允许探测该目标。', '不允許探測此目標。'),
  DIAGNOSE_REPORT_TOO_LONG: define(
    [422],
    'The diagnosis would be too long. Choose fewer sections.',
    '诊断报告过长，请减少检查项。',
    '診斷報告過長，請減少檢查項目。',
  ),

  // On-call
  ONCALL_SCHEDULE_NOT_FOUND: define([404], 'The on-call schedule does not exist.', '值班表不存在。', '值班表不存在。'),
  ONCALL_PARTICIPANT_NOT_FOUND: define(
    [404],
    'The on-call participant does not exist.',
    '值班成员不存在。',
    '值班成員不存在。',
  ),
  ONCALL_SCHEDULE_NAME_TAKEN: define(
    [409],
    'An on-call schedule with this name already exists.',
    '已存在同名值班表。',
    '已存在同名值班表。',
  ),
  ONCALL_TEAM_MEMBER_REQUIRED: define(
    [403],
    'Only members of the team can be on call.',
    '只有团队成员可以值班。',
    '只有團隊成員可以值班。',
  ),
} satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorTable;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}

function define(statuses: ErrorDefinition['statuses'], en: string, zhCn: string, zhTw: string): ErrorDefinition {
  return { statuses, messages: { en, 'zh-CN': zhCn, 'zh-TW': zhTw } };
}
