import type { CatalogEntry } from '../template.js';

/** Refusals about accounts, passwords and tokens. */
export const accountMessages: readonly CatalogEntry[] = [
  ['must be an e-mail address', '必须是邮箱地址', '必須是電子郵件地址'],
  ['is no address', '不是地址', '不是地址'],
  [
    'must have a public domain after the @, for example {}, not an IP address or a local name',
    '@ 之后必须是公共域名，例如 {1}，不能是 IP 地址或本地名称',
    '@ 之後必須是公開網域，例如 {1}，不得是 IP 位址或本地名稱',
  ],
  [
    'must be one line of text without control characters',
    '必须是一行不含控制字符的文本',
    '必須是一行不含控制字元的文字',
  ],
  [
    'must not be one of your last {} passwords',
    '不能是您最近使用过的 {1} 个密码之一',
    '不得是您最近使用過的 {1} 個密碼之一',
  ],
  ['must have at least three different characters', '至少需要三个不同的字符', '至少需要三個不同的字元'],
  ['must not be the e-mail address', '不能与邮箱地址相同', '不得與電子郵件地址相同'],
  ['is one of the most used passwords; choose another', '是最常用的密码之一，请换一个', '是最常用的密碼之一，請換一個'],
  [
    'too many wrong codes were tried for this account; sign in from a network that you used before, with a passkey, or later',
    '此账户的错误验证码尝试过多；请从您以前使用过的网络登录、使用通行密钥，或稍后再试',
    '此帳戶嘗試錯誤驗證碼的次數過多；請從您以前使用過的網路登入、使用通行金鑰，或稍後再試',
  ],
  [
    'must be the access token of a login, since the account has a second factor',
    '必须是登录所得的访问令牌，因为此账户开启了两步验证',
    '必須是登入所得的存取權杖，因為此帳戶開啟了雙重驗證',
  ],
  ['this account confirms by {}', '此账户的确认方式：{1}', '此帳戶的確認方式：{1}'],
  ['is not what the other device shows', '与另一台设备显示的不符', '與另一台裝置顯示的不符'],
  ['must have exactly one proof', '必须恰好包含一项证明', '必須恰好包含一項證明'],
  [
    'is erased on {}; the link in the mail about it restores the account until then',
    '将于 {1} 被清除；在此之前，可通过相关邮件中的链接恢复账户',
    '將於 {1} 被清除；在此之前，可透過相關郵件中的連結還原帳戶',
  ],
  [
    'the form is not from this page, or was open too long; go back, load the page again and send it once more',
    '表单不是来自此页面，或打开时间过长；请返回并重新加载页面后再次提交',
    '表單不是來自此頁面，或開啟時間過長；請返回並重新載入頁面後再次送出',
  ],
  ['must be absent if password is sent', '发送 password 时不能同时发送', '傳送 password 時不得同時傳送'],
  ['is wrong', '不正确', '不正確'],
  [
    'too many wrong passwords were tried for this account; if this one is correct and the address of the account is verified, a link that lets you sign in was mailed to it; you can also set a new password with POST /v1/auth/password/forgot',
    '此账户的错误密码尝试过多；如果此密码正确且账户邮箱已验证，登录链接已发送到该邮箱；您也可以通过 POST /v1/auth/password/forgot 设置新密码',
    '此帳戶嘗試錯誤密碼的次數過多；如果此密碼正確且帳戶的電子郵件已驗證，登入連結已寄至該信箱；您也可以透過 POST /v1/auth/password/forgot 設定新密碼',
  ],
  [
    'has an account already; sign in, or request a new password',
    '已有账户；请登录，或申请重设密码',
    '已有帳戶；請登入，或申請重設密碼',
  ],
  [
    'needs credentials with all scopes, or a mailed link, since a password gives full access',
    '需要具有全部权限范围的凭据，或邮件中的链接，因为密码可访问一切',
    '需要具有全部權限範圍的憑證，或郵件中的連結，因為密碼可存取一切',
  ],
  [
    'has an account already; sign in, and link the external account',
    '已有账户；请登录，再绑定外部账号',
    '已有帳戶；請登入，再連結外部帳號',
  ],
  [
    'is not verified at the provider; verify it there, or register with a password',
    '未在提供方验证；请在那里验证，或用密码注册',
    '未在提供者驗證；請在該處驗證，或以密碼註冊',
  ],
  [
    'was declined at the provider; start again, or sign in another way',
    '已在提供方被拒绝；请重新开始，或用其他方式登录',
    '已在提供者遭拒絕；請重新開始，或以其他方式登入',
  ],
  [
    'does not work at the moment; start again later, or sign in another way',
    '目前无法使用；请稍后重新开始，或用其他方式登录',
    '目前無法使用；請稍後重新開始，或以其他方式登入',
  ],
  [
    'must be {}, or an address of VANTAGE_OAUTH_REDIRECTS',
    '必须是 {1}，或 VANTAGE_OAUTH_REDIRECTS 中的地址',
    '必須是 {1}，或 VANTAGE_OAUTH_REDIRECTS 中的位址',
  ],
  ['must be sent, or `error` instead', '请发送 code 或 error 之一', '請傳送 code 或 error 其中之一'],
  [
    'is the last way to sign in; set a password or add a passkey first',
    '是最后一种登录方式；请先设置密码或添加通行密钥',
    '是最後一種登入方式；請先設定密碼或新增通行金鑰',
  ],
  [
    'is closed here; ask the operator for an account',
    '此处未开放；请向运营者申请账户',
    '此處未開放；請向營運者申請帳戶',
  ],
  [
    'is missing: no admin exists, create one with user create --role admin',
    '缺失：没有管理员，请用 user create --role admin 创建',
    '缺少：沒有管理員，請用 user create --role admin 建立',
  ],
  [
    'is the only administrator; create another one first',
    '是唯一的管理员；请先创建另一个',
    '是唯一的管理員；請先建立另一個',
  ],
  [
    'an account has at most {} passkeys; remove one first',
    '一个账户最多有 {1} 个通行密钥；请先移除一个',
    '一個帳戶最多有 {1} 個通行金鑰；請先移除一個',
  ],
  [
    'is supported only where the public URL has https and a domain name, or is http://localhost',
    '需要服务的公开 URL 使用 https 和域名，或为 http://localhost',
    '需要服務的公開 URL 使用 https 與網域名稱，或為 http://localhost',
  ],
  ['has an account already', '已有账户', '已有帳戶'],
  ['is the address of the account already', '已是此账户的邮箱', '已是此帳戶的電子郵件'],
  ['is not to be erased', '并非即将清除的账户', '並非即將清除的帳戶'],
  ['is to be erased already', '已是即将清除的账户', '已是即將清除的帳戶'],
  [
    'is your own; another administrator can do this',
    '是您自己的账户；可由其他管理员操作',
    '是您自己的帳戶；可由其他管理員操作',
  ],
  [
    'is required without a terminal: add --yes',
    '在没有终端时必须提供：请加上 --yes',
    '沒有終端機時必須提供：請加上 --yes',
  ],
  ['must not be sent together with expires_days', '不能与 expires_days 同时发送', '不得與 expires_days 同時傳送'],
  ['must be at most {} days from now', '距今不能超过 {1} 天', '距今不得超過 {1} 天'],
  [
    '"admin" is only for administrators, requested by a session or by a token that has it',
    '"admin" 仅供管理员使用，且须由会话或具有该权限的令牌申请',
    '"admin" 僅供管理員使用，且須由工作階段或具有該權限的權杖申請',
  ],
  [
    '"admin" is only for administrators, and the owner of the token is not one',
    '"admin" 仅供管理员使用，而令牌的所有者不是管理员',
    '"admin" 僅供管理員使用，而權杖的擁有者不是管理員',
  ],
  ['{} is more than the token that asks for it may do', '{1} 超出了申请它的令牌的权限', '{1} 超出了申請它的權杖的權限'],
  [
    'must be an origin, scheme://host[:port] of http or https, such as {}',
    '必须是来源，即 http 或 https 的 scheme://host[:port]，例如 {1}',
    '必須是來源，即 http 或 https 的 scheme://host[:port]，例如 {1}',
  ],
];
