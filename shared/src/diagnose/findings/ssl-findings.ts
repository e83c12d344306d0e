import { type SslFindingCode, sslFindings } from '../../probe-types/ssl-findings.js';
import { capped, critical, type FindingRule, good, warning } from '../finding-rule.js';

const of = (code: SslFindingCode, zhCn: string, zhTw: string): FindingRule =>
  capped(sslFindings[code].cap, sslFindings[code].meaning, zhCn, zhTw);

/** Findings of the audit; the English texts are those of the ssl probe. */
const auditFindings: Readonly<Record<SslFindingCode, FindingRule>> = {
  expired: of('expired', '证书链中有证书已过期。', '憑證鏈中有憑證已過期。'),
  not_yet_valid: of('not_yet_valid', '证书链中有证书尚未生效。', '憑證鏈中有憑證尚未生效。'),
  self_signed: of('self_signed', '证书为自签名。', '憑證為自我簽署。'),
  untrusted: of('untrusted', '证书链未通向公共根证书。', '憑證鏈未通往公開根憑證。'),
  name_mismatch: of('name_mismatch', '证书属于其他名称。', '憑證屬於其他名稱。'),
  revoked: of('revoked', '装订的 OCSP 响应表明证书已被吊销。', '裝訂的 OCSP 回應表明憑證已被撤銷。'),
  ssl3_protocol: of('ssl3_protocol', '支持 SSL 3.0（POODLE）。', '支援 SSL 3.0（POODLE）。'),
  null_cipher: of('null_cipher', '支持不加密的密码套件。', '支援不加密的加密套件。'),
  anonymous_cipher: of('anonymous_cipher', '支持无证书的密码套件。', '支援無憑證的加密套件。'),
  export_cipher: of('export_cipher', '支持出口级密码套件（FREAK）。', '支援出口級加密套件（FREAK）。'),
  des_cipher: of('des_cipher', '支持单 DES。', '支援單 DES。'),
  insecure_key: of('insecure_key', '密钥可被破解。', '金鑰可被破解。'),
  insecure_key_exchange: of(
    'insecure_key_exchange',
    '使用低于 1024 位的 Diffie-Hellman（Logjam）。',
    '使用低於 1024 位元的 Diffie-Hellman（Logjam）。',
  ),
  md5_signature: of('md5_signature', '有证书使用 MD5 或 MD2 签名。', '有憑證使用 MD5 或 MD2 簽署。'),
  sha1_signature: of('sha1_signature', '有证书使用 SHA-1 签名。', '有憑證使用 SHA-1 簽署。'),
  weak_key: of('weak_key', '密钥低于当前最低要求。', '金鑰低於目前最低要求。'),
  only_old_protocols: of('only_old_protocols', '不支持 TLS 1.2 和 TLS 1.3。', '不支援 TLS 1.2 和 TLS 1.3。'),
  rc4_cipher: of('rc4_cipher', '支持 RC4。', '支援 RC4。'),
  old_protocol: of('old_protocol', '支持 TLS 1.0 或 TLS 1.1。', '支援 TLS 1.0 或 TLS 1.1。'),
  triple_des_cipher: of('triple_des_cipher', '支持三重 DES（Sweet32）。', '支援三重 DES（Sweet32）。'),
  no_forward_secrecy: of('no_forward_secrecy', '有协议版本不提供前向保密。', '有協定版本不提供前向保密。'),
  weak_key_exchange: of(
    'weak_key_exchange',
    '使用 1024 至 2047 位的 Diffie-Hellman。',
    '使用 1024 至 2047 位元的 Diffie-Hellman。',
  ),
  no_aead: of('no_aead', '最佳协议版本未使用认证加密。', '最佳協定版本未使用驗證加密。'),
  incomplete_chain: of('incomplete_chain', '服务器未发送中间证书。', '伺服器未傳送中繼憑證。'),
  validity_too_long: of('validity_too_long', '证书有效期超过允许的长度。', '憑證有效期超過允許的長度。'),
  must_staple_missing: of(
    'must_staple_missing',
    '证书要求装订 OCSP 响应，但服务器未发送有效的响应。',
    '憑證要求裝訂 OCSP 回應，但伺服器未傳送有效的回應。',
  ),
  no_tls13: of('no_tls13', '不支持 TLS 1.3。', '不支援 TLS 1.3。'),
  bad_staple: of('bad_staple', '装订的 OCSP 响应无效。', '裝訂的 OCSP 回應無效。'),
  wrong_order: of('wrong_order', '证书链顺序错误。', '憑證鏈順序錯誤。'),
  no_sct: of('no_sct', '证书和装订均未证明证书透明度。', '憑證和裝訂均未證明憑證透明度。'),
  incomplete_audit: of('incomplete_audit', '部分检查未能完成。', '部分檢查未能完成。'),
  // the grade is about today; in a fortnight the site breaks
  expires_soon: warning(
    10,
    sslFindings.expires_soon.meaning,
    '证书链中有证书将在 14 天内到期。',
    '憑證鏈中有憑證將在 14 天內到期。',
  ),
  root_sent: of('root_sent', '发送了根证书。', '傳送了根憑證。'),
  unneeded_certificate: of('unneeded_certificate', '发送了不需要的证书。', '傳送了不需要的憑證。'),
};

/** Findings of section `ssl`, worst first. */
export const sslSectionFindings = {
  ssl_unreachable: critical(100, 'No TLS handshake succeeds.', 'TLS 握手未成功。', 'TLS 交握未成功。'),
  ...auditFindings,
  ssl_good: good(
    'Certificate and connection are graded A or better.',
    '证书和连接评级为 A 或更高。',
    '憑證和連線評級為 A 或更高。',
  ),
};
