import type { Locale } from '../locale.js';

/** Texts on the page of an error code, around the messages of the table. */
interface ErrorPageText {
  readonly title: string;
  readonly status: string;
  readonly code: string;
  readonly toDo: string;
  readonly messages: string;
  readonly operations: string;
  readonly everyOperation: string;
  readonly guide: string;
  /** Advice to the reader, by status. */
  readonly advice: Readonly<Record<number, string>>;
}

export const errorPageText: Readonly<Record<Locale, ErrorPageText>> = {
  en: {
    title: 'Error codes',
    status: 'HTTP status',
    code: 'In the response',
    toDo: 'What to do',
    messages: 'In every language',
    operations: 'Operations that return it',
    everyOperation: 'Every operation of the API may return it.',
    guide: 'New to the API? The guide has examples with curl.',
    advice: {
      400: 'Correct the request before you send it again: error.details names each field and what is wrong with it.',
      401: 'Send valid credentials: log in again, refresh the access token, or use another key or token.',
      403: 'The credentials are valid but not allowed to do this. Use credentials with the required scope, role or plan, or verify your e-mail address.',
      404: 'Check the path and the id. The response for a resource of another owner is the same as for one that does not exist.',
      405: 'Use one of the methods that the Allow header lists.',
      408: 'Send the request again, faster or in a smaller body.',
      409: 'Read the current state and decide again: the same request will be refused until the state changes.',
      413: 'Send a smaller body: error.details names the limit of the operation, which is 32 KiB for most.',
      422: 'The fields are well-formed, but this cannot be done: error.details, if present, says why.',
      429: 'Wait for the number of seconds in Retry-After. The X-RateLimit headers show the limit, how much of it is left, and when its window ends; X-RateLimit-Window is the length of the window in seconds.',
      431: 'Send fewer or shorter headers.',
      500: 'This is an error of the service, not of your request. Try again later, and quote the request_id when you report it.',
      502: 'An external service that we depend on failed. Try again later.',
      503: 'Try again after the number of seconds in Retry-After.',
    },
  },
  'zh-CN': {
    title: '所有错误码',
    status: 'HTTP 状态码',
    code: '响应中的内容',
    toDo: '如何处理',
    messages: '各语言的消息',
    operations: '会返回此错误的操作',
    everyOperation: 'API 的所有操作都可能返回此错误。',
    guide: '初次使用 API？指南中有 curl 示例。',
    advice: {
      400: '请修正请求后再发送：error.details 列出每个字段及其问题。',
      401: '请使用有效的凭据：重新登录、刷新访问令牌，或换用其他密钥或令牌。',
      403: '凭据有效，但无权执行此操作。请换用具有相应权限范围、角色或套餐的凭据，或先验证您的邮箱地址。',
      404: '请检查路径和 ID。属于他人的资源与不存在的资源，返回的结果相同。',
      405: '请使用 Allow 标头列出的方法。',
      408: '请重新发送请求，加快速度或减小请求体。',
      409: '请读取当前状态后再决定：状态不变，同样的请求仍会被拒绝。',
      413: '请减小请求体：error.details 给出该操作的上限，多数操作为 32 KiB。',
      422: '字段格式正确，但无法执行：error.details（如有）会说明原因。',
      429: '请等待 Retry-After 所示的秒数。X-RateLimit 标头给出限额、剩余额度和周期的结束时间；X-RateLimit-Window 为周期的秒数。',
      431: '请减少或缩短请求标头。',
      500: '这是服务的错误，与您的请求无关。请稍后重试，反馈时请提供 request_id。',
      502: '我们依赖的外部服务未能完成操作，请稍后重试。',
      503: '请在 Retry-After 所示的秒数之后重试。',
    },
  },
  'zh-TW': {
    title: '所有錯誤碼',
    status: 'HTTP 狀態碼',
    code: '回應中的內容',
    toDo: '如何處理',
    messages: '各語言的訊息',
    operations: '會回傳此錯誤的操作',
    everyOperation: 'API 的所有操作都可能回傳此錯誤。',
    guide: '初次使用 API？指南中有 curl 範例。',
    advice: {
      400: '請修正要求後再傳送：error.details 列出每個欄位及其問題。',
      401: '請使用有效的憑證：重新登入、更新存取權杖，或改用其他金鑰或權杖。',
      403: '憑證有效，但無權執行此操作。請改用具備相應權限範圍、角色或方案的憑證，或先驗證您的電子郵件地址。',
      404: '請檢查路徑與 ID。屬於他人的資源與不存在的資源，回傳的結果相同。',
      405: '請使用 Allow 標頭列出的方法。',
      408: '請重新傳送要求，加快速度或減小要求內容。',
      409: '請讀取目前狀態後再決定：狀態不變，同樣的要求仍會被拒絕。',
      413: '請減小要求內容：error.details 列出此操作的上限，多數操作為 32 KiB。',
      422: '欄位格式正確，但無法執行：error.details（如有）會說明原因。',
      429: '請等待 Retry-After 所示的秒數。X-RateLimit 標頭列出限額、剩餘額度與週期的結束時間；X-RateLimit-Window 為週期的秒數。',
      431: '請減少或縮短要求標頭。',
      500: '這是服務的錯誤，與您的要求無關。請稍後重試，回報時請提供 request_id。',
      502: '我們依賴的外部服務未能完成操作，請稍後重試。',
      503: '請在 Retry-After 所示的秒數之後重試。',
    },
  },
};
