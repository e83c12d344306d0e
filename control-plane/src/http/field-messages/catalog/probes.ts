import type { CatalogEntry } from '../template.js';

/** Refusals of probes, diagnoses, lookups and the tools for domains. */
export const probeMessages: readonly CatalogEntry[] = [
  // nodes of a probe
  ['excludes {}', '不能与 {1} 同时使用', '不得與 {1} 同時使用'],
  ['excludes {} and {}', '不能与 {1}、{2} 同时使用', '不得與 {1}、{2} 同時使用'],
  [
    'no node that you may use is online; enroll one: create a token with `vantage-control enrollment-token create` or POST /v1/nodes/enrollment-tokens, and run `vantage-agent enroll` on its machine',
    '没有您可以使用的节点在线；请注册一个：用 `vantage-control enrollment-token create` 或 POST /v1/nodes/enrollment-tokens 创建令牌，再在节点的机器上运行 `vantage-agent enroll`',
    '沒有您可以使用的節點在線；請註冊一個：用 `vantage-control enrollment-token create` 或 POST /v1/nodes/enrollment-tokens 建立權杖，再於節點的機器上執行 `vantage-agent enroll`',
  ],
  ['no online node matches this selection', '没有在线节点符合此选择', '沒有在線節點符合此選擇'],
  [
    'no online node that matches has {text}; `vantage-agent doctor` on a node says what it lacks',
    '符合条件的在线节点都没有{1}；在节点上运行 `vantage-agent doctor` 可查看缺少什么',
    '符合條件的在線節點都沒有{1}；在節點上執行 `vantage-agent doctor` 可查看缺少什麼',
  ],
  ['raw sockets for ICMP (icmp)', ' ICMP 原始套接字（icmp）', ' ICMP 原始通訊端（icmp）'],
  ['ICMP (icmp_echo)', ' ICMP（icmp_echo）', ' ICMP（icmp_echo）'],
  ['a browser (browser)', '浏览器（browser）', '瀏覽器（browser）'],
  ['IPv{}', ' IPv{1}', ' IPv{1}'],
  ['{text} and IPv{}', '{1}和 IPv{2}', '{1}和 IPv{2}'],
  [
    '{} is needed, and {} of {} are left today',
    '需要 {1} 次，今天只剩 {2} 次（共 {3} 次）',
    '需要 {1} 次，今天只剩 {2} 次（共 {3} 次）',
  ],
  [
    '{} are needed, and {} of {} are left today',
    '需要 {1} 次，今天只剩 {2} 次（共 {3} 次）',
    '需要 {1} 次，今天只剩 {2} 次（共 {3} 次）',
  ],
  [
    'is being probed too often; try again later',
    '对此目标的探测过于频繁，请稍后再试',
    '對此目標的探測過於頻繁，請稍後再試',
  ],
  ['no such type', '没有此类型', '沒有此類型'],
  ['no such type of probe', '没有此探测类型', '沒有此探測類型'],
  [
    'results of these tasks have more than {} bytes: send a smaller limit, such as 1',
    '这些任务的结果超过 {1} 字节：请减小 limit，例如 1',
    '這些工作的結果超過 {1} 位元組：請減小 limit，例如 1',
  ],
  // diagnoses
  [
    'this scope leaves room for {} nodes: name fewer nodes, send a smaller limit, or a smaller scope',
    '此 scope 最多容纳 {1} 个节点：请减少节点、减小 limit 或缩小 scope',
    '此 scope 最多容納 {1} 個節點：請減少節點、減小 limit 或縮小 scope',
  ],
  // lookups
  ['cannot be looked up at the moment', '目前无法查询', '目前無法查詢'],
  ['cannot be looked up: {foreign}', '无法查询：{1}', '無法查詢：{1}'],
  [
    'the answer takes longer than a request may wait: send the request again',
    '取得结果的时间超过请求的等待时间：请再次发送请求',
    '取得結果的時間超過要求的等待時間：請再次傳送要求',
  ],
  ['must be a domain, not an address', '必须是域名，不能是地址', '必須是網域，不得是位址'],
  ['must be an IPv4 or IPv6 address', '必须是 IPv4 或 IPv6 地址', '必須是 IPv4 或 IPv6 位址'],
  [
    'must be a domain or an address without brackets',
    '必须是域名，或不带方括号的地址',
    '必須是網域，或不含方括號的位址',
  ],
  [
    'must be a domain or a URL: begin with http:// or https:// before an address',
    '必须是域名或 URL：地址之前需写 http:// 或 https://',
    '必須是網域或 URL：位址之前需寫 http:// 或 https://',
  ],
  [
    'must have at most {} characters, with the scheme and with escapes for what is not ASCII',
    '最多 {1} 个字符，包括协议和非 ASCII 字符的转义',
    '最多 {1} 個字元，包括通訊協定與非 ASCII 字元的跳脫',
  ],
  ['the domain has no public address', '该域名没有公网地址', '該網域沒有公用位址'],
  ['no node that may run lookups is online', '没有可执行查询的节点在线', '沒有可執行查詢的節點在線'],
  [
    'this installation has no node that may run lookups: give a node of an administrator the tag lookup, or name nodes in VANTAGE_LOOKUP_NODES',
    '此安装没有可执行查询的节点：请为管理员的节点添加标签 lookup，或在 VANTAGE_LOOKUP_NODES 中指定节点',
    '此安裝沒有可執行查詢的節點：請為管理員的節點加上標籤 lookup，或在 VANTAGE_LOOKUP_NODES 中指定節點',
  ],
  [
    'no node that runs lookups has a source of ICP filings: set VANTAGE_ICP_SOURCE of its agent',
    '执行查询的节点都没有 ICP 备案数据源：请在其代理程序上设置 VANTAGE_ICP_SOURCE',
    '執行查詢的節點都沒有 ICP 備案資料來源：請在其代理程式上設定 VANTAGE_ICP_SOURCE',
  ],
  [
    'this installation has no database of addresses: set VANTAGE_GEOIP_DIR',
    '此安装没有 IP 地址数据库：请设置 VANTAGE_GEOIP_DIR',
    '此安裝沒有 IP 位址資料庫：請設定 VANTAGE_GEOIP_DIR',
  ],
  [
    'this installation has no database of addresses: VANTAGE_GEOIP_DIR has no .mmdb file that can be used',
    '此安装没有 IP 地址数据库：VANTAGE_GEOIP_DIR 中没有可用的 .mmdb 文件',
    '此安裝沒有 IP 位址資料庫：VANTAGE_GEOIP_DIR 中沒有可用的 .mmdb 檔案',
  ],
  [
    'this installation has no lists of addresses: set VANTAGE_REPUTATION_LISTS',
    '此安装没有地址列表：请设置 VANTAGE_REPUTATION_LISTS',
    '此安裝沒有位址清單：請設定 VANTAGE_REPUTATION_LISTS',
  ],
  [
    'no list in VANTAGE_REPUTATION_LISTS has been read yet; the log of the server says why',
    'VANTAGE_REPUTATION_LISTS 中尚无已读取的列表；原因见服务器日志',
    'VANTAGE_REPUTATION_LISTS 中尚無已讀取的清單；原因見伺服器記錄檔',
  ],
  [
    'this installation serves no release: set VANTAGE_RELEASE_DIR',
    '此安装不提供发行文件：请设置 VANTAGE_RELEASE_DIR',
    '此安裝不提供發行檔案：請設定 VANTAGE_RELEASE_DIR',
  ],
  [
    'the nodes that were asked failed before they had an answer',
    '被询问的节点在得到结果之前失败',
    '被詢問的節點在取得結果之前失敗',
  ],
  [
    '1 is needed, and none of {} is left this month',
    '需要 1 次，本月的 {1} 次已用完',
    '需要 1 次，本月的 {1} 次已用完',
  ],
  ['no new version of this list was refused', '此列表没有被拒绝的新版本', '此清單沒有被拒絕的新版本'],
  // combinations of domains
  ['must be a domain without a dot at its edges', '必须是首尾没有点的域名', '必須是首尾沒有點的網域'],
  ['is required for a literal', 'literal 必须有此字段', 'literal 必須有此欄位'],
  ['is required: {}', '必填：{1}', '必填：{1}'],
];
