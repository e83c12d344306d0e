import type { CatalogEntry } from '../template.js';

/** Refusals of monitors, their assertions, secrets, heartbeats, histories and maintenance windows. */
export const monitorMessages: readonly CatalogEntry[] = [
  // definition
  ['no such type of monitor', '没有此监控类型', '沒有此監控類型'],
  [
    'this service does not check {} yet; known: {}',
    '本服务尚不支持检查 {1}；可用的有：{2}',
    '本服務尚不支援檢查 {1}；可用的有：{2}',
  ],
  [
    'is of type "heartbeat", which no node checks',
    '类型为 "heartbeat"，不由节点检查',
    '類型為 "heartbeat"，不由節點檢查',
  ],
  [
    'is {} and must be "heartbeat": no other monitor has a token',
    '是 {1}，而必须是 "heartbeat"：其他监控没有令牌',
    '是 {1}，而必須是 "heartbeat"：其他監控沒有權杖',
  ],
  [
    'is {} and must be "heartbeat": no other monitor has pings',
    '是 {1}，而必须是 "heartbeat"：其他监控没有心跳记录',
    '是 {1}，而必須是 "heartbeat"：其他監控沒有心跳紀錄',
  ],
  ['no such group', '没有此分组', '沒有此群組'],
  ['no such alert policy', '没有此告警策略', '沒有此告警策略'],
  ['no such {}', '没有此 {1}', '沒有此 {1}'],
  ['is below the {} s of your plan', '小于套餐允许的 {1} 秒', '小於方案允許的 {1} 秒'],
  [
    'is masked: send it whole, or leave it out',
    '是掩码：请发送完整的值，或省略该字段',
    '是遮罩後的值：請傳送完整的值，或省略此欄位',
  ],
  [
    'must be a fraction like 2/3, a count, all or any',
    '必须是形如 2/3 的分数、数量、all 或 any',
    '必須是形如 2/3 的分數、數量、all 或 any',
  ],
  [
    'no node that you may use matches the selection, the target and the type',
    '没有您可以使用的节点符合该选择、目标和类型',
    '沒有您可以使用的節點符合該選擇、目標和類型',
  ],
  [
    'no suitable node may get its credentials, headers and body: {text}',
    '没有合适的节点可以取得其凭据、标头和请求体：{1}',
    '沒有合適的節點可以取得其憑證、標頭和要求內容：{1}',
  ],
  [
    '"own" admits nodes that are yours; add or select such nodes, or send "trusted" or "any" to admit those of others',
    '"own" 只允许您自己的节点；请添加或选择这样的节点，或发送 "trusted" 或 "any" 以允许他人的节点',
    '"own" 只允許您自己的節點；請新增或選擇這樣的節點，或傳送 "trusted" 或 "any" 以允許他人的節點',
  ],
  [
    '"trusted" admits nodes that are yours or an administrator’s; add or select such nodes, or send "any" to admit those of others',
    '"trusted" 只允许您自己的或管理员的节点；请添加或选择这样的节点，或发送 "any" 以允许他人的节点',
    '"trusted" 只允許您自己的或管理員的節點；請新增或選擇這樣的節點，或傳送 "any" 以允許他人的節點',
  ],
  [
    'send it again: it was given for another {}',
    '请重新发送：它是为另一个 {1} 提供的',
    '請重新傳送：它是為另一個 {1} 提供的',
  ],
  [
    'send its value: none is stored under this name',
    '请发送其值：此名称下没有存储的值',
    '請傳送其值：此名稱下沒有儲存的值',
  ],
  [
    'monitors would hold the alerts of each other, each depends on the next: {}',
    '这些监控会互相抑制告警，每个都依赖下一个：{1}',
    '這些監控會互相抑制告警，每個都依賴下一個：{1}',
  ],
  ['is required where "scope_type" is {}', '"scope_type" 为 {1} 时必填', '"scope_type" 為 {1} 時必填'],
  [
    'must not be empty unless "scope_type" is all',
    '不能为空，除非 "scope_type" 为 all',
    '不得為空，除非 "scope_type" 為 all',
  ],
  // settings of types
  ['is required by {}', '{1} 需要此字段', '{1} 需要此欄位'],
  ['is not a field of {}', '不是 {1} 的字段', '不是 {1} 的欄位'],
  ['must not contain a colon (RFC 7617)', '不能包含冒号（RFC 7617）', '不得包含冒號（RFC 7617）'],
  ['the response to HEAD has no body', 'HEAD 的响应没有正文', 'HEAD 的回應沒有本文'],
  ['{} ends before it begins', '{1} 的结束值小于起始值', '{1} 的結束值小於起始值'],
  ['must not be more than warn_days', '不能大于 warn_days', '不得大於 warn_days'],
  ['applies only to protocol tcp', '仅适用于 tcp 协议', '僅適用於 tcp 協定'],
  ['has no certificate in PEM', '没有 PEM 格式的证书', '沒有 PEM 格式的憑證'],
  ['has more than {} certificates', '证书超过 {1} 个', '憑證超過 {1} 個'],
  [
    'contains a private key, which belongs into private_key',
    '包含私钥，私钥应放在 private_key 中',
    '包含私密金鑰，私密金鑰應放在 private_key 中',
  ],
  ['has a certificate that cannot be read', '含有无法读取的证书', '含有無法讀取的憑證'],
  ['is encrypted: send it without a passphrase', '已加密：请发送没有口令的私钥', '已加密：請傳送沒有通行碼的私密金鑰'],
  ['is not a private key in PEM', '不是 PEM 格式的私钥', '不是 PEM 格式的私密金鑰'],
  ['is not the key of the first certificate', '不是第一个证书的私钥', '不是第一個憑證的私密金鑰'],
  // assertions
  [
    'is not measured by this type of monitor, which supports {}',
    '此监控类型不测量该项，支持的有：{1}',
    '此監控類型不測量該項，支援的有：{1}',
  ],
  ['of {} must be one of {}', '{1} 的此字段必须是以下之一：{2}', '{1} 的此欄位必須是下列之一：{2}'],
  ['must not have more than {} of type {}', '类型 {2} 不能超过 {1} 个', '類型 {2} 不得超過 {1} 個'],
  [
    'has patterns that compile to at least {} instructions together, {} are allowed',
    '各模式合计至少编译为 {1} 条指令，最多允许 {2} 条',
    '各模式合計至少編譯為 {1} 條指令，最多允許 {2} 條',
  ],
  ['must be a number', '必须是数字', '必須是數字'],
  ['must be a string of 1 to {} characters', '必须是 1 到 {1} 个字符的字符串', '必須是 1 到 {1} 個字元的字串'],
  ['must be a pattern of 1 to {} characters', '必须是 1 到 {1} 个字符的模式', '必須是 1 到 {1} 個字元的模式'],
  [
    'must be a number, or a string of 1 to {} characters',
    '必须是数字，或 1 到 {1} 个字符的字符串',
    '必須是數字，或 1 到 {1} 個字元的字串',
  ],
  ['must be JSON of at most {} characters', '必须是最多 {1} 个字符的 JSON', '必須是最多 {1} 個字元的 JSON'],
  ['must be an array of 1 to {} numbers', '必须是 1 到 {1} 个数字的数组', '必須是 1 到 {1} 個數字的陣列'],
  [
    'must be an array of 1 to {} strings of 1 to {} characters',
    '必须是 1 到 {1} 个字符串的数组，每个 1 到 {2} 个字符',
    '必須是 1 到 {1} 個字串的陣列，每個 1 到 {2} 個字元',
  ],
  [
    'must be an array of 1 to {} values, at most {} characters of JSON',
    '必须是 1 到 {1} 个值的数组，写成 JSON 最多 {2} 个字符',
    '必須是 1 到 {1} 個值的陣列，寫成 JSON 最多 {2} 個字元',
  ],
  ['has more than {} characters', '超过 {1} 个字符', '超過 {1} 個字元'],
  ['repeats more than {} times', '重复超过 {1} 次', '重複超過 {1} 次'],
  ['has more than {} Unicode classes', 'Unicode 字符类超过 {1} 个', 'Unicode 字元類別超過 {1} 個'],
  [
    'is too large: it compiles to {} instructions, {} are allowed',
    '过大：编译为 {1} 条指令，最多允许 {2} 条',
    '過大：編譯為 {1} 條指令，最多允許 {2} 條',
  ],
  ['is not a pattern of RE2: {foreign}', '不是 RE2 的模式：{1}', '不是 RE2 的模式：{1}'],
  ['functions are not supported in a JSONPath', 'JSONPath 中不支持函数', 'JSONPath 中不支援函式'],
  [
    'a number of a JSONPath is between {} and {}',
    'JSONPath 中的数字必须在 {1} 和 {2} 之间',
    'JSONPath 中的數字必須在 {1} 和 {2} 之間',
  ],
  ['an index of a JSONPath is at most {}', 'JSONPath 的索引最大为 {1}', 'JSONPath 的索引最大為 {1}'],
  ['{} is not a JSONPath (RFC 9535)', '{1} 不是 JSONPath（RFC 9535）', '{1} 不是 JSONPath（RFC 9535）'],
  // heartbeats
  [
    'does not apply to a heartbeat, which no node checks',
    '不适用于心跳监控，它不由节点检查',
    '不適用於心跳監控，它不由節點檢查',
  ],
  [
    'follows from the token or the config of a heartbeat and cannot be changed',
    '由心跳监控的令牌或 config 决定，不能更改',
    '由心跳監控的權杖或 config 決定，不得更改',
  ],
  ['must be interval or cron', '必须是 interval 或 cron', '必須是 interval 或 cron'],
  ['applies only to mode {}', '仅适用于 mode 为 {1} 时', '僅適用於 mode 為 {1} 時'],
  ['longer than {} characters', '超过 {1} 个字符', '超過 {1} 個字元'],
  [
    'not five fields: minute, hour, day of month, month, day of week',
    '不是五个字段：分、时、日、月、星期',
    '不是五個欄位：分、時、日、月、星期',
  ],
  ['does not fire for more than nine years', '超过九年不会触发', '超過九年不會觸發'],
  ['not a cron expression', '不是 cron 表达式', '不是 cron 運算式'],
  ['not a cron expression: {foreign}', '不是 cron 表达式：{1}', '不是 cron 運算式：{1}'],
  ['unknown time zone {}', '未知时区 {1}', '不明的時區 {1}'],
  ['never fires: no date fits', '永不触发：没有符合的日期', '永不觸發：沒有符合的日期'],
  ['never fires again', '不会再触发', '不會再觸發'],
  // histories and maintenance windows
  [
    'maintenance windows have up to {} occurrences since then, and at most {} are measured: send a later instant',
    '自该时间起维护窗口最多有 {1} 次，最多计算 {2} 次：请发送较晚的时间',
    '自該時間起維護時段最多有 {1} 次，最多計算 {2} 次：請傳送較晚的時間',
  ],
  ['is too short: {} points, at most {}', '过短：共 {1} 个点，最多 {2} 个', '過短：共 {1} 個點，最多 {2} 個'],
  [
    'a {} window may be 24 hours long: it would not be over when the next one begins',
    '{1} 窗口最长 24 小时：否则下一个开始时它尚未结束',
    '{1} 時段最長 24 小時：否則下一個開始時它尚未結束',
  ],
  [
    'a {} window may be {} days long: it would not be over when the next one begins',
    '{1} 窗口最长 {2} 天：否则下一个开始时它尚未结束',
    '{1} 時段最長 {2} 天：否則下一個開始時它尚未結束',
  ],
  ['must not be sent together with a cursor', '不能与游标同时发送', '不得與游標同時傳送'],
];
