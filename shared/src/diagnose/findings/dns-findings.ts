import type { ZoneFindingCode } from '../../probe-types/zone-audit.js';
import { critical, type FindingRule, good, notice, warning } from '../finding-rule.js';

/** Findings of the queries of section `dns`, worst first. */
export const resolvingFindings = {
  dns_nxdomain: critical(100, 'The name does not exist.', '域名不存在。', '網域名稱不存在。'),
  dns_failed: critical(
    80,
    'Resolvers respond with an error (SERVFAIL, REFUSED).',
    '解析器返回错误（SERVFAIL、REFUSED）。',
    '解析器傳回錯誤（SERVFAIL、REFUSED）。',
  ),
  dns_timeout: critical(80, 'No response to DNS queries in time.', 'DNS 查询未及时响应。', 'DNS 查詢未及時回應。'),
  dns_contradictory: critical(
    40,
    'Nodes get responses that cannot all come from the zone.',
    '各节点得到的响应不可能全部来自该区域。',
    '各節點得到的回應不可能全部來自該區域。',
  ),
  dns_no_ipv4: warning(10, 'The name has no IPv4 address.', '域名没有 IPv4 地址。', '網域名稱沒有 IPv4 位址。'),
  dns_slow: warning(5, 'A response took longer than 500 ms.', '响应耗时超过 500 毫秒。', '回應耗時超過 500 毫秒。'),
  dns_ok: good('The name resolves.', '域名解析正常。', '網域名稱解析正常。'),
} as const satisfies Record<string, FindingRule>;

/** Findings of the zone audit. */
export const zoneFindings = {
  single_ns: warning(
    15,
    'The zone has one name server only.',
    '区域只有一个域名服务器。',
    '區域只有一個網域名稱伺服器。',
  ),
  ns_one_network: warning(
    5,
    'All name servers are in one network.',
    '所有域名服务器位于同一网络。',
    '所有網域名稱伺服器位於同一網路。',
  ),
  ns_lame: warning(
    20,
    'A delegated name server does not serve the zone.',
    '有被委派的域名服务器不提供该区域。',
    '有被委派的網域名稱伺服器不提供該區域。',
  ),
  ns_unreachable: warning(15, 'A name server does not respond.', '有域名服务器无响应。', '有網域名稱伺服器無回應。'),
  parent_child_differ: warning(
    10,
    'The delegation and the zone name different servers.',
    '委派与区域中的域名服务器不一致。',
    '委派與區域中的網域名稱伺服器不一致。',
  ),
  glue_missing: warning(
    10,
    'A name server inside the zone has no address in the delegation.',
    '区域内的域名服务器在委派中缺少地址（glue）。',
    '區域內的網域名稱伺服器在委派中缺少位址（glue）。',
  ),
  serials_differ: warning(
    10,
    'Name servers have different versions of the zone.',
    '各域名服务器的区域版本不同。',
    '各網域名稱伺服器的區域版本不同。',
  ),
  soa_timers: warning(
    2,
    'Timers of the SOA record are outside of the usual range.',
    'SOA 记录的计时参数超出常规范围。',
    'SOA 記錄的計時參數超出常規範圍。',
  ),
  cname_at_apex: critical(
    40,
    'The apex of the zone is an alias (CNAME), which hides all of its other records.',
    '区域顶点是别名（CNAME），会遮蔽其他所有记录。',
    '區域頂點是別名（CNAME），會遮蔽其他所有記錄。',
  ),
  mx_is_cname: warning(
    5,
    'A mail server is an alias (CNAME).',
    '有邮件服务器是别名（CNAME）。',
    '有郵件伺服器是別名（CNAME）。',
  ),
  mx_missing_address: warning(10, 'A mail server has no address.', '有邮件服务器没有地址。', '有郵件伺服器沒有位址。'),
  dnssec_bogus: critical(
    60,
    'The signatures of the zone are not valid; validating resolvers refuse it.',
    '区域的签名无效，验证型解析器会拒绝它。',
    '區域的簽章無效，驗證型解析器會拒絕它。',
  ),
  ds_without_dnskey: critical(
    60,
    'The parent zone has a DS record that fits no key of the zone.',
    '上级区域的 DS 记录与该区域的任何密钥都不匹配。',
    '上級區域的 DS 記錄與該區域的任何金鑰都不符。',
  ),
  no_caa: notice('The zone has no CAA record.', '区域没有 CAA 记录。', '區域沒有 CAA 記錄。'),
  no_spf: warning(3, 'The domain has no SPF record.', '域名没有 SPF 记录。', '網域名稱沒有 SPF 記錄。'),
  several_spf: warning(
    10,
    'The domain has several SPF records, so that none is valid.',
    '域名有多条 SPF 记录，因此均无效。',
    '網域名稱有多筆 SPF 記錄，因此均無效。',
  ),
  no_dmarc: warning(3, 'The domain has no DMARC record.', '域名没有 DMARC 记录。', '網域名稱沒有 DMARC 記錄。'),
  wildcard: notice(
    'Any name below the domain resolves (wildcard).',
    '域名下的任意名称都能解析（通配符）。',
    '網域名稱下的任意名稱都能解析（萬用字元）。',
  ),
} as const satisfies Record<ZoneFindingCode, FindingRule>;
