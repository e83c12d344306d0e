import type { FindingLanguage } from './finding-rule.js';
import type { FindingCode } from './finding-table.js';

type Fault = Exclude<FindingCode, 'http_ok' | 'ssl_good' | 'dns_ok' | 'ping_ok' | 'path_ok'>;
type Texts = readonly [en: string, zhCn: string, zhTw: string];

/** Remedy of each finding that is not good, in one sentence for the operator of the site. */
const remedies: Readonly<Record<Fault, Texts>> = {
  http_unreachable: [
    'Check that the server runs, that a firewall lets its port through, and that its DNS records have the right address.',
    '检查服务器是否在运行、防火墙是否放行其端口，以及 DNS 记录中的地址是否正确。',
    '檢查伺服器是否在執行、防火牆是否放行其連接埠，以及 DNS 記錄中的位址是否正確。',
  ],
  http_no_answer: [
    'Look into the log of the web server or proxy: it accepts connections, and the application behind it does not respond.',
    '查看 Web 服务器或代理的日志：连接已被接受，但其后的应用没有响应。',
    '查看 Web 伺服器或代理的記錄檔：連線已被接受，但其後的應用程式沒有回應。',
  ],
  http_too_many_redirects: [
    'Follow the redirects one by one and remove the rule that leads back; a proxy that speaks http to the server often causes it.',
    '逐个检查重定向并删除造成回跳的规则；常见原因是代理以 http 访问源服务器。',
    '逐一檢查重新導向並刪除造成回跳的規則；常見原因是代理以 http 存取來源伺服器。',
  ],
  http_server_error: [
    'Look for the cause in the error log of the application at the time of this report.',
    '在应用的错误日志中查找本报告生成时刻的原因。',
    '在應用程式的錯誤記錄檔中查找本報告產生時刻的原因。',
  ],
  http_redirect_refused: [
    'Let the redirect lead to the public name of the site.',
    '将重定向改为指向网站的公网名称。',
    '將重新導向改為指向網站的公開名稱。',
  ],
  http_certificate_invalid: [
    'Install a valid certificate for this name, from a public authority and with its whole chain.',
    '安装由公共机构为此名称签发的有效证书及其完整证书链。',
    '安裝由公開單位為此名稱簽發的有效憑證及其完整憑證鏈。',
  ],
  http_client_error: [
    'Check that the URL is right and that the server permits requests without a session.',
    '检查 URL 是否正确，以及服务器是否允许无会话的请求。',
    '檢查 URL 是否正確，以及伺服器是否允許無工作階段的要求。',
  ],
  http_challenge: [
    'Permit the addresses of the nodes in the firewall of the site, or examine a path without such protection.',
    '在网站防火墙中放行各节点的地址，或改为检查没有此类防护的路径。',
    '在網站防火牆中放行各節點的位址，或改為檢查沒有此類防護的路徑。',
  ],
  http_plain_only: [
    'Get a certificate, serve https on port 443, and redirect http to it.',
    '申请证书，在 443 端口提供 https，并将 http 重定向到 https。',
    '申請憑證，在 443 連接埠提供 https，並將 http 重新導向至 https。',
  ],
  http_slow: [
    'Make the page smaller, compress it, or serve it from a CDN near its visitors.',
    '减小页面体积、启用压缩，或使用靠近访客的 CDN。',
    '縮小頁面體積、啟用壓縮，或使用靠近訪客的 CDN。',
  ],
  http_body_invalid: [
    'Check the compression and the length that the server or a proxy declares for the body.',
    '检查服务器或代理为正文声明的压缩方式和长度。',
    '檢查伺服器或代理為內文宣告的壓縮方式和長度。',
  ],
  http_first_byte_slow: [
    'Find what the application waits for, such as its database, or cache the page.',
    '找出应用在等待什么（例如数据库），或缓存该页面。',
    '找出應用程式在等待什麼（例如資料庫），或快取該頁面。',
  ],
  http_old_version: [
    'Enable HTTP/1.1 or HTTP/2 on the server.',
    '在服务器上启用 HTTP/1.1 或 HTTP/2。',
    '在伺服器上啟用 HTTP/1.1 或 HTTP/2。',
  ],
  ssl_unreachable: [
    'Serve TLS on this port, and permit TLS 1.2 and 1.3 with usual cipher suites.',
    '在该端口提供 TLS，并启用 TLS 1.2 和 1.3 及常用密码套件。',
    '在該連接埠提供 TLS，並啟用 TLS 1.2 和 1.3 及常用加密套件。',
  ],
  expired: [
    'Renew the certificate, reload the server, and let a job renew it from now on.',
    '续期证书并重新加载服务器，今后使用自动续期。',
    '續期憑證並重新載入伺服器，今後使用自動續期。',
  ],
  not_yet_valid: [
    'Check the clock of the machine that issued the certificate, or use it only from its first day.',
    '检查签发证书的机器的时钟，或从证书生效日起再使用。',
    '檢查簽發憑證的機器的時鐘，或從憑證生效日起再使用。',
  ],
  self_signed: [
    'Get a certificate from a public authority, for example by ACME (Let’s Encrypt).',
    '向公共证书颁发机构申请证书，例如通过 ACME（Let’s Encrypt）。',
    '向公開憑證授權單位申請憑證，例如透過 ACME（Let’s Encrypt）。',
  ],
  untrusted: [
    'Get a certificate from a public authority, and send its whole chain.',
    '向公共证书颁发机构申请证书，并发送完整的证书链。',
    '向公開憑證授權單位申請憑證，並傳送完整的憑證鏈。',
  ],
  name_mismatch: [
    'Get a certificate that has this name, or let the server choose the right one by the name of the request (SNI).',
    '申请包含此名称的证书，或让服务器按请求的名称（SNI）选择正确的证书。',
    '申請包含此名稱的憑證，或讓伺服器依要求的名稱（SNI）選擇正確的憑證。',
  ],
  revoked: [
    'Get a new certificate with a new key, and find out why this one was revoked.',
    '使用新密钥申请新证书，并查明此证书被吊销的原因。',
    '使用新金鑰申請新憑證，並查明此憑證被撤銷的原因。',
  ],
  ssl3_protocol: [
    'Turn SSL 3.0 off; offer TLS 1.2 and TLS 1.3 only.',
    '禁用 SSL 3.0，仅提供 TLS 1.2 和 TLS 1.3。',
    '停用 SSL 3.0，僅提供 TLS 1.2 和 TLS 1.3。',
  ],
  null_cipher: [
    'Remove the suites without encryption (NULL) from the configuration.',
    '从配置中移除不加密的套件（NULL）。',
    '從設定中移除不加密的套件（NULL）。',
  ],
  anonymous_cipher: [
    'Remove the suites without a certificate (aNULL) from the configuration.',
    '从配置中移除无证书的套件（aNULL）。',
    '從設定中移除無憑證的套件（aNULL）。',
  ],
  export_cipher: [
    'Remove the export suites (EXP) from the configuration.',
    '从配置中移除出口级套件（EXP）。',
    '從設定中移除出口級套件（EXP）。',
  ],
  des_cipher: ['Remove the DES suites from the configuration.', '从配置中移除 DES 套件。', '從設定中移除 DES 套件。'],
  insecure_key: [
    'Create a new key, RSA with 2048 bits or more or EC with 256, and get a certificate for it.',
    '生成新密钥（RSA 2048 位以上或 EC 256 位），并为其申请证书。',
    '產生新金鑰（RSA 2048 位元以上或 EC 256 位元），並為其申請憑證。',
  ],
  insecure_key_exchange: [
    'Use ECDHE suites, or Diffie-Hellman parameters with 2048 bits.',
    '使用 ECDHE 套件，或 2048 位的 Diffie-Hellman 参数。',
    '使用 ECDHE 套件，或 2048 位元的 Diffie-Hellman 參數。',
  ],
  md5_signature: [
    'Replace the certificate by one that is signed with SHA-256.',
    '更换为使用 SHA-256 签名的证书。',
    '更換為使用 SHA-256 簽署的憑證。',
  ],
  sha1_signature: [
    'Replace the certificate by one that is signed with SHA-256.',
    '更换为使用 SHA-256 签名的证书。',
    '更換為使用 SHA-256 簽署的憑證。',
  ],
  weak_key: [
    'Create a new key, RSA with 2048 bits or more or EC with 256, and get a certificate for it.',
    '生成新密钥（RSA 2048 位以上或 EC 256 位），并为其申请证书。',
    '產生新金鑰（RSA 2048 位元以上或 EC 256 位元），並為其申請憑證。',
  ],
  only_old_protocols: [
    'Enable TLS 1.2 and TLS 1.3; update the TLS library of the server if it has neither.',
    '启用 TLS 1.2 和 TLS 1.3；若均不支持，请更新服务器的 TLS 库。',
    '啟用 TLS 1.2 和 TLS 1.3；若均不支援，請更新伺服器的 TLS 函式庫。',
  ],
  rc4_cipher: ['Remove the RC4 suites from the configuration.', '从配置中移除 RC4 套件。', '從設定中移除 RC4 套件。'],
  old_protocol: [
    'Turn TLS 1.0 and TLS 1.1 off; every current client has TLS 1.2.',
    '禁用 TLS 1.0 和 TLS 1.1；当前的客户端都支持 TLS 1.2。',
    '停用 TLS 1.0 和 TLS 1.1；目前的用戶端都支援 TLS 1.2。',
  ],
  triple_des_cipher: [
    'Remove the 3DES suites from the configuration.',
    '从配置中移除 3DES 套件。',
    '從設定中移除 3DES 套件。',
  ],
  no_forward_secrecy: [
    'Offer ECDHE suites only, or put them first.',
    '仅提供 ECDHE 套件，或将其置于首位。',
    '僅提供 ECDHE 套件，或將其置於首位。',
  ],
  weak_key_exchange: [
    'Use ECDHE suites, or Diffie-Hellman parameters with 2048 bits.',
    '使用 ECDHE 套件，或 2048 位的 Diffie-Hellman 参数。',
    '使用 ECDHE 套件，或 2048 位元的 Diffie-Hellman 參數。',
  ],
  no_aead: [
    'Put AES-GCM and ChaCha20-Poly1305 suites first, and enable TLS 1.3.',
    '将 AES-GCM 和 ChaCha20-Poly1305 套件置于首位，并启用 TLS 1.3。',
    '將 AES-GCM 和 ChaCha20-Poly1305 套件置於首位，並啟用 TLS 1.3。',
  ],
  incomplete_chain: [
    'Configure the file with the full chain (fullchain.pem), not the certificate alone.',
    '配置完整证书链文件（fullchain.pem），而不是仅配置证书本身。',
    '設定完整憑證鏈檔案（fullchain.pem），而不是僅設定憑證本身。',
  ],
  validity_too_long: [
    'Get a certificate with a shorter validity; browsers refuse longer ones from public authorities.',
    '申请有效期较短的证书；浏览器拒绝公共机构签发的过长有效期证书。',
    '申請有效期較短的憑證；瀏覽器拒絕公開單位簽發的過長有效期憑證。',
  ],
  must_staple_missing: [
    'Enable OCSP stapling on the server, or get a certificate without Must-Staple.',
    '在服务器上启用 OCSP 装订，或申请不含 Must-Staple 的证书。',
    '在伺服器上啟用 OCSP 裝訂，或申請不含 Must-Staple 的憑證。',
  ],
  no_tls13: [
    'Enable TLS 1.3, in addition to TLS 1.2.',
    '在 TLS 1.2 之外启用 TLS 1.3。',
    '在 TLS 1.2 之外啟用 TLS 1.3。',
  ],
  bad_staple: [
    'Check that the server can reach the OCSP responder of its authority, and its clock.',
    '检查服务器能否访问颁发机构的 OCSP 服务，以及服务器时钟。',
    '檢查伺服器能否存取授權單位的 OCSP 服務，以及伺服器時鐘。',
  ],
  wrong_order: [
    'Put the certificate first in the file, then each issuer behind what it issued.',
    '在文件中先放证书，再依次放各级颁发者证书。',
    '在檔案中先放憑證，再依序放各級核發者憑證。',
  ],
  no_sct: [
    'Get the certificate from an authority that logs it; public ones do by default.',
    '向会记录证书透明度的机构申请证书；公共机构默认如此。',
    '向會記錄憑證透明度的單位申請憑證；公開單位預設如此。',
  ],
  incomplete_audit: [
    'Run the report again; a server that limits handshakes can cut the audit short.',
    '重新生成报告；限制握手次数的服务器可能中断检查。',
    '重新產生報告；限制交握次數的伺服器可能中斷檢查。',
  ],
  expires_soon: [
    'Renew the certificate now, and let a job renew it from now on.',
    '立即续期证书，今后使用自动续期。',
    '立即續期憑證，今後使用自動續期。',
  ],
  root_sent: [
    'Leave the root out of the file of the chain: it only costs bytes.',
    '从证书链文件中去掉根证书：它只会增加字节数。',
    '從憑證鏈檔案中去掉根憑證：它只會增加位元組數。',
  ],
  unneeded_certificate: [
    'Leave the certificates out of the file that the chain does not need.',
    '从文件中去掉证书链不需要的证书。',
    '從檔案中去掉憑證鏈不需要的憑證。',
  ],
  dns_nxdomain: [
    'Check the spelling, the registration of the domain, and that the zone has this name.',
    '检查拼写、域名注册状态，以及区域中是否有此名称。',
    '檢查拼字、網域註冊狀態，以及區域中是否有此名稱。',
  ],
  dns_failed: [
    'Check that the name servers of the zone respond, and that its DNSSEC signatures are valid.',
    '检查区域的域名服务器是否响应，以及 DNSSEC 签名是否有效。',
    '檢查區域的網域名稱伺服器是否回應，以及 DNSSEC 簽章是否有效。',
  ],
  dns_timeout: [
    'Check that the name servers of the zone run and that a firewall lets port 53 through, by UDP and TCP.',
    '检查区域的域名服务器是否运行，防火墙是否放行 UDP 和 TCP 的 53 端口。',
    '檢查區域的網域名稱伺服器是否執行，防火牆是否放行 UDP 和 TCP 的 53 連接埠。',
  ],
  dns_contradictory: [
    'Compare the addresses that the nodes got: those that are not yours come from a network that changes responses.',
    '比较各节点得到的地址：不属于您的响应来自篡改 DNS 的网络。',
    '比較各節點得到的位址：不屬於您的回應來自竄改 DNS 的網路。',
  ],
  dns_no_ipv4: [
    'Add an A record: many visitors have no IPv6.',
    '添加 A 记录：许多访客没有 IPv6。',
    '新增 A 記錄：許多訪客沒有 IPv6。',
  ],
  dns_slow: [
    'Use name servers near the visitors (anycast), and longer TTLs.',
    '使用靠近访客的域名服务器（任播），并延长 TTL。',
    '使用靠近訪客的網域名稱伺服器（任播），並延長 TTL。',
  ],
  single_ns: [
    'Add a second name server, in another network.',
    '在另一网络中增加第二个域名服务器。',
    '在另一網路中增加第二個網域名稱伺服器。',
  ],
  ns_one_network: [
    'Put one of the name servers into another network.',
    '将其中一个域名服务器放到另一网络。',
    '將其中一個網域名稱伺服器放到另一網路。',
  ],
  ns_lame: [
    'Load the zone on that name server, or remove it from the delegation.',
    '在该域名服务器上加载区域，或将其从委派中移除。',
    '在該網域名稱伺服器上載入區域，或將其從委派中移除。',
  ],
  ns_unreachable: [
    'Start that name server or open its port 53, or remove it from the delegation.',
    '启动该域名服务器或开放其 53 端口，或将其从委派中移除。',
    '啟動該網域名稱伺服器或開放其 53 連接埠，或將其從委派中移除。',
  ],
  parent_child_differ: [
    'Make the NS records of the zone and those at the registrar the same.',
    '使区域中的 NS 记录与注册商处的一致。',
    '使區域中的 NS 記錄與註冊商處的一致。',
  ],
  glue_missing: [
    'Add the address of that name server (glue) at the registrar.',
    '在注册商处添加该域名服务器的地址（glue）。',
    '在註冊商處新增該網域名稱伺服器的位址（glue）。',
  ],
  serials_differ: [
    'Check the zone transfers of the server that is behind.',
    '检查落后的服务器的区域传送。',
    '檢查落後的伺服器的區域轉送。',
  ],
  soa_timers: [
    'Use usual timers: refresh from 20 min to 12 h, retry below refresh, expire from 2 to 4 weeks.',
    '使用常规的计时参数：refresh 20 分钟至 12 小时，retry 小于 refresh，expire 2 至 4 周。',
    '使用常規的計時參數：refresh 20 分鐘至 12 小時，retry 小於 refresh，expire 2 至 4 週。',
  ],
  cname_at_apex: [
    'Replace the CNAME at the apex by A and AAAA records, or by the ALIAS record of your DNS provider.',
    '将顶点的 CNAME 换成 A 和 AAAA 记录，或 DNS 服务商的 ALIAS 记录。',
    '將頂點的 CNAME 換成 A 和 AAAA 記錄，或 DNS 服務商的 ALIAS 記錄。',
  ],
  mx_is_cname: [
    'Let the MX record name a host with addresses of its own.',
    '让 MX 记录指向自身有地址的主机。',
    '讓 MX 記錄指向自身有位址的主機。',
  ],
  mx_missing_address: [
    'Add an A record for that mail server, or remove its MX record.',
    '为该邮件服务器添加 A 记录，或删除其 MX 记录。',
    '為該郵件伺服器新增 A 記錄，或刪除其 MX 記錄。',
  ],
  dnssec_bogus: [
    'Sign the zone again, and make the DS record at the registrar fit its key.',
    '重新签名区域，并使注册商处的 DS 记录与密钥匹配。',
    '重新簽署區域，並使註冊商處的 DS 記錄與金鑰相符。',
  ],
  ds_without_dnskey: [
    'Replace the DS record at the registrar by that of the current key, or remove it.',
    '将注册商处的 DS 记录更换为当前密钥的记录，或将其删除。',
    '將註冊商處的 DS 記錄更換為目前金鑰的記錄，或將其刪除。',
  ],
  no_caa: [
    'Add a CAA record that names the authorities which may issue certificates for the domain.',
    '添加 CAA 记录，指明可为该域名签发证书的机构。',
    '新增 CAA 記錄，指明可為該網域簽發憑證的單位。',
  ],
  no_spf: [
    'Add a TXT record with the servers that send your mail; "v=spf1 -all" if there are none.',
    '添加列出发信服务器的 TXT 记录；若没有则为“v=spf1 -all”。',
    '新增列出寄信伺服器的 TXT 記錄；若沒有則為「v=spf1 -all」。',
  ],
  several_spf: ['Merge the SPF records into one.', '将多条 SPF 记录合并为一条。', '將多筆 SPF 記錄合併為一筆。'],
  no_dmarc: [
    'Add a TXT record at _dmarc, to begin with "v=DMARC1; p=none".',
    '在 _dmarc 添加 TXT 记录，可先使用“v=DMARC1; p=none”。',
    '在 _dmarc 新增 TXT 記錄，可先使用「v=DMARC1; p=none」。',
  ],
  wildcard: [
    'Nothing has to be done if this is intended; else remove the record *.',
    '若为有意设置则无需处理；否则删除 * 记录。',
    '若為有意設定則無需處理；否則刪除 * 記錄。',
  ],
  plain_http: [
    'Serve the site by https, and redirect http to it.',
    '通过 https 提供网站，并将 http 重定向到 https。',
    '以 https 提供網站，並將 http 重新導向至 https。',
  ],
  https_downgrade: [
    'Let the redirect lead to an https URL.',
    '将重定向改为指向 https URL。',
    '將重新導向改為指向 https URL。',
  ],
  no_https_redirect: [
    'Redirect every request of port 80 to https with status 301 or 308.',
    '将 80 端口的所有请求以 301 或 308 重定向到 https。',
    '將 80 連接埠的所有要求以 301 或 308 重新導向至 https。',
  ],
  no_hsts: [
    'Send "Strict-Transport-Security: max-age=31536000; includeSubDomains" on https.',
    '在 https 响应中发送“Strict-Transport-Security: max-age=31536000; includeSubDomains”。',
    '在 https 回應中傳送「Strict-Transport-Security: max-age=31536000; includeSubDomains」。',
  ],
  cookie_not_secure: [
    'Add Secure to every Set-Cookie.',
    '为每个 Set-Cookie 添加 Secure。',
    '為每個 Set-Cookie 加上 Secure。',
  ],
  hsts_short: [
    'Raise max-age to 31536000, a year.',
    '将 max-age 提高到 31536000（一年）。',
    '將 max-age 提高到 31536000（一年）。',
  ],
  no_csp: [
    'Send a Content-Security-Policy, to begin with "default-src \'self\'" as report-only.',
    "发送 Content-Security-Policy，可先以 report-only 方式使用“default-src 'self'”。",
    "傳送 Content-Security-Policy，可先以 report-only 方式使用「default-src 'self'」。",
  ],
  csp_no_script_src: [
    'Add script-src or default-src to the policy.',
    '在策略中添加 script-src 或 default-src。',
    '在政策中加上 script-src 或 default-src。',
  ],
  csp_unsafe_inline: [
    "Give each inline script a nonce or hash, and remove 'unsafe-inline'.",
    "为每个内联脚本使用 nonce 或哈希，并移除 'unsafe-inline'。",
    "為每個內嵌指令碼使用 nonce 或雜湊，並移除 'unsafe-inline'。",
  ],
  csp_wildcard: [
    'Name the hosts that scripts come from, in place of * and data:.',
    '列出脚本来源的主机，取代 * 和 data:。',
    '列出指令碼來源的主機，取代 * 和 data:。',
  ],
  no_frame_protection: [
    'Add "frame-ancestors \'self\'" to the policy, or send "X-Frame-Options: SAMEORIGIN".',
    "在策略中添加“frame-ancestors 'self'”，或发送“X-Frame-Options: SAMEORIGIN”。",
    "在政策中加上「frame-ancestors 'self'」，或傳送「X-Frame-Options: SAMEORIGIN」。",
  ],
  no_content_type_options: [
    'Send "X-Content-Type-Options: nosniff".',
    '发送“X-Content-Type-Options: nosniff”。',
    '傳送「X-Content-Type-Options: nosniff」。',
  ],
  cookie_prefix_broken: [
    'Give the cookie Secure, and for __Host- also Path=/ without a Domain, or another name.',
    '为该 Cookie 添加 Secure；__Host- 还需 Path=/ 且不带 Domain，否则请改名。',
    '為該 Cookie 加上 Secure；__Host- 還需 Path=/ 且不帶 Domain，否則請改名。',
  ],
  cookie_none_not_secure: [
    'Add Secure to cookies with SameSite=None.',
    '为 SameSite=None 的 Cookie 添加 Secure。',
    '為 SameSite=None 的 Cookie 加上 Secure。',
  ],
  csp_unsafe_eval: [
    "Remove 'unsafe-eval' from the policy, and what needs eval from the scripts.",
    "从策略中移除 'unsafe-eval'，并去除脚本中对 eval 的依赖。",
    "從政策中移除 'unsafe-eval'，並去除指令碼中對 eval 的依賴。",
  ],
  csp_no_object_src: [
    'Add "object-src \'none\'" to the policy.',
    "在策略中添加“object-src 'none'”。",
    "在政策中加上「object-src 'none'」。",
  ],
  csp_no_base_uri: [
    'Add "base-uri \'none\'" to the policy.',
    "在策略中添加“base-uri 'none'”。",
    "在政策中加上「base-uri 'none'」。",
  ],
  weak_referrer_policy: [
    'Send "Referrer-Policy: strict-origin-when-cross-origin".',
    '发送“Referrer-Policy: strict-origin-when-cross-origin”。',
    '傳送「Referrer-Policy: strict-origin-when-cross-origin」。',
  ],
  cookie_not_http_only: [
    'Add HttpOnly to cookies that no script of the site needs.',
    '为网站脚本不需要的 Cookie 添加 HttpOnly。',
    '為網站指令碼不需要的 Cookie 加上 HttpOnly。',
  ],
  cookie_no_same_site: [
    'Add SameSite=Lax to every Set-Cookie.',
    '为每个 Set-Cookie 添加 SameSite=Lax。',
    '為每個 Set-Cookie 加上 SameSite=Lax。',
  ],
  no_referrer_policy: [
    'Send "Referrer-Policy: strict-origin-when-cross-origin".',
    '发送“Referrer-Policy: strict-origin-when-cross-origin”。',
    '傳送「Referrer-Policy: strict-origin-when-cross-origin」。',
  ],
  no_permissions_policy: [
    'Send a Permissions-Policy that turns off what the site does not use: "camera=(), microphone=(), geolocation=()".',
    '发送 Permissions-Policy，关闭网站不使用的功能：“camera=(), microphone=(), geolocation=()”。',
    '傳送 Permissions-Policy，關閉網站不使用的功能：「camera=(), microphone=(), geolocation=()」。',
  ],
  hsts_no_subdomains: [
    'Add includeSubDomains once every subdomain serves https.',
    '在所有子域名都提供 https 后添加 includeSubDomains。',
    '在所有子網域都提供 https 後加上 includeSubDomains。',
  ],
  csp_duplicate: [
    'Merge the repeated directives of the policy into one.',
    '将策略中重复的指令合并为一条。',
    '將政策中重複的指令合併為一條。',
  ],
  server_version: [
    'Turn the version off, for example "server_tokens off" in nginx.',
    '关闭版本显示，例如 nginx 的“server_tokens off”。',
    '關閉版本顯示，例如 nginx 的「server_tokens off」。',
  ],
  not_the_site: [
    'Permit the addresses of the nodes in the firewall of the site, and run the report again.',
    '在网站防火墙中放行各节点的地址，然后重新生成报告。',
    '在網站防火牆中放行各節點的位址，然後重新產生報告。',
  ],
  hsts_invalid: [
    'Correct the header: "Strict-Transport-Security: max-age=31536000; includeSubDomains".',
    '更正标头：“Strict-Transport-Security: max-age=31536000; includeSubDomains”。',
    '更正標頭：「Strict-Transport-Security: max-age=31536000; includeSubDomains」。',
  ],
  hsts_repeated: [
    'Send the header once: by the application or by the proxy, not by both.',
    '仅发送一次该标头：由应用或代理发送，而不是两者都发送。',
    '僅傳送一次該標頭：由應用程式或代理傳送，而不是兩者都傳送。',
  ],
  hsts_over_http: ['Send the header over https only.', '仅通过 https 发送该标头。', '僅以 https 傳送該標頭。'],
  csp_report_only: [
    'Send the policy as Content-Security-Policy when its reports are empty.',
    '在报告为空后，将该策略作为 Content-Security-Policy 发送。',
    '在報告為空後，將該政策作為 Content-Security-Policy 傳送。',
  ],
  no_coop: [
    'Send "Cross-Origin-Opener-Policy: same-origin" unless the site needs pop-ups of others.',
    '发送“Cross-Origin-Opener-Policy: same-origin”，除非网站需要其他来源的弹窗。',
    '傳送「Cross-Origin-Opener-Policy: same-origin」，除非網站需要其他來源的彈出視窗。',
  ],
  no_compression: [
    'Enable gzip or brotli for texts on the server.',
    '在服务器上为文本启用 gzip 或 brotli。',
    '在伺服器上為文字啟用 gzip 或 brotli。',
  ],
  no_cdn: [
    'Nothing has to be done; a CDN shortens the way to distant visitors.',
    '无需处理；CDN 可缩短到远方访客的距离。',
    '無需處理；CDN 可縮短到遠方訪客的距離。',
  ],
  ping_no_reply: [
    'Check that the server runs and that a firewall permits ICMP echo.',
    '检查服务器是否在运行，以及防火墙是否允许 ICMP 回显。',
    '檢查伺服器是否在執行，以及防火牆是否允許 ICMP 回顯。',
  ],
  ping_loss_high: [
    'Find the hop where the loss begins with mtr, and report it to the provider of that network.',
    '用 mtr 找到丢包开始的一跳，并向该网络的运营商报告。',
    '用 mtr 找到遺失開始的躍點，並向該網路的供應商回報。',
  ],
  ping_loss: [
    'Run mtr for a while: loss at the last hop alone may be a limit of ICMP.',
    '运行一段时间 mtr：仅最后一跳丢包可能是 ICMP 限速。',
    '執行一段時間 mtr：僅最後一個躍點遺失可能是 ICMP 限速。',
  ],
  ping_slow: [
    'Serve distant visitors from a CDN or a server near them.',
    '通过 CDN 或附近的服务器为远方访客提供服务。',
    '透過 CDN 或附近的伺服器為遠方訪客提供服務。',
  ],
  ping_unstable: [
    'Look for a full link or a busy server at that time.',
    '检查当时链路是否拥塞或服务器是否繁忙。',
    '檢查當時鏈路是否壅塞或伺服器是否忙碌。',
  ],
  icmp_filtered: [
    'Nothing has to be done; permit ICMP echo if you want loss to be measured.',
    '无需处理；如需测量丢包，请允许 ICMP 回显。',
    '無需處理；如需測量遺失，請允許 ICMP 回顯。',
  ],
  path_not_reached: [
    'Look at the last hop that replies: from there on a route or a firewall is missing or wrong.',
    '查看最后应答的一跳：从那里起路由或防火墙缺失或有误。',
    '查看最後回應的躍點：從那裡起路由或防火牆缺失或有誤。',
  ],
  path_loop: [
    'Report the loop to the provider of the network in which it is.',
    '向环路所在网络的运营商报告。',
    '向迴圈所在網路的供應商回報。',
  ],
  path_long: [
    'Ask your provider about a more direct route to these visitors.',
    '向您的运营商询问到这些访客的更直接路由。',
    '向您的供應商詢問到這些訪客的更直接路由。',
  ],
  path_filtered: [
    'Nothing has to be done: the site responds, and a firewall drops the packets of the trace.',
    '无需处理：网站有响应，只是防火墙丢弃了跟踪数据包。',
    '無需處理：網站有回應，只是防火牆丟棄了追蹤封包。',
  ],
};

const index: Readonly<Record<FindingLanguage, 0 | 1 | 2>> = { en: 0, 'zh-CN': 1, 'zh-TW': 2 };

/** Remedy of a finding in a language; null: it is good, and there is nothing to do. */
export function remedyText(code: FindingCode, language: FindingLanguage): string | null {
  return code in remedies ? remedies[code as Fault][index[language]] : null;
}
