import { critical, type FindingRule, good, notice, warning } from '../finding-rule.js';

/** Findings of section `http`, worst first. */
export const httpFindings = {
  http_unreachable: critical(
    100,
    'The server cannot be reached: its name does not resolve, or nothing accepts the connection.',
    '无法连接服务器：域名无法解析，或没有服务接受连接。',
    '無法連線至伺服器：網域名稱無法解析，或沒有服務接受連線。',
  ),
  http_no_answer: critical(
    100,
    'The server accepts the connection and sends no valid HTTP response in time.',
    '服务器接受了连接，但未及时返回有效的 HTTP 响应。',
    '伺服器接受了連線，但未及時傳回有效的 HTTP 回應。',
  ),
  http_too_many_redirects: critical(
    60,
    'More than five redirects, or a loop of them.',
    '重定向超过五次，或形成循环。',
    '重新導向超過五次，或形成迴圈。',
  ),
  http_server_error: critical(
    60,
    'The server responds with an error (5xx).',
    '服务器返回错误（5xx）。',
    '伺服器傳回錯誤（5xx）。',
  ),
  http_redirect_refused: critical(
    40,
    'A redirect leads to an address that is not public.',
    '重定向指向非公网地址。',
    '重新導向指向非公開位址。',
  ),
  http_certificate_invalid: critical(
    40,
    'The certificate of the response is not valid; browsers warn.',
    '响应所用证书无效，浏览器会发出警告。',
    '回應所用憑證無效，瀏覽器會發出警告。',
  ),
  http_client_error: warning(
    20,
    'The server responds that the page does not exist or the request is wrong (4xx).',
    '服务器返回页面不存在或请求错误（4xx）。',
    '伺服器傳回頁面不存在或要求錯誤（4xx）。',
  ),
  http_challenge: warning(
    20,
    'The response is a refusal (401, 403, 429) or a page that examines the visitor: the site itself was not seen.',
    '响应是拒绝（401、403、429）或访客质询页面，未能看到网站本身。',
    '回應是拒絕（401、403、429）或訪客質詢頁面，未能看到網站本身。',
  ),
  http_plain_only: warning(
    20,
    'The site responds over plain http only.',
    '网站仅通过明文 http 响应。',
    '網站僅以明文 http 回應。',
  ),
  http_slow: warning(
    10,
    'The whole response took longer than 3 s.',
    '完整响应耗时超过 3 秒。',
    '完整回應耗時超過 3 秒。',
  ),
  http_body_invalid: warning(
    10,
    'The body of the response cannot be read.',
    '无法读取响应正文。',
    '無法讀取回應內文。',
  ),
  http_first_byte_slow: warning(
    5,
    'The first byte of the response came later than 1 s after the request.',
    '请求后超过 1 秒才收到响应的首字节。',
    '要求後超過 1 秒才收到回應的首位元組。',
  ),
  http_old_version: notice('The server speaks HTTP/1.0.', '服务器使用 HTTP/1.0。', '伺服器使用 HTTP/1.0。'),
  http_ok: good('The site responds.', '网站响应正常。', '網站回應正常。'),
} as const satisfies Record<string, FindingRule>;
