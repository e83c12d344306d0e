import { html } from '../../../http/pages/html.js';
import type { GuideText } from './guide-text.js';

export const traditionalChinese: GuideText = {
  title: '使用 curl 快速入門',
  introduction: html`<p class="lead">只需 shell 與 curl，從註冊帳戶到取得第一份結果。</p>
<p>請在同一個 shell 中依序貼上以下命令。回應均為 JSON：成功時為 <code>{"data": …, "request_id": …, "meta": …}</code>，發生錯誤時為 <code>{"error": {"code": …, "message": …}, "request_id": …}</code>。</p>`,
  contents: '目錄',
  steps: {
    setUp: {
      heading: '準備',
      before: html`<p>API 的位址，以及一個從回應中取出欄位的小函式。</p>`,
    },
    register: {
      heading: '註冊',
      before: html`<p>請使用您能收信的電子郵件，並自行設定密碼：至少八個字元，且不是常見密碼。</p>`,
      after: html`<p>回應（201）中已包含權杖。若該電子郵件已有帳戶，則回傳 409 <a href="/docs/errors/ACCOUNT_EMAIL_TAKEN"><code>ACCOUNT_EMAIL_TAKEN</code></a>。</p>`,
    },
    verify: {
      heading: '驗證電子郵件',
      before: html`<p>您會收到一封包含連結與權杖的郵件。開啟連結並輸入密碼，或將權杖填在這裡；密碼用於證明讀取郵件的人就是註冊者本人。（未設定 <code>VANTAGE_SMTP_URL</code> 的安裝不寄送郵件：郵件會存在伺服器資料目錄的 <code>mail/</code> 中，<code>.txt</code> 檔案便於閱讀。）</p>`,
      after: html`<p>驗證之前，您可以登入、讀取資料、發起探測及修改個人資料，其他操作會回傳 403 <a href="/docs/errors/ACCOUNT_EMAIL_UNVERIFIED"><code>ACCOUNT_EMAIL_UNVERIFIED</code></a>。</p>`,
    },
    logIn: {
      heading: '登入',
      before: html`<p>存取權杖放在 <code>Authorization</code> 標頭中，有效期 15 分鐘。</p>`,
    },
    refresh: {
      heading: '更新權杖',
      before: html`<p>使用更新權杖即可取得下一對權杖，無需密碼。它只能使用一次，請保存新的更新權杖。</p>`,
      after: html`<p>更新權杖若被再次使用，工作階段即告結束，因為它可能已落入他人之手。若回應遺失，同一權杖在 10 秒內仍可使用。</p>`,
    },
    makeKey: {
      heading: '建立唯讀金鑰',
      before: html`<p>程式應使用金鑰，而不是您的登入。金鑰只擁有您授予的權限範圍，且僅顯示這一次。<code>read</code> 允許讀取探測、監控與告警，但不能執行任何操作。</p>`,
      after: html`<p>不指定 <code>scopes</code> 時，金鑰可讀可寫。有效期最長 90 天；撤銷後立即失效。</p>`,
    },
    probe: {
      heading: '執行探測，並用金鑰讀取結果',
      before: html`<p>最多三個位於不同網路的節點會取得一個網頁。回應（202）給出工作編號；<code>wait=30</code> 會等待工作結束。</p>`,
      after: html`<p>探測無需帳戶：省略該標頭即可，任何知道工作編號的人都能讀取結果。使用憑證建立的工作只有該帳戶能讀取。若回應 503 並含 <code>details.nodes</code>，表示還沒有節點在線，請先啟動一個代理程式。</p>`,
    },
    lookUp: {
      heading: '查詢資訊',
      before: html`<p>查詢會傳回註冊局、伺服器和資料庫所掌握的網域或位址資訊：<code>/v1/info/</code> 之下的 <code>whois</code>、<code>ssl</code>、<code>dns</code>、<code>icp</code>、<code>headers</code> 和 <code>ip</code>，以及 <code>/v1/ip/reputation</code>。不需要帳戶。</p>`,
      after: html`<p>同一問題只由一個節點查詢一次，結果供所有呼叫者使用：第二個回應的 <code>meta.cache</code> 中有 <code>hit</code>，並註明結果存在了多久。</p>`,
    },
    refused: {
      heading: '被拒絕的要求',
      before: html`<p>此金鑰不能發起探測，也不能存取帳戶。而沒有憑證，就沒有帳戶可供顯示。</p>`,
      after: html`<p>前兩次是 403 <a href="/docs/errors/FORBIDDEN"><code>FORBIDDEN</code></a>：憑證有效，但缺少權限範圍。第三次是 401 <a href="/docs/errors/AUTH_REQUIRED"><code>AUTH_REQUIRED</code></a>。每個錯誤都帶有說明其含義的 <code>doc_url</code>。</p>`,
    },
    limits: {
      heading: '查看限額',
      before: html`<p>受限操作的回應會告知剩餘額度：<code>X-RateLimit-Limit</code>、<code>X-RateLimit-Remaining</code>、<code>X-RateLimit-Reset</code>。</p>`,
      after: html`<p>額度用盡時回傳 429 <a href="/docs/errors/RATE_LIMIT_EXCEEDED"><code>RATE_LIMIT_EXCEEDED</code></a>，<code>X-RateLimit-Window</code> 給出限額週期的秒數，<code>Retry-After</code> 給出需要等待的秒數。</p>`,
    },
    repeat: {
      heading: '安全地重試',
      before: html`<p>連線中斷時，要求到底執行了沒有？帶上您自訂的 <code>Idempotency-Key</code>，任何 POST 都可以重新傳送：它只會執行一次。</p>`,
      after: html`<p>第二次的回應與第一次相同，並標有 <code>Idempotent-Replayed: true</code>。同一個鍵配上不同的要求內容會回傳 409 <a href="/docs/errors/CONFLICT"><code>CONFLICT</code></a>。鍵保留 24 小時。</p>`,
    },
    lists: {
      heading: '翻頁',
      before: html`<p>清單接受 <code>page</code> 與 <code>page_size</code>。會不斷增長的清單接受 <code>limit</code> 與 <code>cursor</code>，後者來自上一頁的 <code>meta.pagination.next_cursor</code>。</p>`,
      after: html`<p>只要 <code>meta.pagination.has_more</code> 為 true，就還有更多內容。</p>`,
    },
    languages: {
      heading: '錯誤及其語言',
      before: html`<p>程式應判斷 <code>error.code</code>。<code>error.message</code> 供人閱讀。要求中的問題列在 <code>error.details</code> 裡，所有欄位一次給出。兩者都依 <code>Accept-Language</code> 的要求使用中文或英文。</p>`,
      after: html`<p>第二個要求缺少目標，且要求的封包過多：400 <a href="/docs/errors/VALIDATION_FAILED"><code>VALIDATION_FAILED</code></a> 會同時指出這兩點。</p>`,
    },
    caching: {
      heading: '減少傳輸',
      before: html`<p>節點清單帶有 <code>ETag</code>：將它送回來，若沒有變化則回傳不含內容的 304。較大的回應會為支援壓縮的用戶端壓縮。</p>`,
    },
    leave: {
      heading: '登出',
      before: html`<p>立即結束本次工作階段。金鑰在到期或被撤銷之前繼續有效。</p>`,
      after: html`<p>該權杖現已失效：401 <a href="/docs/errors/AUTH_SESSION_INVALID"><code>AUTH_SESSION_INVALID</code></a>。</p>`,
    },
  },
  ending: html`<p>其餘內容見 <a href="/docs">API 參考</a>，每個操作都附有命令；參考由 <a href="/v1/openapi.json">OpenAPI 文件</a>產生。</p>`,
};
