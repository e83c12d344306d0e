import { html } from '../../../http/pages/html.js';
import type { GuideText } from './guide-text.js';

export const simplifiedChinese: GuideText = {
  title: '使用 curl 快速入门',
  introduction: html`<p class="lead">只需 shell 和 curl，从注册账户到获得第一份结果。</p>
<p>请在同一个 shell 中依次粘贴以下命令。响应均为 JSON：成功时为 <code>{"data": …, "request_id": …, "meta": …}</code>，出错时为 <code>{"error": {"code": …, "message": …}, "request_id": …}</code>。</p>`,
  contents: '目录',
  steps: {
    setUp: {
      heading: '准备',
      before: html`<p>API 的地址，以及一个从响应中取出字段的小函数。</p>`,
    },
    register: {
      heading: '注册',
      before: html`<p>请使用您能收信的邮箱，并自行设定密码：至少八个字符，且不是常见密码。</p>`,
      after: html`<p>响应（201）中已包含令牌。如果该邮箱已有账户，则返回 409 <a href="/docs/errors/ACCOUNT_EMAIL_TAKEN"><code>ACCOUNT_EMAIL_TAKEN</code></a>。</p>`,
    },
    verify: {
      heading: '验证邮箱',
      before: html`<p>您会收到一封包含链接和令牌的邮件。打开链接并输入密码，或将令牌填在这里；密码用于证明读取邮件的人就是注册者本人。（未设置 <code>VANTAGE_SMTP_URL</code> 的安装不发送邮件：邮件保存在服务器数据目录的 <code>mail/</code> 中，<code>.txt</code> 文件便于阅读。）</p>`,
      after: html`<p>验证之前，您可以登录、读取数据、发起探测和修改个人资料，其他操作会返回 403 <a href="/docs/errors/ACCOUNT_EMAIL_UNVERIFIED"><code>ACCOUNT_EMAIL_UNVERIFIED</code></a>。</p>`,
    },
    logIn: {
      heading: '登录',
      before: html`<p>访问令牌放在 <code>Authorization</code> 标头中，有效期 15 分钟。</p>`,
    },
    refresh: {
      heading: '刷新令牌',
      before: html`<p>使用刷新令牌即可获得下一对令牌，无需密码。它只能使用一次，请保存新的刷新令牌。</p>`,
      after: html`<p>刷新令牌若被再次使用，会话即告结束，因为它可能已落入他人之手。如果响应丢失，同一令牌在 10 秒内仍可使用。</p>`,
    },
    makeKey: {
      heading: '创建只读密钥',
      before: html`<p>程序应使用密钥，而不是您的登录。密钥只拥有您授予的权限范围，且仅显示这一次。<code>read</code> 允许读取探测、监控和告警，但不能执行任何操作。</p>`,
      after: html`<p>不指定 <code>scopes</code> 时，密钥可读可写。有效期最长 90 天；撤销后立即失效。</p>`,
    },
    probe: {
      heading: '运行探测，并用密钥读取结果',
      before: html`<p>最多三个位于不同网络的节点会获取一个网页。响应（202）给出任务编号；<code>wait=30</code> 会等待任务结束。</p>`,
      after: html`<p>探测无需账户：省略该标头即可，任何知道任务编号的人都能读取结果。使用凭据创建的任务只有该账户能读取。若返回 503 且含 <code>details.nodes</code>，说明还没有节点在线，请先启动一个代理。</p>`,
    },
    lookUp: {
      heading: '查询信息',
      before: html`<p>查询返回注册局、服务器和数据库所掌握的域名或地址信息：<code>/v1/info/</code> 下的 <code>whois</code>、<code>ssl</code>、<code>dns</code>、<code>icp</code>、<code>headers</code> 和 <code>ip</code>，以及 <code>/v1/ip/reputation</code>。无需账户。</p>`,
      after: html`<p>同一问题只由一个节点查询一次，结果供所有调用者使用：第二个响应的 <code>meta.cache</code> 中有 <code>hit</code>，并注明结果的时长。</p>`,
    },
    refused: {
      heading: '被拒绝的请求',
      before: html`<p>该密钥不能发起探测，也不能访问账户。而没有凭据，就没有账户可供显示。</p>`,
      after: html`<p>前两次是 403 <a href="/docs/errors/FORBIDDEN"><code>FORBIDDEN</code></a>：凭据有效，但缺少权限范围。第三次是 401 <a href="/docs/errors/AUTH_REQUIRED"><code>AUTH_REQUIRED</code></a>。每个错误都带有说明其含义的 <code>doc_url</code>。</p>`,
    },
    limits: {
      heading: '查看限额',
      before: html`<p>受限操作的响应会告知剩余额度：<code>X-RateLimit-Limit</code>、<code>X-RateLimit-Remaining</code>、<code>X-RateLimit-Reset</code>。</p>`,
      after: html`<p>额度用尽时返回 429 <a href="/docs/errors/RATE_LIMIT_EXCEEDED"><code>RATE_LIMIT_EXCEEDED</code></a>，<code>X-RateLimit-Window</code> 给出限额周期的秒数，<code>Retry-After</code> 给出需要等待的秒数。</p>`,
    },
    repeat: {
      heading: '安全地重试',
      before: html`<p>连接中断时，请求到底执行了没有？带上您自定的 <code>Idempotency-Key</code>，任何 POST 都可以重新发送：它只会执行一次。</p>`,
      after: html`<p>第二次的响应与第一次相同，并标有 <code>Idempotent-Replayed: true</code>。同一个键配上不同的请求体会返回 409 <a href="/docs/errors/CONFLICT"><code>CONFLICT</code></a>。键保留 24 小时。</p>`,
    },
    lists: {
      heading: '翻页',
      before: html`<p>列表接受 <code>page</code> 和 <code>page_size</code>。会不断增长的列表接受 <code>limit</code> 和 <code>cursor</code>，后者来自上一页的 <code>meta.pagination.next_cursor</code>。</p>`,
      after: html`<p>只要 <code>meta.pagination.has_more</code> 为 true，就还有更多内容。</p>`,
    },
    languages: {
      heading: '错误及其语言',
      before: html`<p>程序应判断 <code>error.code</code>。<code>error.message</code> 供人阅读。请求中的问题列在 <code>error.details</code> 里，所有字段一次给出。两者都按 <code>Accept-Language</code> 的要求使用中文或英文。</p>`,
      after: html`<p>第二个请求缺少目标，且要求的数据包过多：400 <a href="/docs/errors/VALIDATION_FAILED"><code>VALIDATION_FAILED</code></a> 会同时指出这两点。</p>`,
    },
    caching: {
      heading: '减少传输',
      before: html`<p>节点列表带有 <code>ETag</code>：把它发回来，若没有变化则返回不含内容的 304。较大的响应会为支持压缩的客户端压缩。</p>`,
    },
    leave: {
      heading: '退出登录',
      before: html`<p>立即结束本次会话。密钥在到期或被撤销之前继续有效。</p>`,
      after: html`<p>该令牌现已失效：401 <a href="/docs/errors/AUTH_SESSION_INVALID"><code>AUTH_SESSION_INVALID</code></a>。</p>`,
    },
  },
  ending: html`<p>其余内容见 <a href="/docs">API 参考</a>，每个操作都附有命令；参考由 <a href="/v1/openapi.json">OpenAPI 文档</a>生成。</p>`,
};
